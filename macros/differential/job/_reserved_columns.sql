{# Names that the log's own columns take, in the table and in the view, and those that the engine gives to columns beside a row's. #}
{%- macro _reserved_columns() -%}
  {%- set steps = [] -%}
  {%- for number in range(1, 32) -%}{%- do steps.append('_step_' ~ number) -%}{%- endfor -%}
  {{ return([
    'change_type', 'changed_columns', 'batch_id', 'batch_at', 'attempt', 'key_hash', 'row_checksum', 'is_flagged', 'was_kept', 'is_there',
    '_change_type', '_changed_columns', '_before', '_batch_id', '_batch_at', '_recency',
  ] + steps) }}
{%- endmacro -%}
