select
    airports.icao,
    airports.name,
    airports.country,
    airports.elevation,
    airports.tz,
    time_zones.countries as tz_countries,
    time_zones.highest as tz_highest
from {{ ref('airports') }} as airports
left join {{ ref('time_zones') }} as time_zones
    on airports.tz = time_zones.tz
