{#
  The known facts about a model, seed, snapshot or source: its unique_key, its remote, the wanted ones of rows, row_bytes and key_bytes, and a note. A
  change log is measured by its current rows, since a dump of its source holds those.
#}
{%- macro _measured_table(name, wanted) -%}
  {%- set node = deltawave._named_node(name) -%}
  {%- set is_log = node.config.get('materialized') == 'differential' -%}
  {%- set settings = deltawave._differential_settings(node.name, node.config) if is_log else node.config -%}
  {%- set unique_key = settings.get('unique_key') or [] -%}
  {%- set unique_key = [unique_key] if unique_key is string else unique_key -%}
  {%- set measured = {'unique_key': unique_key} if unique_key else {} -%}
  {%- if settings.get('remote') -%}{%- do measured.update(is_remote=true, remote=settings.get('remote')) -%}{%- endif -%}
  {%- if not wanted -%}{{ return(measured) }}{%- endif -%}

  {%- set relation = adapter.get_relation(database=node.database, schema=node.schema, identifier=node.alias or node.identifier) -%}
  {%- if not relation -%}
    {{ return(dict(measured, note=name ~ ' is not there yet, so it was not measured')) }}
  {%- endif -%}
  {%- set rows_of = 'select * from ' ~ relation -%}
  {%- if is_log -%}
    {%- set rows_of = deltawave.current_state(relation, unique_key, duplicate_keys=settings.duplicate_keys) -%}
  {%- endif -%}
  {%- set columns = deltawave._columns_of_query(rows_of) | map(attribute='name') | list -%}
  {%- set row = run_query(deltawave._measuring_sql(rows_of, columns, unique_key, 'rows' in wanted)).rows[0] -%}
  {%- if not row[0] | int -%}
    {{ return(dict(measured, note=name ~ ' holds no row, so it was not measured')) }}
  {%- endif -%}
  {%- for size in ['rows', 'row_bytes', 'key_bytes'] -%}
    {%- set value = row[loop.index0] -%}
    {%- if size in wanted and value is not none -%}{%- do measured.update({size: [value | float | round | int, 1] | max}) -%}{%- endif -%}
  {%- endfor -%}
  {{ return(dict(measured, note='measured: ' ~ name)) }}
{%- endmacro -%}

{#- Values are measured as text, as a dump brings them; 10,000 rows show their size well enough. -#}
{%- macro _measuring_sql(rows_of, columns, unique_key, counted) -%}
with measured as (
    {{ deltawave._indented(rows_of) }}
),

sampled as (
    select *
    from measured
    limit 10000
)

select
    {{ '(select count(*) from measured)' if counted else 'count(*)' }} as row_count,
    avg({{ deltawave._text_bytes(columns, columns) }}) as row_bytes,
    avg({{ deltawave._text_bytes(columns, unique_key) }}) as key_bytes
from sampled
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

{%- macro _named_node(name) -%}
  {%- for node in graph.nodes.values() if node.resource_type in ['model', 'seed', 'snapshot'] and node.name == name -%}
    {{ return(node) }}
  {%- endfor -%}
  {%- for node in graph.sources.values() if node.source_name ~ '.' ~ node.name == name -%}
    {{ return(node) }}
  {%- endfor -%}
  {%- do deltawave._fail('unknown_table', {'macro': 'advise', 'value': name}) -%}
{%- endmacro -%}
