{#
  The columns of earlier batches, for rewind: [{to_batch, columns, hidden}], oldest first. Each entry is valid up to its to_batch,
  from the end of the entry before.
#}
{%- macro _previous_columns(last, columns, hidden) -%}
  {%- set previous = last.previous_columns or [] -%}
  {%- if (deltawave._columns_held(last.columns), last.hidden) == (deltawave._columns_held(columns), hidden) -%}
    {{ return(previous) }}
  {%- endif -%}
  {{ return(previous + [{'to_batch': last.batch_id, 'columns': last.columns, 'hidden': last.hidden}]) }}
{%- endmacro -%}

{# The facts about columns that rewind needs: their order, and which of them the state has. #}
{%- macro _columns_held(columns) -%}
  {%- set held = [] -%}
  {%- for column in columns -%}{%- do held.append([column.name, column.in_copy]) -%}{%- endfor -%}
  {{ return(held) }}
{%- endmacro -%}

{#
  The columns as they were after an earlier batch: {columns, hidden, previous_columns}. Types are the current ones, since the log's columns have grown.
  Columns that came later are hidden: the log has them.
#}
{%- macro _columns_at(record, batch_id) -%}
  {%- set later = (record.previous_columns or []) | selectattr('to_batch', 'ge', batch_id) | list -%}
  {%- set then = later[0] if later else record -%}
  {%- set types = {} -%}
  {%- for entry in later + [record] -%}{%- do types.update(deltawave._types_of(entry.columns)) -%}{%- endfor -%}
  {%- set columns = [] -%}
  {%- for column in then.columns -%}
    {%- do columns.append(dict(column, data_type=types[column.name | lower], in_copy=column.in_copy and column.since <= batch_id)) -%}
  {%- endfor -%}
  {%- set shown = columns | map(attribute='name') | map('lower') | list -%}
  {{ return({
    'columns': columns,
    'hidden': (types.keys() | list + record.hidden) | reject('in', shown) | unique | sort,
    'previous_columns': (record.previous_columns or []) | selectattr('to_batch', 'lt', batch_id) | list,
  }) }}
{%- endmacro -%}
