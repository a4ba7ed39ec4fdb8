-- Each airport after its last change up to the day: the table of an application that timestamps every change and deletes no row.
-- A table, since change logs by timestamp would take a view with another day in its text for an edited one in each run.
{% set day = env_var('DELTAWAVE_AIRPORTS_DAY', '9999-12-31') -%}

with numbered as (
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
        _batch_at as changed_at,
        _change_type = 'delete' as is_gone,
        row_number() over (partition by icao order by _batch_id desc) as recency
    from {{ ref('airports_changes') }}
    where cast(to_utc_timestamp(_batch_at, current_timezone()) as date) <= date '{{ day }}'
)

select * except (recency)
from numbered
where recency = 1
