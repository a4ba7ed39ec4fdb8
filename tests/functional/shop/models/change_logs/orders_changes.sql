{{ config(materialized='differential', unique_key=['order_id']) }}

select * from {{ ref('orders') }}
