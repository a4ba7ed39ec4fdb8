{#
  persist_docs. The model's description becomes the view's comment. Replacing a view's text loses the comments of its columns, so they are set on
  the columns of `table`, which every new text selects: the log (where _before and _batch_id have none), a wave index's first table, or the table that
  follows a log. known_as: the names there of columns that have another one in the view.
#}
{%- macro _describe_view(
  job, record, table, known_as={'_change_type': 'change_type', '_changed_columns': 'changed_columns', '_batch_at': 'batch_at'}
) -%}
  {%- if config.persist_relation_docs() and model.description and job.view_exists -%}
    {%- do deltawave._run(
      job, 'alter view ' ~ job.target ~ " set tblproperties ('comment' = " ~ deltawave._literal(model.description) ~ ')'
    ) -%}
  {%- endif -%}
  {#- Another run that has continued meanwhile describes its own view, and may have dropped that table. -#}
  {%- if config.persist_column_docs() and record and not deltawave._is_overtaken(job, record) -%}
    {%- set wrong = deltawave._wrong_comments(job, table, known_as) -%}
    {%- for name, description in wrong.items() -%}
      {%- do deltawave._run(
        job, 'alter table ' ~ table ~ ' alter column ' ~ deltawave._quoted(name) ~ ' comment ' ~ deltawave._literal(description)
      ) -%}
    {%- endfor -%}
    {%- if wrong and not deltawave._is_overtaken(job, record) -%}
      {%- do deltawave._publish(job, record) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{# The table's columns whose comment differs from the description in the model's yml: {name: description}. #}
{%- macro _wrong_comments(job, table, known_as) -%}
  {%- set described = {} -%}
  {%- for name, column in model.columns.items() if column.description -%}
    {%- do described.update({(known_as[name] or name) | lower: column.description}) -%}
  {%- endfor -%}
  {%- set wrong = {} -%}
  {%- for row in deltawave._run(job, 'describe ' ~ table).rows if row[0] | lower in described and row[0] not in ['batch_id', 'attempt'] -%}
    {%- if row[2] != described[row[0] | lower] -%}{%- do wrong.update({row[0]: described[row[0] | lower]}) -%}{%- endif -%}
  {%- endfor -%}
  {{ return(wrong) }}
{%- endmacro -%}
