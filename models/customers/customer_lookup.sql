-- The surrogate key of each code: of the initial customers, and of those that came later.
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
