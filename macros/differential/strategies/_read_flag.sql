{#
  The condition under which a row is deleted: {column, sql}. A name is a column of the select, in which null means false and which is not
  in the log. Anything else is an expression over columns, which stay in the log; column is then none.
#}
{%- macro _read_flag(job, columns) -%}
  {%- set flag = job.settings.delete_flag -%}
  {%- if flag is none -%}
    {{ return({'column': none, 'sql': 'false'}) }}
  {%- endif -%}
  {%- set named = [] -%}
  {%- for column in columns if column.name | lower == flag | lower -%}{%- do named.append(column) -%}{%- endfor -%}
  {%- if modules.re.fullmatch('\\w+', flag) -%}{%- do deltawave._require_selected(job, 'delete_flag', flag, columns) -%}{%- endif -%}
  {%- set found = named or deltawave._columns_of_query('select (' ~ flag ~ ') as delete_flag from (\n' ~ job.sql ~ '\n)') -%}
  {%- if found[0].data_type != 'boolean' -%}
    {%- do deltawave._fail('flag_type', {'model': job.name, 'flag': flag, 'type': found[0].data_type}) -%}
  {%- endif -%}
  {{ return({
    'column': flag | lower if named else none,
    'sql': 'coalesce(' ~ deltawave._quoted(flag) ~ ', false)' if named else '(' ~ flag ~ ')',
  }) }}
{%- endmacro -%}

{# Refuses names in an option (one or several) that are no columns of the model's select. #}
{%- macro _require_selected(job, option, wanted, columns) -%}
  {%- set names = columns | map(attribute='name') | list -%}
  {%- for name in ([wanted] if wanted is string else wanted) if name | lower not in names | map('lower') -%}
    {%- do deltawave._fail('missing_option_column', {
      'model': job.name, 'option': option, 'column': name, 'columns': names | join(', '),
    }) -%}
  {%- endfor -%}
{%- endmacro -%}
