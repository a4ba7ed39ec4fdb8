{#
  TS and TDI (CH98 3.2): the rows whose time-stamp lies in the closed interval from the last high-water mark, less the overlap, to the
  newest there is. Rows at the mark, and within the overlap, are read again and compared again, so ties and late rows are found and
  nothing is reported twice. A flagged row is a delete, a row born and flagged between two runs is nothing.
#}
{%- macro _slice_by_time(job, batch, last) -%}
  {%- set progress = {} if deltawave._is_accepted(job) else deltawave._last_progress(job, last) -%}
  {%- do deltawave._create_slice(job, batch, deltawave._rows_by_time(job, batch, progress)) -%}
  {%- do deltawave._watch_time(job, batch, progress) -%}
  {%- if job.settings.delete_flag -%}
    {%- do batch.update(arrived='(select * from ' ~ batch.landed ~ ' where not is_flagged)') -%}
  {%- endif -%}
  {%- if not batch.is_first -%}
    {%- set keys = deltawave._quoted_list(job.settings.unique_key) | join(', ') -%}
    {%- set scope = 'select ' ~ keys ~ ' from ' ~ batch.landed -%}
    {%- if job.settings.row_id -%}
      {%- do batch.update(old=deltawave._kept_slice(job, batch, last, scope=deltawave._keys_by_row_id(job, batch, last, scope))) -%}
    {%- else -%}
      {%- do batch.update(old=deltawave._kept_slice(job, batch, last, deltawave._ranges_of_slice(job, batch), scope)) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{#
  The rows of the interval: the log's columns, and whether the row is flagged as deleted. Where a covering copy is there, it is all that
  is searched (ATDI); columns that it lacks are fetched by key from the model's select, as TDI does by its narrow index.
#}
{%- macro _rows_by_time(job, batch, progress) -%}
  {%- set settings = job.settings -%}
  {%- set covered = deltawave._covered_names(job) -%}
  {%- set lacking = batch.columns | rejectattr('is_key') | map(attribute='name') | map('lower') | reject('in', covered) | list if covered else [] -%}
with changed as (
    select
        {%- for column in batch.columns if column.name | lower not in lacking %}
        {{ deltawave._quoted(column.name) }},
        {%- endfor %}
        {{ deltawave._is_flagged(settings) }} as is_flagged
    from {{ deltawave._covering_copy(job) if covered else '(\n        ' ~ deltawave._indented(deltawave._indented(deltawave._newer_rows(job, progress))) ~ '\n    )' }}
    where {{ deltawave._since(job, progress) }}
)

select
    {%- for column in batch.columns %}
    {{ 'dump' if column.name | lower in lacking else 'changed' }}.{{ deltawave._quoted(column.name) }},
    {%- endfor %}
    changed.is_flagged
from changed
{%- if lacking %}
left join (
    {{ deltawave._indented(job.sql) }}
) as dump
    on {{ deltawave._same_key(settings.unique_key, 'changed', 'dump') }}
{%- endif %}
{%- endmacro -%}

{# The columns that the covering copy has, in lower case; none where the model has no covering copy. #}
{%- macro _covered_names(job) -%}
  {%- set settings = job.settings -%}
  {%- if not settings.covering_copy -%}
    {{ return([]) }}
  {%- endif -%}
  {%- set names = deltawave._columns_of_query('select * from ' ~ deltawave._covering_copy(job)) | map(attribute='name') | map('lower') | list -%}
  {%- for column in settings.unique_key + [settings.updated_at] + ([settings.delete_flag] if settings.delete_flag else []) -%}
    {%- if column | lower not in names -%}
      {%- do deltawave._fail('covering_copy', {
        'model': job.name, 'relation': settings.covering_copy, 'column': column, 'columns': names | join(', '),
      }) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(names) }}
{%- endmacro -%}

{%- macro _covering_copy(job) -%}
  {{ return(deltawave._quoted_list(job.settings.covering_copy.replace('`', '').split('.')) | join('.')) }}
{%- endmacro -%}

{# Rows without a time-stamp are read at every run: they are either an error or inserts, see null_timestamp. #}
{%- macro _since(job, progress) -%}
  {%- set updated_at = deltawave._quoted(job.settings.updated_at) -%}
  {%- if not progress.high_water -%}
    {{ return('true') }}
  {%- endif -%}
  {{ return('(' ~ updated_at ~ ' >= ' ~ deltawave._low_mark(job, progress) ~ ' or ' ~ updated_at ~ ' is null)') }}
{%- endmacro -%}

{# The high-water mark less the overlap. #}
{%- macro _low_mark(job, progress) -%}
  {%- set low = deltawave._bound_literal(progress.high_water, job.time_type) -%}
  {%- set overlap = job.settings.overlap -%}
  {%- if overlap -%}
    {%- set low = low ~ ' - ' ~ (overlap if overlap is integer else "interval '" ~ overlap ~ "'") -%}
  {%- endif -%}
  {{ return(low) }}
{%- endmacro -%}

{# The model's select; where a remote can leave out older rows, without them. #}
{%- macro _newer_rows(job, progress) -%}
  {%- if not job.remote or not progress.high_water -%}
    {{ return(job.sql) }}
  {%- endif -%}
  {%- set condition = deltawave._since_at_remote(job, job.settings.updated_at, deltawave._low_mark(job, progress)) -%}
  {{ return(deltawave._source_rows(job, condition)) }}
{%- endmacro -%}

{%- macro _is_flagged(settings) -%}
  {{ return('coalesce(' ~ deltawave._quoted(settings.delete_flag) ~ ', false)' if settings.delete_flag else 'false') }}
{%- endmacro -%}

{#
  The next high-water mark, which never goes back. Rows ahead of the run's own clock don't move it: one of the far future would hide all
  that comes before it. A source in which nothing is as new as what was read before has lost rows, or its clock was turned back.
#}
{%- macro _watch_time(job, batch, progress) -%}
  {%- set updated_at = deltawave._quoted(job.settings.updated_at) -%}
  {%- set limit = {
    'timestamp': deltawave._timestamp(deltawave._utc(run_started_at)),
    'timestamp_ntz': 'cast(' ~ deltawave._timestamp(deltawave._utc(run_started_at)) ~ " as timestamp_ntz) + interval '1 day'",
    'date': 'cast(' ~ deltawave._timestamp(deltawave._utc(run_started_at)) ~ ' as date) + 1',
  }.get(job.time_type) -%}
  {%- set moment = 'if(' ~ updated_at ~ ' <= ' ~ limit ~ ', ' ~ updated_at ~ ', null)' if limit else updated_at -%}
  {%- set mark = 'max(' ~ moment ~ ')' -%}
  {%- if progress.high_water -%}
    {%- set mark = 'greatest(' ~ mark ~ ', ' ~ deltawave._bound_literal(progress.high_water, job.time_type) ~ ')' -%}
  {%- endif -%}
  {#- Flagged rows may be removed at the source, so that only the newest row that stays can be missed. -#}
  {%- set newest = 'max(if(is_flagged, null, ' ~ moment ~ '))' -%}
  {%- set newest = 'if(' ~ newest ~ ' >= ' ~ mark ~ ', ' ~ newest ~ ', null)' -%}
  {%- set reached = 'max(' ~ updated_at ~ ') >= ' ~ deltawave._bound_literal(progress.newest, job.time_type) if progress.newest else 'true' -%}
  {%- set sql -%}
select
    {{ deltawave._bound_text(mark, job.time_type) }} as high_water,
    {{ deltawave._bound_text(newest, job.time_type) }} as newest,
    coalesce({{ reached }}, false) as is_reached,
    count_if({{ updated_at }} is null) as without_time
from {{ batch.landed }}
  {%- endset -%}
  {%- set row = deltawave._run(job, sql).rows[0] -%}
  {%- if row[3] | int and job.settings.null_timestamp == 'fail' -%}
    {%- do deltawave._refuse(job, batch, 'null_timestamp', {'column': job.settings.updated_at, 'count': row[3]}) -%}
  {%- endif -%}
  {%- if row[2] | string | lower != 'true' -%}
    {%- do deltawave._refuse(job, batch, 'clock_back', {
      'column': job.settings.updated_at, 'was': progress.newest, 'is': deltawave._newest_of_source(job) or 'no row',
    }) -%}
  {%- endif -%}
  {%- do batch.update(progress={'high_water': row[0], 'newest': row[1]}) -%}
{%- endmacro -%}

{%- macro _newest_of_source(job) -%}
  {%- set newest = deltawave._bound_text('max(' ~ deltawave._quoted(job.settings.updated_at) ~ ')', job.time_type) -%}
  {%- set source = deltawave._covering_copy(job) if job.settings.covering_copy else '(' ~ job.sql ~ ')' -%}
  {{ return(deltawave._run(job, 'select ' ~ newest ~ ' as newest from ' ~ source).rows[0][0]) }}
{%- endmacro -%}

{#
  Keys of the slice, and those under which the kept side holds the slice's rows by their stable row id: an updated key is then a delete
  of the former key and an insert of the new one (CH98 3.5).
#}
{%- macro _keys_by_row_id(job, batch, last, scope) -%}
  {%- set row_id = deltawave._quoted(job.settings.row_id) -%}
{{ scope }}
union
select {{ deltawave._quoted_list(job.settings.unique_key, 'kept') | join(', ') }}
from {{ deltawave._kept_slice(job, batch, last) }} as kept
left semi join {{ batch.landed }} as landed
    on kept.{{ row_id }} = landed.{{ row_id }}
{%- endmacro -%}
