{#
  TS and TDI (CH98 3.2): the rows whose timestamp is in the closed interval from the last high-water mark, minus the
  overlap, to the newest timestamp. Rows at the mark and within the overlap are read and compared again, so ties and
  late rows are found and nothing is reported twice. A flagged row is a delete; a row created and flagged between two
  runs makes no change. ATDI is the same over a covering copy, which the model's select reads.
#}
{%- macro default___slice_by_time(job, batch, last) -%}
  {#- If all rows are compared, ignore the mark. -#}
  {%- set since = {} if batch.compares_all else batch.resumed -%}
  {%- do deltawave._create_slice(job, batch, deltawave._rows_by_time(job, batch, since)) -%}
  {%- set progress = deltawave._watch_time(job, batch, since) -%}
  {%- set incoming = '(select * from ' ~ batch.landed ~ ' where not is_flagged)' if job.settings.delete_flag
      else batch.landed -%}
  {%- set old = deltawave._previous_by_time(job, batch, last) if last else none -%}
  {%- if last and since.high_water and (job.settings.delete_flag or job.settings.row_id) -%}
    {%- do deltawave._land_standing_rows(job, batch, old, incoming) -%}
  {%- endif -%}
  {%- if last and not since.high_water -%}{%- do deltawave._warn_of_unselected(job, batch, last, old) -%}{%- endif -%}
  {%- if last and job.settings.delete_flag -%}
    {%- set old = deltawave._with_flagged_time(job, batch, old) -%}
  {%- endif -%}
  {{ return(deltawave._reading(incoming=incoming, old=old, progress=progress)) }}
{%- endmacro -%}

{# The previous rows of the slice's keys; with row_id also those with another key. #}
{%- macro _previous_by_time(job, batch, last) -%}
  {%- set scope = 'select ' ~ deltawave._quoted_list(job.settings.unique_key) | join(', ') ~ ' from ' ~ batch.landed -%}
  {%- if job.settings.row_id -%}
    {{ return(deltawave._previous_slice(job, batch, last, scope=deltawave._keys_by_row_id(job, batch, last, scope))) }}
  {%- endif -%}
  {{ return(deltawave._previous_slice(job, batch, last, deltawave._ranges_of_slice(job, batch, last), scope)) }}
{%- endmacro -%}

{#
  The rows of the interval: the log's columns, and whether the row is flagged as deleted. Rows without a timestamp are
  read in every run: they are either an error or inserts, see null_timestamp.
#}
{%- macro _rows_by_time(job, batch, since) -%}
{%- set updated_at = deltawave._quoted(job.settings.updated_at) -%}
select
    {{ deltawave._dump_names(batch) | join(',\n    ') }},
    {{ job.flag.sql }} as is_flagged
from (
    {{ deltawave._indented(deltawave._newer_rows(job, since)) }}
)
{%- if since.high_water %}
where ({{ updated_at }} >= {{ deltawave._low_mark(job, since) }} or {{ updated_at }} is null)
{%- endif -%}
{%- endmacro -%}

{# The high-water mark minus the overlap; for dates in whole days, at least the overlap. #}
{%- macro _low_mark(job, since) -%}
  {%- set low = deltawave._bound_literal(since.high_water, job.time_type) -%}
  {%- set overlap = job.settings.overlap -%}
  {%- if overlap -%}
    {%- set low = low ~ ' - ' ~ (overlap if overlap is integer else "interval '" ~ overlap ~ "'") -%}
    {#- A date minus some hours is a time on the day before. The cast makes it that day, so that its rows are read. -#}
    {%- if job.time_type == 'date' -%}{%- set low = 'cast(' ~ low ~ ' as date)' -%}{%- endif -%}
  {%- endif -%}
  {{ return(low) }}
{%- endmacro -%}

{# The model's select; at a remote that can filter by time, without older rows. #}
{%- macro _newer_rows(job, since) -%}
  {%- if not job.remote or not since.high_water -%}
    {{ return(job.sql) }}
  {%- endif -%}
  {%- set condition = deltawave._since_at_remote(job, job.settings.updated_at, deltawave._low_mark(job, since)) -%}
  {{ return(deltawave._source_rows(job, condition)) }}
{%- endmacro -%}

{#
  Keys of the slice, and keys that rows with the same stable row id have in the previous state: so an updated key
  becomes a delete of the old key and an insert of the new one (CH98 3.5).
#}
{%- macro _keys_by_row_id(job, batch, last, scope) -%}
  {%- set row_id = deltawave._quoted(job.settings.row_id) -%}
{{ scope }}
union
select {{ deltawave._quoted_list(job.settings.unique_key, 'previous') | join(', ') }}
from {{ deltawave._previous_slice(job, batch, last) }} as previous
left semi join {{ batch.landed }} as landed
    on previous.{{ row_id }} = landed.{{ row_id }}
{%- endmacro -%}

{#
  Warns of previous rows that the select no longer returns, which only a run that reads all rows notices. They are not
  deleted, since other runs would not notice them.
#}
{%- macro _warn_of_unselected(job, batch, last, old) -%}
  {%- set unselected -%}
(
    select previous.*
    from {{ deltawave._indented(deltawave._previous_slice(job, batch, last)) }} as previous
    left anti join {{ deltawave._indented(old) }} as old
        on {{ deltawave._same_key(job.settings.unique_key, 'previous', 'old') }}
)
  {%- endset -%}
  {%- set count = deltawave._row_count(job, unselected) -%}
  {%- if count -%}
    {%- do exceptions.warn(deltawave._message('unselected', {
      'model': job.name, 'batch': batch.label, 'count': count, 'strategy': job.strategy.name,
    })) -%}
  {%- endif -%}
{%- endmacro -%}
