{{ config(unique_key=['region', 'sku'], strategy='union') }}

select * from {{ ref('current_prices') }}
