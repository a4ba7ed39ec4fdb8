{#
  The columns of a relation: [{name, data_type}], in its order and spelling. Read from a select over it: that also
  works for the subqueries of --empty and --sample, where `describe table` fails.
#}
{%- macro _columns_of(relation) -%}
  {{ return(deltawave._columns_of_query('select * from ' ~ relation)) }}
{%- endmacro -%}

{# The types of columns [{name, data_type}] by their names in lower case. #}
{%- macro _types_of(columns) -%}
  {%- set types = {} -%}
  {%- for column in columns -%}{%- do types.update({column.name | lower: column.data_type}) -%}{%- endfor -%}
  {{ return(types) }}
{%- endmacro -%}

{# The columns of a select: [{name, data_type, comment}], in its order and spelling. Spark does not run it. #}
{%- macro _columns_of_query(sql) -%}
  {%- set columns = [] -%}
  {%- if execute -%}
    {%- set asks_session = adapter.query_columns is defined and deltawave._runs_python() -%}
    {%- for row in (adapter.query_columns(sql) if asks_session else run_query('describe query ' ~ sql).rows) -%}
      {%- set name = row[0] | string -%}
      {%- set data_type = row[1] | string -%}
      {%- set data_type = deltawave._exact_type(sql, name, data_type) if 'struct<' in data_type else data_type -%}
      {%- do columns.append({'name': name, 'data_type': data_type, 'comment': row[2]}) -%}
    {%- endfor -%}
  {%- endif -%}
  {{ return(columns) }}
{%- endmacro -%}

{#
  The full type of a column that has a struct, as DDL takes it. `describe` shortens a struct of more than
  spark.sql.debug.maxToStringFields (25) fields. typeof does not, and is folded to a constant, so that its subquery
  never runs.
#}
{%- macro _exact_type(sql, name, data_type) -%}
  {%- if modules.re.search('\\.\\.\\. \\d+ more fields', data_type) -%}
    {%- set question = 'select typeof((select ' ~ deltawave._quoted(name) ~ ' from (\n' ~ sql ~ '\n)))' -%}
    {%- set data_type = run_query(question).rows[0][0] | string -%}
  {%- endif -%}
  {{ return(deltawave._type_text(deltawave._parse_type(data_type))) }}
{%- endmacro -%}

{# A type with the names of its fields quoted: `describe` prints b c without quotes, and no statement accepts that. #}
{%- macro _type_text(type) -%}
  {%- if type.kind == 'array' -%}
    {{ return('array<' ~ deltawave._type_text(type.element) ~ '>') }}
  {%- elif type.kind == 'map' -%}
    {{ return('map<' ~ deltawave._type_text(type.key) ~ ',' ~ deltawave._type_text(type.value) ~ '>') }}
  {%- elif type.kind == 'struct' -%}
    {%- set fields = [] -%}
    {%- for field in type.fields -%}
      {%- set plain = deltawave._whole_match('[A-Za-z_][A-Za-z0-9_]*', field.name) -%}
      {%- do fields.append(
        (field.name if plain else deltawave._quoted(field.name)) ~ ':' ~ deltawave._type_text(field.type)
      ) -%}
    {%- endfor -%}
    {{ return('struct<' ~ fields | join(',') ~ '>') }}
  {%- endif -%}
  {{ return(type.name) }}
{%- endmacro -%}

{# The names of a relation's columns, without the log's own: from columns= if given, otherwise from the catalog. #}
{%- macro _data_columns(relation, columns, macro_name) -%}
  {%- set names = [] -%}
  {%- for column in columns or ([] if relation is string else deltawave._columns_of(relation)) -%}
    {%- set name = column if column is string else column.name -%}
    {%- if name | lower not in ['_change_type', '_changed_columns', '_before', '_batch_id', '_batch_at'] -%}
      {%- do names.append(name) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if not names -%}
    {%- do deltawave._fail('unknown_columns', {'macro': macro_name, 'relation': relation | string}) -%}
  {%- endif -%}
  {{ return(names) }}
{%- endmacro -%}

{# Stops where an argument names a column that does not exist. #}
{%- macro _require_columns(wanted, names, relation, macro_name) -%}
  {%- for column in wanted if column | lower not in names | map('lower') -%}
    {%- do deltawave._fail('no_such_column', {
      'macro': macro_name, 'relation': relation | string, 'column': column, 'columns': names | join(', '),
    }) -%}
  {%- endfor -%}
{%- endmacro -%}

{# Columns with their types, [{name, data_type}], from dbt's Columns, from such dicts, or from names in a relation. #}
{%- macro _typed_columns(columns, relation, macro_name) -%}
  {%- set given = [columns] if columns is string and columns else columns or [] -%}
  {#- While dbt parses, adapter.get_columns_in_relation returns nothing. -#}
  {%- if execute and not given -%}
    {%- do deltawave._fail('required', {'model': macro_name, 'option': 'columns', 'example': '[name, balance]'}) -%}
  {%- endif -%}
  {%- set known = {} -%}
  {%- if relation -%}
    {%- for column in deltawave._columns_of(relation) -%}
      {%- do known.update({column.name | lower: column}) -%}
    {%- endfor -%}
  {%- endif -%}
  {%- set typed = [] -%}
  {%- for column in given -%}
    {%- if column is not string -%}
      {%- do typed.append({'name': column.name, 'data_type': column.data_type}) -%}
    {%- elif column | lower in known -%}
      {%- do typed.append(known[column | lower]) -%}
    {%- elif not execute -%}
      {%- do typed.append({'name': column, 'data_type': 'void'}) -%}
    {%- elif relation -%}
      {%- set names = known.values() | map(attribute='name') | join(', ') -%}
      {%- do deltawave._fail('no_such_column', {
        'macro': macro_name, 'relation': relation | string, 'column': column, 'columns': names,
      }) -%}
    {%- else -%}
      {%- do deltawave._fail('untyped_column', {'macro': macro_name, 'column': column}) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(typed) }}
{%- endmacro -%}
