{{ config(materialized='differential', unique_key='customer_id') }}

select * from {{ ref('customers') }}
