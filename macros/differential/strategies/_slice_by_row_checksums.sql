{#
  TLCS (CH98 3.3): the state has one checksum per key. The source's keys and checksums, both narrow, are joined with
  it; only rows whose checksum differs are fetched whole. Before images come from the log, if it still has them.

  The source is read twice, and may change in between. The first read finds candidate keys; only rows of the second
  read are logged and recorded in the
  state: rows that the source had. Changes that the first read missed are found in the next run.
#}
{%- macro default___slice_by_row_checksums(job, batch, last) -%}
  {%- if not last -%}
    {%- do deltawave._create_slice(
      job, batch, 'select ' ~ deltawave._dump_names(batch) | join(', ') ~ ' from (\n' ~ job.sql ~ '\n)'
    ) -%}
    {{ return(deltawave._reading(incoming=batch.landed)) }}
  {%- endif -%}
  {%- do deltawave._create_slice(job, batch, deltawave._differing_rows(job, batch, last)) -%}
  {%- set checksum = deltawave._checksum_of(batch) -%}
  {{ return(deltawave._reading_of_differing(
    job, batch, 'if(is_there, not was_kept or row_checksum <> ' ~ checksum ~ ', was_kept)'
  )) }}
{%- endmacro -%}

{#
  The landed rows with was_kept and is_there: rows that differ by their checksums, and the keys of deleted ones. They
  are compared with the log or, if that does not have their previous rows, are the changes themselves; then also the
  last values of deletes are null. differs: whether a landed row differs.
#}
{%- macro _reading_of_differing(job, batch, differs) -%}
  {%- set has_rows = deltawave._log_has_all_rows(job, batch) -%}
  {%- set change_type = "case when not was_kept then 'insert' when not is_there then 'delete' else 'update' end" -%}
  {{ return(deltawave._reading(
    incoming='(select * from ' ~ batch.landed ~ ' where is_there)',
    old=deltawave._logged_rows(job, batch) if has_rows else none,
    changes=none if has_rows else deltawave._changes_without_before(job, batch, batch.landed, change_type, differs),
    checksums=batch.rows_old,
  )) }}
{%- endmacro -%}

{# Does the log have the row before each change? Not if it began without the rows of the first dump. #}
{%- macro _log_has_all_rows(job, batch) -%}
  {{ return(not batch.is_baseline and job.settings.before_image != 'none') }}
{%- endmacro -%}

{# The previous rows of the differing keys, from the log. #}
{%- macro _logged_rows(job, batch) -%}
  {%- set keys = job.settings.unique_key -%}
  {%- set names = batch.columns | selectattr('in_old') | map(attribute='name') | list -%}
  {%- set log -%}
(
    select log.*
    from {{ job.target }} as log
    left semi join {{ batch.landed }} as landed
        on {{ deltawave._same_key(keys, 'log', 'landed') }}
)
  {%- endset -%}
  {%- set rows = '(\n' ~ deltawave.current_state(log, keys, columns=names) ~ '\n)' -%}
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

{# New rows, rows whose checksum differs from the previous one, which comes with them, and the keys of deleted rows. #}
{%- macro _differing_rows(job, batch, last) -%}
  {%- set keys = job.settings.unique_key -%}
  {%- set quoted = deltawave._quoted_list(keys) -%}
with dump as (
    {{ deltawave._indented(job.sql) }}
),

summed as (
    select
        {{ quoted | join(',\n        ') }},
        {{ deltawave._key_hash('dump', keys) }} as key_hash,
        count(*) as `_copies`,
        max({{ deltawave._checksum_of(batch) }}) as row_checksum
    from dump
    group by {{ quoted | join(', ') }}
),

previous as (
    {{ deltawave._indented(deltawave._macro_named(deltawave._form_of(last.state).patched)(job, batch, last)) }}
),

differing as (
    select
        {%- for key in quoted %}
        if(summed.key_hash is null, previous.{{ key }}, summed.{{ key }}) as {{ key }},
        {%- endfor %}
        previous.key_hash is not null as was_kept,
        previous.row_checksum
    from summed
    full outer join previous
        on summed.key_hash = previous.key_hash and {{ deltawave._same_key(keys, 'summed', 'previous') }}
    where summed.key_hash is null
        or previous.key_hash is null
        or summed.`_copies` > 1
        or summed.row_checksum <> previous.row_checksum
)

select
    {%- for column in batch.columns %}
    {{ 'differing' if column.is_key else 'dump' }}.{{ deltawave._quoted(column.name) }},
    {%- endfor %}
    differing.was_kept,
    differing.row_checksum,
    dump.is_there is not null as is_there
from differing
left join (select *, true as is_there from dump) as dump
    on {{ deltawave._same_key(keys, 'differing', 'dump') }}
{%- endmacro -%}
