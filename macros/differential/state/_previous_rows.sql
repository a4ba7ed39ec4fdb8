{#
  The rows after the last batch of `record`, as a select of `columns`. condition: on the key's columns; it applies to both the state and the log, so
  that only a part of each is read.
#}
{%- macro _previous_rows(job, record, columns, condition='true') -%}
  {%- set keys = job.settings.unique_key -%}
  {%- set names = columns | map(attribute='name') | list -%}
  {%- set log = '(select * from ' ~ job.target ~ ' where ' ~ condition ~ ')' -%}
  {%- if not deltawave._form_of(record.state).has_rows -%}
    {{ return(deltawave.current_state(log, keys, columns=columns, duplicate_keys=job.settings.duplicate_keys)) }}
  {%- endif -%}
  {%- set base -%}
select
    {{ deltawave._quoted_list(names) | join(',\n    ') }}
from {{ deltawave._attempt_relation(job, record.state) }}
where {{ condition }}
  {%- endset -%}
  {%- if record.state.as_of == record.batch_id -%}
    {{ return(base) }}
  {%- endif -%}
  {%- set changes = deltawave._last_changes(log, keys, names, from_batch=record.state.as_of + 1) -%}
  {{ return(deltawave._rebuild('(' ~ deltawave._indented(base) ~ ')', keys, names, names, changes)) }}
{%- endmacro -%}

{#
  The previous rows that a whole dump is compared with: {rows, is_logged, files}. rows: a relation with the key's hash; files: states whose files must not
  change until the batch is counted. A column that is compared for the first time, or with another tolerance, is compared with the log: a dump also has
  changes that were not logged.
#}
{%- macro _previous_dump(job, batch, last) -%}
  {%- set form = deltawave._form_of(last.state) -%}
  {%- set is_in_log = deltawave._is_compared_otherwise(job, batch, last) and not batch.is_baseline -%}
  {%- if form.read and not is_in_log and (not form.in_place or deltawave._form_for(job.strategy).in_place) -%}
    {%- set files = [last.state] if form.in_place else [] -%}
    {%- do deltawave._require_files(job, batch, files) -%}
    {{ return({'rows': deltawave._macro_named(form.read)(job, batch, last.state), 'is_logged': false, 'files': files}) }}
  {%- endif -%}
  {%- set known = deltawave._as_logged(last) if is_in_log else last -%}
  {%- set sql -%}
(
    select
        previous.*,
        {{ deltawave._key_hash('previous', job.settings.unique_key) }} as key_hash
    from (
        {{ deltawave._indented(deltawave._previous_rows(job, known, last.columns | selectattr('in_copy') | list)) }}
    ) as previous
)
  {%- endset -%}
  {{ return({'rows': sql, 'is_logged': known.state == deltawave._log_alone(), 'files': []}) }}
{%- endmacro -%}

{# Does the batch compare a column that the last one did not compare, or with another tolerance? In a bag all columns are always compared. #}
{%- macro _is_compared_otherwise(job, batch, last) -%}
  {%- if job.settings.duplicate_keys == 'multiset' -%}{{ return(false) }}{%- endif -%}
  {%- set compared = {} -%}
  {%- for column in last.columns if column.is_compared -%}{%- do compared.update({column.name | lower: column.tolerance}) -%}{%- endfor -%}
  {%- for column in batch.columns if column.in_old and column.is_chosen and not column.is_key -%}
    {%- if compared.get(column.name | lower, 'no') != column.tolerance -%}{{ return(true) }}{%- endif -%}
  {%- endfor -%}
  {{ return(false) }}
{%- endmacro -%}

{# The previous rows that a slice is compared with: those whose keys `scope` (a select of keys) names, or those in some key intervals. #}
{%- macro _previous_slice(job, batch, last, condition='true', scope=none) -%}
  {%- set rows = deltawave._previous_rows(job, last, batch.columns | selectattr('in_old') | list, condition) -%}
  {%- if scope is none -%}
    {{ return('(\n' ~ rows ~ '\n)') }}
  {%- endif -%}
  {%- set sql -%}
(
    select previous.*
    from (
        {{ deltawave._indented(rows) }}
    ) as previous
    left semi join (
        {{ deltawave._indented(scope) }}
    ) as scope
        on {{ deltawave._same_key(job.settings.unique_key, 'previous', 'scope') }}
)
  {%- endset -%}
  {{ return(sql) }}
{%- endmacro -%}

{# A condition that skips most previous rows that a slice of scattered keys is not compared with: the ranges of its keys. #}
{%- macro _ranges_of_slice(job, batch, last) -%}
  {%- set ranges = deltawave._read_ranges(job, batch, last.ranges) -%}
  {%- set lows = deltawave._attempt_relation(job, last.ranges) -%}
  {%- set placed = deltawave._placed(job, batch.landed, [], lows, ranges | length) -%}
  {%- set touched = [] -%}
  {%- for row in deltawave._run(job, 'select distinct range_id from (\n' ~ placed ~ '\n)').rows -%}{%- do touched.append(row[0] | int) -%}{%- endfor -%}
  {%- set chosen = deltawave._in_few_places(ranges, ranges | selectattr('range_id', 'in', touched) | list) -%}
  {{ return(deltawave._ranges_condition(job, ranges, chosen)) }}
{%- endmacro -%}
