{# Names that the log's own columns take, in the table and in the view. #}
{%- macro _reserved_columns() -%}
  {{ return([
    'change_type', 'changed_columns', 'batch_id', 'batch_at', 'attempt', 'key_hash', 'row_checksum', 'is_flagged', 'was_kept', 'is_there',
    '_change_type', '_changed_columns', '_before', '_batch_id', '_batch_at',
  ]) }}
{%- endmacro -%}
