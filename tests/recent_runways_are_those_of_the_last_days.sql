-- Rows of the last seven days that the wave index lacks, and rows that it has and should not; the same for one airport by a probe.

with newest as (
    select max(dump_date) as dump_date
    from {{ ref('stg_runway_days') }}
),

expected as (
    select runway_days.*
    from {{ ref('stg_runway_days') }} as runway_days
    left semi join newest
        on runway_days.dump_date > date_sub(newest.dump_date, 7)
),

probed as (
    select * from expected
    where airport_ident = '{{ var('deltawave_airport', 'K0042') }}'
)

(
    select 'the index lacks' as problem, expected.* from expected
    except all
    select 'the index lacks' as problem, indexed.* from {{ ref('recent_runways') }} as indexed
)
union all
(
    select 'the index has' as problem, indexed.* from {{ ref('recent_runways') }} as indexed
    except all
    select 'the index has' as problem, expected.* from expected
)
union all
(
    select 'the probe lacks' as problem, probed.* from probed
    except all
    select 'the probe lacks' as problem, found.* from {{ ref('runways_of_one_airport') }} as found
)
union all
(
    select 'the probe has' as problem, found.* from {{ ref('runways_of_one_airport') }} as found
    except all
    select 'the probe has' as problem, probed.* from probed
)
