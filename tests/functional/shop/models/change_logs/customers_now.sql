{{ config(materialized='current_state') }}

select * from {{ ref('customers_changes') }}
