with found as (
    select account_id
    from {{ ref('accounts_checksums') }}
    group by account_id
    having count(*) = 2 and count(distinct checksum) = 2
),

expected as (
    select account_id
    from {{ ref('accounts_compared') }}
    where _change_type = 'update'
)

{{ unlike_rows('found', 'expected') }}
