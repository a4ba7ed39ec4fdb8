select account_id, name, city, balance
from {{ ref('stg_account_dumps') }}
where dump_date = (select max(dump_date) from {{ ref('stg_account_dumps') }})
