{#
  The rows after the last batch of `record`, as a select of `columns`. condition: on the key's columns; it applies to both the kept side and the
  log, so that only a part of each is read.
#}
{%- macro _kept_rows(job, record, columns, condition='true') -%}
  {%- set keys = job.settings.unique_key -%}
  {%- set names = columns | map(attribute='name') | list -%}
  {%- set is_base = record.kept.kind not in ['log', 'files', 'checksums', 'hashes'] -%}
  {%- set log = '(select * from ' ~ job.target ~ ' where ' ~ condition ~ ')' -%}
  {%- if not is_base -%}
    {{ return(deltawave.current_state(log, keys, columns=columns, duplicate_keys=job.settings.duplicate_keys)) }}
  {%- endif -%}
  {%- set base -%}
select
    {{ deltawave._quoted_list(names) | join(',\n    ') }}
from {{ deltawave._attempt_relation(job, record.kept) }}
where {{ condition }}
  {%- endset -%}
  {%- if record.kept_as_of == record.batch_id -%}
    {{ return(base) }}
  {%- endif -%}
  {%- set changes = deltawave._last_changes(log, keys, names, from_batch=record.kept_as_of + 1) -%}
  {{ return(deltawave._rebuild('(' ~ deltawave._indented(base) ~ ')', keys, names, names, changes)) }}
{%- endmacro -%}

{# The kept rows that a slice is compared with: those whose keys `scope` (a select of keys) names, or those in some key intervals. #}
{%- macro _kept_slice(job, batch, last, condition='true', scope=none) -%}
  {%- set columns = batch.columns | selectattr('in_old') | list -%}
  {%- set kept = dict(last, kept=batch.kept, kept_as_of=batch.kept_as_of) -%}
  {%- set rows = deltawave._kept_rows(job, kept, columns, condition) -%}
  {%- if scope is none -%}
    {{ return('(\n' ~ rows ~ '\n)') }}
  {%- endif -%}
  {%- set sql -%}
(
    select kept.*
    from (
        {{ deltawave._indented(rows) }}
    ) as kept
    left semi join (
        {{ deltawave._indented(scope) }}
    ) as scope
        on {{ deltawave._same_key(job.settings.unique_key, 'kept', 'scope') }}
)
  {%- endset -%}
  {{ return(sql) }}
{%- endmacro -%}

{# A condition that skips most kept rows that a slice of scattered keys is not compared with: the ranges of its keys. #}
{%- macro _ranges_of_slice(job, batch) -%}
  {%- set ranges = deltawave._read_ranges(job, batch) -%}
  {%- set lows = deltawave._attempt_relation(job, batch.ranges) -%}
  {%- set placed = deltawave._placed(job, batch.landed, [], lows, ranges | length) -%}
  {%- set touched = [] -%}
  {%- for row in deltawave._run(job, 'select distinct range_id from (\n' ~ placed ~ '\n)').rows -%}{%- do touched.append(row[0] | int) -%}{%- endfor -%}
  {%- set chosen = deltawave._in_few_places(ranges, ranges | selectattr('range_id', 'in', touched) | list) -%}
  {{ return(deltawave._ranges_condition(job, ranges, chosen)) }}
{%- endmacro -%}

{# The record with the log itself as the kept side: a copy of a dump also holds changes that were not logged. #}
{%- macro _as_logged(record) -%}{{ return(dict(record, kept={'kind': 'log'})) }}{%- endmacro -%}

{# Is the kept side a copy of a dump, placed by the key's hash or in the dump's order? #}
{%- macro _is_copy(kept) -%}{{ return(kept.kind in ['copy', 'accepted', 'ordered']) }}{%- endmacro -%}
