{%- set columns = ['account_id', 'name', 'city', 'balance'] -%}
select
    account_id,
    'first' as dump,
    {{ deltawave.row_checksum(columns, relation=ref('first_accounts')) }} as checksum
from {{ ref('first_accounts') }}
union all
select
    account_id,
    'last' as dump,
    {{ deltawave.row_checksum(columns, relation=ref('last_accounts')) }} as checksum
from {{ ref('last_accounts') }}
