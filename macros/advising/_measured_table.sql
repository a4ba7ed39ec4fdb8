{#
  The known facts about a model, seed, snapshot or source: its unique_key, its remote, the date of its dumps, the
  wanted ones of rows, row_bytes and key_bytes, columns that are timestamps, and a note. A change log is measured by
  its current rows, since a dump of its source holds those; of dumps of several dates, the newest is measured.
#}
{%- macro _measured_table(name, wanted, snapshot_date=none) -%}
  {%- set node = deltawave._named_node('advise', name) -%}
  {%- set is_log = node.config.get('materialized') == 'differential' -%}
  {%- set settings = deltawave._differential_settings(node.name, node.config) if is_log else node.config -%}
  {%- set unique_key = settings.get('unique_key') or [] -%}
  {%- set unique_key = [unique_key] if unique_key is string else unique_key -%}
  {%- set measured = {'unique_key': unique_key} if unique_key else {} -%}
  {%- if settings.get('remote') -%}
    {%- do measured.update(is_remote=true, remote=settings.get('remote')) -%}
  {%- endif -%}
  {%- set date = snapshot_date or (settings.get('snapshot_date') if is_log else deltawave._date_of_folders(node)) -%}
  {%- if date -%}{%- do measured.update(snapshot_date=date) -%}{%- endif -%}
  {%- if not wanted -%}{{ return(measured) }}{%- endif -%}

  {%- set relation = adapter.get_relation(
    database=node.database, schema=node.schema, identifier=node.alias or node.identifier
  ) -%}
  {%- if not relation -%}
    {{ return(dict(measured, note=name ~ ' is not there yet, so it was not measured')) }}
  {%- endif -%}
  {%- set rows_of = 'select * from ' ~ relation -%}
  {%- if is_log -%}
    {%- set rows_of = deltawave.current_state(relation, unique_key, duplicate_keys=settings.duplicate_keys) -%}
  {%- endif -%}
  {%- set typed = deltawave._columns_of_query(rows_of) -%}
  {%- set columns = typed | map(attribute='name') | list -%}
  {%- if date and not is_log -%}
    {%- do deltawave._require_columns([date], columns, relation, 'advise') -%}
    {%- set quoted = deltawave._quoted(date) -%}
    {%- set rows_of = rows_of ~ '\nwhere ' ~ quoted ~ ' = (select max(' ~ quoted ~ ') from ' ~ relation ~ ')' -%}
  {%- endif -%}
  {%- set timestamps = [] -%}
  {%- for column in typed if column.data_type in ['timestamp', 'timestamp_ntz']
      and column.name | lower != (date or '') | lower -%}
    {%- do timestamps.append(column.name) -%}
  {%- endfor -%}
  {%- do measured.update(timestamps=timestamps) -%}
  {%- set columns = columns | reject('in', [date]) | list -%}
  {#- Values are measured as text, as a dump brings them; 10,000 rows show their size well enough. -#}
  {%- set sql -%}
with measured as (
    {{ deltawave._indented(rows_of) }}
),

sampled as (
    select *
    from measured
    limit 10000
)

select
    {{ '(select count(*) from measured)' if 'rows' in wanted else 'count(*)' }} as row_count,
    avg({{ deltawave._text_bytes(columns, columns) }}) as row_bytes,
    avg({{ deltawave._text_bytes(columns, unique_key) }}) as key_bytes
from sampled
  {%- endset -%}
  {%- set row = run_query(sql).rows[0] -%}
  {%- if not row[0] | int -%}
    {{ return(dict(measured, note=name ~ ' holds no row, so it was not measured')) }}
  {%- endif -%}
  {%- for size in ['rows', 'row_bytes', 'key_bytes'] -%}
    {%- set value = row[loop.index0] -%}
    {%- if size in wanted and value is not none -%}
      {%- do measured.update({size: [value | float | round | int, 1] | max}) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(dict(
    measured, note='measured: ' ~ name ~ (', the newest dump by ' ~ date if date and not is_log else '')
  )) }}
{%- endmacro -%}

{# The only partition column of an external source, if it is a date: the date of the dumps in its folders. #}
{%- macro _date_of_folders(node) -%}
  {%- set partitions = (node.get('external') or {}).get('partitions') or [] -%}
  {%- set partition = partitions[0] if partitions | length == 1 else {} -%}
  {%- set partition = node.columns.get(partition, {}) if partition is string else partition -%}
  {%- if partition.data_type == 'date' -%}{{ return(partition.name) }}{%- endif -%}
{%- endmacro -%}

{# Bytes of the named columns of a row, as text; null if one of the names is not a column. #}
{%- macro _text_bytes(columns, names) -%}
  {%- set known = columns | map('lower') | list -%}
  {%- set sizes = [] -%}
  {%- for name in names if name | lower in known -%}
    {%- do sizes.append('coalesce(octet_length(cast(' ~ deltawave._quoted(name) ~ ' as string)), 0)') -%}
  {%- endfor -%}
  {{ return(sizes | join(' + ') if names and sizes | length == names | length else 'cast(null as int)') }}
{%- endmacro -%}
