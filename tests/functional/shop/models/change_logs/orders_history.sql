{{ config(materialized='scd2') }}

select * from {{ ref('orders_changes') }}
