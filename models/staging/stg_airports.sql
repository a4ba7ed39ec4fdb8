with dumps as (
    select
        icao,
        iata,
        name,
        city,
        subd,
        country,
        elevation,
        lat,
        lon,
        tz,
        lid,
        dump_date
    from {{ source('legacy', 'airports') }}
),

-- Empty text stays empty text: the source has no nulls so far, and a dump with some is a change worth seeing.
typed as (
    select
        icao,
        iata,
        name,
        city,
        subd,
        country,
        cast(elevation as double) as elevation,
        cast(lat as double) as lat,
        cast(lon as double) as lon,
        tz,
        lid,
        dump_date
    from dumps
)

select
    icao,
    iata,
    name,
    city,
    subd,
    country,
    elevation,
    lat,
    lon,
    tz,
    lid,
    dump_date
from typed
