with found as (
    select
        account_id,
        coalesce(city, '-') as city,
        date(valid_from) as valid_from,
        coalesce(string(date(valid_to)), '-') as valid_to
    from {{ ref('accounts_history') }}
)

{{ unlike_rows('found', ref('expected_history')) }}
