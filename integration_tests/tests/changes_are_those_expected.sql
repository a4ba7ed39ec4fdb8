with found as (
    select
        _batch_id as batch_id,
        account_id,
        _change_type as change_type,
        coalesce(array_join(_changed_columns, ' '), '-') as changed_columns,
        coalesce(_before.name, '-') as name_before
    from {{ ref('accounts_changes') }}
)

{{ unlike_rows('found', ref('expected_changes')) }}
