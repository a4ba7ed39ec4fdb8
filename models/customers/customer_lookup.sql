-- Under which surrogate key a code is known: the customers of the beginning, and those that came since then.
select
    code,
    customer_key,
    name,
    country
from {{ ref('customers') }}
union all
select
    icao as code,
    customer_key,
    name,
    country
from {{ ref('new_customers') }}
