{#
  Compares two relations by their key and prints what differs: rows, columns and values, and the values in which the
  differences concentrate.

    dbt run-operation deltawave.compare --args '{a: accounts_v1, b: accounts_v2, unique_key: account_id}'

  a, b: the old and the new table, each a model, seed or snapshot (`name`, `package.name`, `name.v1`), `source.table`
  or `schema.table`
  ignore_columns: columns that are not compared tolerance, relative_tolerance: the difference of numbers that counts as
  equal, absolute or as a share of the larger value; for all columns, or by column ignore_case, ignore_blanks: columns
  of text whose case, or surrounding and repeated white space, does not count
  samples: how many changes of each column are shown, and how many rows of only one table
  format: text, markdown, json or html; output: a file that it is written to, instead of being printed
  fail_on_differences: whether differences, after they have been printed or written, are an error
#}
{%- macro compare(
    a, b, unique_key, ignore_columns=none, tolerance=none, relative_tolerance=none, ignore_case=none,
    ignore_blanks=none, samples=5, format='text', output=none, fail_on_differences=false
) -%}
  {%- if not execute -%}{{ return(none) }}{%- endif -%}
  {%- if not deltawave._runs_python() -%}
    {%- do deltawave._fail('compare_adapter', {'macro': 'compare'}) -%}
  {%- endif -%}
  {%- set relations = {'old': deltawave._compared_relation(a), 'new': deltawave._compared_relation(b)} -%}
  {%- set found = adapter.call_library('deltawave.comparing.operation.operation', relations, {
    'names': [a | string, b | string], 'key': deltawave._key_list(unique_key, 'compare'),
    'ignore_columns': ignore_columns, 'tolerance': tolerance, 'relative_tolerance': relative_tolerance,
    'ignore_case': ignore_case, 'ignore_blanks': ignore_blanks, 'samples': samples, 'format': format, 'output': output,
  }) -%}
  {%- if found.refused -%}
    {%- do deltawave._fail('not_compared', {'macro': 'compare', 'a': a, 'b': b, 'reason': found.refused}) -%}
  {%- endif -%}
  {%- do print(found.text) -%}
  {%- if fail_on_differences and not found.is_equal -%}
    {%- do deltawave._fail('tables_differ', {'macro': 'compare', 'a': a, 'b': b}) -%}
  {%- endif -%}
{%- endmacro -%}

{# The quoted name of a relation that is in the warehouse, by `source.table`, `schema.table`, or else a node's name. #}
{%- macro _compared_relation(name) -%}
  {%- set node = deltawave._find_node('compare', name) -%}
  {%- set parts = (name | string).split('.') -%}
  {%- set relation = none -%}
  {%- if parts | length == 2 and not (node and node.resource_type == 'source') -%}
    {%- set relation = adapter.get_relation(database=none, schema=parts[0], identifier=parts[1]) -%}
  {%- endif -%}
  {%- if node and not relation -%}
    {%- set relation = adapter.get_relation(
      database=node.database, schema=node.schema, identifier=node.alias or node.identifier
    ) -%}
  {%- endif -%}
  {%- if not relation -%}
    {%- do deltawave._fail('not_in_warehouse', {'macro': 'compare', 'value': name}) -%}
  {%- endif -%}
  {{ return(deltawave._quoted(relation.schema) ~ '.' ~ deltawave._quoted(relation.identifier)) }}
{%- endmacro -%}
