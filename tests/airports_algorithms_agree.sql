-- What an algorithm finds between the last two dumps, and the change log does not have, or the other way round.

{% set columns = [
    'icao', 'iata', 'name', 'city', 'subd', 'country', 'elevation', 'lat', 'lon', 'tz', 'lid',
] -%}
{% set algorithms = ['airports_by_window_algorithm', 'airports_by_compressed_sort_merge', 'airports_by_compressed_hash'] -%}

with logged as (
    select
        {{ columns | join(',\n        ') }},
        _change_type as change_type,
        _changed_columns as changed_columns
    from {{ ref('airports_changes') }}
    where _batch_id = (select max(batch_id) from ({{ deltawave.batches(ref('airports_changes')) }}))
)

{% for algorithm in algorithms %}
(
    select '{{ algorithm }} lacks' as problem, logged.* from logged
    except all
    select '{{ algorithm }} lacks', {{ columns | join(', ') }}, change_type, changed_columns from {{ ref(algorithm) }}
)
union all
(
    select '{{ algorithm }} has' as problem, {{ columns | join(', ') }}, change_type, changed_columns from {{ ref(algorithm) }}
    except all
    select '{{ algorithm }} has', logged.* from logged
)
{% if not loop.last %}union all{% endif %}
{% endfor %}
