select
    dump_date,
    surface,
    count(*) as runways,
    count_if(is_lighted) as lighted_runways
from {{ ref('recent_runways') }}
group by dump_date, surface
