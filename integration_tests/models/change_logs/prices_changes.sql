{{ config(unique_key=['region', 'sku'], meta={'strategy': 'union'}) }}

select * from {{ ref('current_prices') }}
