-- The last dump as a table, in its own order.
{{ config(materialized='table') }}

select * from {{ ref('stg_airports_last_dump') }}
