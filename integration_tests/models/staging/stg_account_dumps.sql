select
    dump_date,
    account_id,
    name,
    nullif(city, 'n/a') as city,
    balance
from {{ ref('account_dumps') }}
