{#
  TLCS (CH98 3.3): the state has one checksum per key, in two halves. The dump's keys and checksums, both narrow, are
  joined with it, and nothing else is exchanged: the keys that differ are few, and fetch their rows from the dump and
  from the log. A dump with other columns is landed whole, and joined as under outer_join.

  The source is read twice, and may change in between. The first read finds keys; only rows of the second read are
  logged and recorded in the state: rows that the source had. Changes that the first read missed are found in the next
  run.
#}
{%- macro default___differences_by_row_checksums(job, batch, last) -%}
  {%- set rows = deltawave._named_rows(job, batch) -%}
  {%- if not last or deltawave._has_drifted(job, batch, last) -%}
    {%- set reading = deltawave._reading_of_whole_dump(job, batch, last, rows) -%}
    {#- Of a first dump, the state is written before it is checked: it lies as its keys are counted, and is narrow. -#}
    {{ return(reading if last else dict(reading, state=deltawave._write_first_state(job, batch, reading.incoming))) }}
  {%- endif -%}
  {%- set keys = deltawave._differing_keys(job, batch, last, rows) -%}
  {%- if not keys.count and deltawave._may_be_idle(job, batch, last)
      and deltawave._row_count(job, deltawave._attempt_relation(job, last.state)) == last.state.rows -%}
    {{ return(deltawave._reading(incoming=none, is_idle=true)) }}
  {%- endif -%}
  {%- do deltawave._create_slice(job, batch, deltawave._differing_rows(job, batch, rows, keys)) -%}
  {%- set is_other = deltawave._checksums_differ(deltawave._checksums_of(batch)) -%}
  {{ return(deltawave._reading_of_differing(
    job, batch, 'if(is_there, not was_kept or ' ~ is_other ~ ', was_kept)', keys
  )) }}
{%- endmacro -%}

{#
  The whole dump and, unless it is the first one, the previous rows to join it with. A first dump that is nothing but
  columns of Parquet files, whose changes are noticed (see _source_fingerprint), is read several times; others land.
#}
{%- macro _reading_of_whole_dump(job, batch, last, rows) -%}
  {%- set is_read_again = not last and batch.is_repeatable and deltawave._is_plain_scan(rows) -%}
  {%- if is_read_again -%}
    {%- do deltawave._mark_attempt(job, batch) -%}
  {%- else -%}
    {%- do deltawave._create_slice(job, batch, rows) -%}
  {%- endif -%}
  {%- set counted = none if last or not job.strategy.library else deltawave._counted_in_files(
    job, batch, 'count_keys', {'rows': deltawave._in_parentheses(rows) if is_read_again else batch.landed | string}
  ) -%}
  {{ return(deltawave._reading(
    incoming=deltawave._in_parentheses(deltawave._hashed_slice(job, rows, is_balanced=false))
      if is_read_again else batch.landed,
    old=deltawave._previous_dump(job, batch, last) if last else none,
    counted=counted,
    is_whole=true,
    unlanded=rows if is_read_again else none,
  )) }}
{%- endmacro -%}

{#
  A table of the keys that are new, missing, or there more than once, or whose checksum differs: each once, with its
  previous checksum. The changes that the log has had since the state was written are placed and gathered with the dump:
  the state itself is not exchanged.
#}
{%- macro _differing_keys(job, batch, last, rows) -%}
  {%- set keys = deltawave._quoted_list(job.settings.unique_key) -%}
  {%- set table = deltawave._attempt_relation(job, deltawave._own_table(batch, 'keys')) -%}
  {%- set is_patched = last.state.as_of != last.batch_id -%}
  {%- do deltawave._refuse_cut_keys(job) -%}
  {%- set sql -%}
create table {{ table }}
using {{ deltawave._state_format() }}
{{ deltawave._name_mapping(deltawave._state_format(), deltawave._key_columns(job)) }}
as
with dump as (
    {{ deltawave._indented(rows) }}
),
{%- if is_patched %}

last_changes as (
    {{ deltawave._indented(deltawave._logged_since(job, batch, last)) }}
),
{%- endif %}

summed as (
    {{ deltawave._indented(deltawave._summed(job, batch, 'dump', 1, 'cast(null as boolean)')) }}
    {%- if is_patched %}
    union all
    {{ deltawave._indented(deltawave._summed(job, batch, 'last_changes', 0, "`_change_type` = 'delete'")) }}
    {%- endif %}
),

{# As the state is. Only numbers are gathered: for texts, Spark would sort the rows. -#}
placed as (
    select /*+ repartition({{ deltawave._buckets(job) }}, key_hash) */ *
    from summed
),

gathered as (
    select
        {{ keys | join(',\n        ') }},
        key_hash,
        sum(is_there) as is_there,
        max(if(is_there = 1, row_checksum, null)) as row_checksum,
        max(if(is_there = 1, row_checksum_high, null)) as row_checksum_high,
        max(is_flagged) as is_flagged,
        max(if(is_there = 0, row_checksum, null)) as last_checksum,
        max(if(is_there = 0, row_checksum_high, null)) as last_checksum_high
    from placed
    group by {{ keys | join(', ') }}, key_hash
),

previous as (
    {{ deltawave._indented(deltawave._recorded_checksums(job, last)) }}
),

paired as (
    select
        {%- for key in keys %}
        if(gathered.key_hash is null, previous.{{ key }}, gathered.{{ key }}) as {{ key }},
        {%- endfor %}
        coalesce(gathered.is_there, 0) as is_there,
        gathered.row_checksum,
        gathered.row_checksum_high,
        if(gathered.is_flagged is null, previous.key_hash is not null, not gathered.is_flagged) as was_kept,
        if(gathered.is_flagged is null, previous.row_checksum, gathered.last_checksum) as last_checksum,
        if(gathered.is_flagged is null, previous.row_checksum_high, gathered.last_checksum_high) as last_checksum_high
    from gathered
    full outer join previous
        on gathered.key_hash = previous.key_hash
            and {{ deltawave._same_key(job.settings.unique_key, 'gathered', 'previous') }}
)

select
    {{ keys | join(',\n    ') }},
    was_kept,
    if(was_kept, last_checksum, null) as row_checksum,
    if(was_kept, last_checksum_high, null) as row_checksum_high
from paired
where is_there <> if(was_kept, 1, 0)
    or is_there = 1 and {{ deltawave._checksums_differ(['last_checksum', 'last_checksum_high']) }}
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {{ return({'table': table | string, 'count': deltawave._row_count(job, table)}) }}
{%- endmacro -%}

{# Refuses keys that Spark cuts as it writes them: their rows would not be found in the second reading. #}
{%- macro _refuse_cut_keys(job) -%}
  {%- set setting = 'spark.sql.parquet.outputTimestampType' -%}
  {%- for column in deltawave._key_columns(job) if 'timestamp' in column.data_type | lower -%}
    {%- if 'MILLIS' in (deltawave._run(job, 'set ' ~ setting).rows[0][1] | upper) -%}
      {%- do deltawave._fail('cut_key', {'model': job.name, 'column': column.name, 'setting': setting}) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}

{#
  The keys and checksums of some rows. is_there: 1 for those of the dump, 0 for changes of the log; is_flagged: whether
  a change is a delete, as an expression.
#}
{%- macro _summed(job, batch, rows, is_there, is_flagged) -%}
select
    {{ deltawave._quoted_list(job.settings.unique_key) | join(',\n    ') }},
    {{ deltawave._key_hash(rows, job.settings.unique_key) }} as key_hash,
    {{ deltawave._checksum_cells(batch) | join(',\n    ') }},
    {{ is_there }} as is_there,
    {{ is_flagged }} as is_flagged
from {{ rows }}
{%- endmacro -%}

{# The condition that a checksum in columns is another one than these two halves. #}
{%- macro _checksums_differ(halves, alias='') -%}
  {{ return(
    '(' ~ alias ~ 'row_checksum <> ' ~ halves[0] ~ ' or ' ~ alias ~ 'row_checksum_high <> ' ~ halves[1] ~ ')'
  ) }}
{%- endmacro -%}

{# The dump's rows of those keys, and a row of the key alone where the dump has none now. #}
{%- macro _differing_rows(job, batch, rows, keys) -%}
  {%- set same_key = deltawave._same_key(job.settings.unique_key, 'differing', 'dump') -%}
with dump as (
    {{ deltawave._indented(rows) }}
),

differing as (
    select * from {{ keys.table }}
),

found as (
    select{{ deltawave._broadcast_if_few(job, keys.count, 'differing') }}
        dump.*,
        true as is_there
    from dump
    left semi join differing
        on {{ same_key }}
    {%- if not keys.count %}
    where false
    {%- endif %}
)

select
    {%- for column in batch.columns if column.in_new %}
    {{ 'differing' if column.is_key else 'dump' }}.{{ deltawave._quoted(column.name) }},
    {%- endfor %}
    differing.was_kept,
    differing.row_checksum,
    differing.row_checksum_high,
    dump.is_there is not null as is_there
from differing
left join found as dump
    on {{ same_key }}
{%- endmacro -%}

{#
  The landed rows with was_kept and is_there: rows that differ by their checksums, and the keys of deleted ones. They
  are compared with the log or, if that does not have their previous rows, are the changes themselves; then also the
  last values of deletes are null. differs: whether a landed row differs. keys: {table, count} of their keys.
#}
{%- macro _reading_of_differing(job, batch, differs, keys) -%}
  {%- set has_rows = deltawave._log_has_all_rows(job, batch) -%}
  {%- set change_type = "case when not was_kept then 'insert' when not is_there then 'delete' else 'update' end" -%}
  {{ return(deltawave._reading(
    incoming='(select * from ' ~ batch.landed ~ ' where is_there)',
    old=deltawave._logged_rows(job, batch, keys) if has_rows else none,
    changes=none if has_rows else deltawave._changes_without_before(job, batch, batch.landed, change_type, differs),
    checksums=batch.rows_old,
  )) }}
{%- endmacro -%}

{# Does the log have the row before each change? Not if it began without the rows of the first dump. #}
{%- macro _log_has_all_rows(job, batch) -%}
  {{ return(not batch.is_baseline and job.settings.before_image != 'none') }}
{%- endmacro -%}

{# The previous rows of the differing keys, from the log. #}
{%- macro _logged_rows(job, batch, keys) -%}
  {%- set unique_key = job.settings.unique_key -%}
  {%- set names = batch.columns | selectattr('in_old') | map(attribute='name') | list -%}
  {%- set log -%}
(
    select{{ deltawave._broadcast_if_few(job, keys.count, 'differing') }}
        log.*
    from {{ job.target }} as log
    left semi join {{ keys.table }} as differing
        on {{ deltawave._same_key(unique_key, 'log', 'differing') }}
)
  {%- endset -%}
  {%- set rows = '(\n' ~ deltawave.current_state(log, unique_key, columns=names) ~ '\n)' -%}
  {%- set files = deltawave._files_of_log(job, batch, names, batch.first_batch) -%}
  {{ return(deltawave._logged_rows_of_files(job, batch, files, rows) if files else rows) }}
{%- endmacro -%}

{#- The same rows by a Python library. #}
{%- macro _logged_rows_of_files(job, batch, files, rows) -%}
  {%- set relations = {'rows': rows, 'stored': files.stored, 'keys': batch.landed | string} -%}
  {%- set options = {
    'unique_key': deltawave._key_as_spelt(job.settings.unique_key, batch.columns),
    'partitions': files.partitions,
    'from_batch': files.from_batch,
    'memory_bytes': job.settings.memory_bytes,
  } -%}
  {{ return(deltawave._view_by_python(
    job, batch, 'deltawave.differencing.logged_rows.last_rows', relations, options, 'logged'
  )) }}
{%- endmacro -%}

{# A select of rows as changes of this type (an expression), whose before images and changed columns are not known. #}
{%- macro _changes_without_before(job, batch, rows, change_type, condition) -%}
select
    {%- for column in batch.columns %}
    {%- set name = deltawave._quoted(column.name) %}
    {{ name if column.in_new else 'cast(null as ' ~ column.data_type ~ ') as ' ~ name }},
    {%- endfor %}
    {%- for cell in deltawave._null_before(batch.columns, job.settings.before_image != 'none') %}
    {{ cell }},
    {%- endfor %}
    {{ change_type }} as change_type,
    cast(null as array<string>) as changed_columns
from {{ rows }}
where {{ condition }}
{%- endmacro -%}
