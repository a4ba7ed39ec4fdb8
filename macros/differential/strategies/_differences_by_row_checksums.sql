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
    {{ return(deltawave._reading_of_whole_dump(job, batch, last, rows)) }}
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

{# The whole dump as it landed and, unless it is the first one, the previous rows to join it with. #}
{%- macro _reading_of_whole_dump(job, batch, last, rows) -%}
  {%- do deltawave._create_slice(job, batch, rows) -%}
  {%- set old = deltawave._previous_dump(job, batch, last) if last else none -%}
  {%- set counted = none if last or not job.strategy.library
      else deltawave._counted_in_files(job, batch, 'count_keys', {'rows': batch.landed | string}) -%}
  {{ return(deltawave._reading(incoming=batch.landed, old=old, counted=counted, is_whole=true)) }}
{%- endmacro -%}

{#
  A table of the keys that are new, gone, or there more than once, or whose checksum differs: each once, with its
  previous checksum.
#}
{%- macro _differing_keys(job, batch, last, rows) -%}
  {%- set keys = deltawave._quoted_list(job.settings.unique_key) -%}
  {%- set table = deltawave._attempt_relation(job, deltawave._own_table(batch, 'keys')) -%}
  {%- set sql -%}
create table {{ table }}
using {{ deltawave._state_format() }}
{{ deltawave._name_mapping(deltawave._state_format(), deltawave._key_columns(job)) }}
as
with dump as (
    {{ deltawave._indented(rows) }}
),

{# Placed as the state is. -#}
summed as (
    select /*+ repartition({{ deltawave._buckets(job) }}, key_hash) */
        {{ keys | join(',\n        ') }},
        {{ deltawave._key_hash('dump', job.settings.unique_key) }} as key_hash,
        {{ deltawave._checksum_cells(batch) | join(',\n        ') }}
    from dump
),

numbered as (
    select
        *,
        row_number() over (partition by key_hash, {{ keys | join(', ') }} order by key_hash) as `_copy`
    from summed
),

previous as (
    {{ deltawave._indented(deltawave._macro_named(deltawave._form_of(last.state).patched)(job, batch, last)) }}
)

select distinct
    {%- for key in keys %}
    if(numbered.key_hash is null, previous.{{ key }}, numbered.{{ key }}) as {{ key }},
    {%- endfor %}
    previous.key_hash is not null as was_kept,
    previous.row_checksum,
    previous.row_checksum_high
from numbered
full outer join previous
    on numbered.key_hash = previous.key_hash
        and {{ deltawave._same_key(job.settings.unique_key, 'numbered', 'previous') }}
where numbered.key_hash is null
    or previous.key_hash is null
    or numbered.`_copy` > 1
    or {{ deltawave._checksums_differ(['previous.row_checksum', 'previous.row_checksum_high'], 'numbered.') }}
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {{ return({'table': table | string, 'count': deltawave._row_count(job, table)}) }}
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
with differing as (
    select * from {{ keys.table }}
),

dump as (
    {{ deltawave._indented(rows) }}
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
  A hint by which each task gets all of these keys, so that the rows which they are joined with are not exchanged; none
  if they may not fit in its memory: more than a million, or a hundred thousand that may be wide texts.
#}
{%- macro _broadcast_if_few(job, count, alias) -%}
  {%- set types = deltawave._key_columns(job) | map(attribute='data_type') | join(' ') | lower -%}
  {%- set few = adapter.dispatch('_few_keys', 'deltawave')() -%}
  {%- set limit = few // 10 if modules.re.search('string|char|binary|<', types) else few -%}
  {{ return(' /*+ broadcast(' ~ alias ~ ') */' if count is not none and count <= limit else '') }}
{%- endmacro -%}

{%- macro default___few_keys() -%}{{ return(1000000) }}{%- endmacro -%}

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
