with found as (
    select
        _commit_version as batch_id,
        count_if(_change_type = 'insert') as inserts,
        count_if(_change_type = 'delete') as deletes,
        count_if(_change_type = 'update_preimage') as updates
    from {{ ref('accounts_feed') }}
    group by _commit_version
),

expected as (
    select batch_id, inserts, deletes, updates
    from {{ ref('accounts_batches') }}
)

{{ unlike_rows('found', 'expected') }}
