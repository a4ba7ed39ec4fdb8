{#
  What the next batch compares with. Whole dumps are kept as they landed (copy), or as they were accepted (held), placed by the hash of
  the key. For slices the rows are kept once in key order (base), or as checksums alone, and the log's batches since patch them: nothing
  is written for a batch but its changes. When the patches have grown to a fifth of the rows, the base is written anew.
#}
{%- macro _kept_kind(strategy) -%}
  {%- if strategy not in deltawave._slice_strategies() -%}
    {{ return('copy') }}
  {%- endif -%}
  {{ return('checksums' if strategy == 'row_checksum' else 'base') }}
{%- endmacro -%}

{# Decides what the batch is patched onto: the last kept side where it is what the strategy would keep, else one that is written now. #}
{%- macro _settle_kept(job, batch, last) -%}
  {%- set kind = deltawave._kept_kind(job.settings.strategy) -%}
  {%- set is_kept = last.kept.kind == kind and (kind != 'checksums' or last.summed == batch.summed) -%}
  {%- if is_kept -%}
    {%- do batch.update(kept_side=last.kept, kept_as_of=last.kept_as_of) -%}
  {%- else -%}
    {%- do deltawave._write_last_state(job, batch, last) -%}
  {%- endif -%}
  {%- if kind == 'base' -%}
    {#- What a strategy knows of its own ranges holds for their rows, wherever these are kept. -#}
    {%- set is_going_on = last.strategy_progress == job.settings.strategy if deltawave._has_own_ranges(job) else is_kept -%}
    {%- if last.ranges and is_going_on -%}
      {%- do batch.update(ranges=last.ranges) -%}
    {%- else -%}
      {%- do deltawave._cut_ranges(job, batch, last.rows_new) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{# Writes the kept side anew when its patches have come to a fifth of the rows; the batch's own changes are the first patches of that. #}
{%- macro _renew_kept(job, batch, last) -%}
  {%- if batch.kept_side == last.kept and deltawave._is_patched_much(job, last) -%}
    {%- if batch.kept_side.kind == 'checksums' -%}
      {%- do deltawave._write_kept(job, batch, deltawave._kept_checksums(job, batch), none, last.batch_id) -%}
    {%- else -%}
      {%- do deltawave._write_last_state(job, batch, last) -%}
    {%- endif -%}
    {%- if batch.kept_side.kind == 'base' and not deltawave._has_own_ranges(job) -%}
      {%- do deltawave._cut_ranges(job, batch, last.rows_new) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{%- macro _write_last_state(job, batch, last) -%}
  {%- set columns = last.columns | selectattr('in_copy') | list -%}
  {%- do deltawave._write_kept(job, batch, deltawave._kept_rows(job, last, columns), columns, last.batch_id) -%}
{%- endmacro -%}

{# Strategies that compare by ranges keep count of what is in them; for the others ranges only lead to kept rows. #}
{%- macro _has_own_ranges(job) -%}
  {{ return(job.settings.strategy in ['ranges', 'range_checksum']) }}
{%- endmacro -%}

{# The first slice is the whole table. #}
{%- macro _keep_first_slice(job, batch) -%}
  {%- set columns = batch.columns -%}
  {%- set names = deltawave._quoted_list(columns | map(attribute='name')) | join(', ') -%}
  {%- do deltawave._write_kept(job, batch, 'select ' ~ names ~ ' from ' ~ batch.new, columns, batch.batch_id) -%}
  {%- if batch.kept_side.kind == 'base' -%}
    {%- do deltawave._cut_ranges(job, batch, batch.rows_new) -%}
    {%- if deltawave._has_own_ranges(job) -%}
      {%- set ranges = deltawave._read_ranges(job, batch) -%}
      {%- do deltawave._renew_ranges(job, batch, ranges, ranges, ranges) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{# Writes the state that batch as_of left, in the strategy's form. columns: of the rows; none where they are checksums already. #}
{%- macro _write_kept(job, batch, rows, columns, as_of) -%}
  {%- set side = {'kind': deltawave._kept_kind(job.settings.strategy), 'batch_id': batch.batch_id, 'attempt': batch.attempt} -%}
  {%- set table = deltawave._attempt_relation(job, side) -%}
  {%- if side.kind == 'base' -%}
    {%- do deltawave._create_base(job, table, rows, columns) -%}
  {%- else -%}
    {%- do deltawave._create_checksums(job, batch, table, deltawave._summed_rows(job, batch, rows) if columns else rows) -%}
  {%- endif -%}
  {%- do batch.update(kept_side=dict(side, rows=deltawave._row_count(job, table)), kept_as_of=as_of) -%}
{%- endmacro -%}

{# Has the log since the base come to more than a fifth of the rows? #}
{%- macro _is_patched_much(job, last) -%}
  {%- set sql -%}
select coalesce(sum(inserts + deletes + updates), 0) as patches
from {{ job.batches }}
where batch_id > {{ last.kept_as_of }} and batch_id <= {{ last.batch_id }}
  {%- endset -%}
  {{ return(last.kept_as_of < last.batch_id and deltawave._run(job, sql).rows[0][0] | int * 5 > last.rows_new) }}
{%- endmacro -%}

{# The kept side in key order, so that a few key ranges are read without the rest. #}
{%- macro _create_base(job, table, select, columns) -%}
  {%- set keys = deltawave._quoted_list(job.settings.unique_key) | join(', ') -%}
  {%- set sql -%}
create table {{ table }}
using {{ job.settings.copy_format }}
{{ deltawave._name_mapping(job.settings.copy_format, columns) }}
as
with side as (
    {{ deltawave._indented(select) }}
)

select /*+ repartition_by_range({{ deltawave._buckets(job) }}, {{ keys }}) */
    {%- for column in columns %}
    {{ deltawave._quoted(column.name) }},
    {%- endfor %}
    {{ deltawave._key_hash('side', job.settings.unique_key) }} as key_hash
from side
sort by {{ keys }}
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
{%- endmacro -%}

{#
  The rows that stand after the last batch of `record`, as a select of `columns`; condition: on the key's columns, as it is given to both
  the kept side and the log, so that only a part of either is read.
#}
{%- macro _kept_rows(job, record, columns, condition='true') -%}
  {%- set keys = job.settings.unique_key -%}
  {%- set names = columns | map(attribute='name') | list -%}
  {%- set is_base = record.kept.kind not in ['log', 'checksums'] -%}
  {%- set log = '(select * from ' ~ job.target ~ ' where ' ~ condition ~ ')' -%}
  {%- if not is_base -%}
    {{ return(deltawave.current_state(log, keys, columns=names)) }}
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

{# The kept rows that a slice is compared with: of those keys that `scope` (a select of keys) names, or of some key intervals. #}
{%- macro _kept_slice(job, batch, last, condition='true', scope=none) -%}
  {%- set columns = batch.columns | selectattr('in_old') | list -%}
  {%- set kept = dict(last, kept=batch.kept_side, kept_as_of=batch.kept_as_of) -%}
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

{# A condition that leaves out most of what a slice of scattered keys is not compared with: the ranges in which its keys lie. #}
{%- macro _ranges_of_slice(job, batch) -%}
  {%- set ranges = deltawave._read_ranges(job, batch) -%}
  {%- set lows = deltawave._attempt_relation(job, batch.ranges) -%}
  {%- set placed = deltawave._placed(job, batch.landed, [], lows, ranges | length) -%}
  {%- set touched = [] -%}
  {%- for row in deltawave._run(job, 'select distinct range_id from (\n' ~ placed ~ '\n)').rows -%}{%- do touched.append(row[0] | int) -%}{%- endfor -%}
  {%- set chosen = deltawave._in_few_places(ranges, ranges | selectattr('range_id', 'in', touched) | list) -%}
  {{ return(deltawave._ranges_condition(job, ranges, chosen)) }}
{%- endmacro -%}

{# The condition that a key lies in some of the ranges. #}
{%- macro _ranges_condition(job, ranges, chosen) -%}
  {#- Of none, that of one: Spark 4.1 fails on a full outer join with a side that it knows to be empty. -#}
  {%- set chosen = chosen or ranges[:1] -%}
  {%- if chosen | length == ranges | length -%}
    {{ return('true') }}
  {%- endif -%}
  {{ return(deltawave._in_intervals(deltawave._key_columns(job), deltawave._intervals(chosen))) }}
{%- endmacro -%}
