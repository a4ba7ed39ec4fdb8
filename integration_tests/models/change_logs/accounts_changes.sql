{{ config(unique_key='account_id', meta={'snapshot_date': 'dump_date'}) }}

select * from {{ ref('stg_account_dumps') }}
