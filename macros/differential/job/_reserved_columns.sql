{# Names of the log's own columns, in the table and in the view, and of columns that the engine adds to a row. #}
{%- macro _reserved_columns() -%}
  {%- set steps = [] -%}
  {%- for number in range(1, 32) -%}{%- do steps.append('_step_' ~ number) -%}{%- endfor -%}
  {{ return([
    'change_type', 'changed_columns', 'batch_id', 'of_batch', 'batch_at', 'attempt', 'key_hash', 'row_checksum',
    'row_checksum_high', 'last_checksum', 'last_checksum_high', 'is_flagged', 'was_kept', 'is_there',
    '_change_type', '_changed_columns', '_before', '_batch_id', '_batch_at', '_recency',
  ] + steps) }}
{%- endmacro -%}

{#
  Names of columns that tables which follow a log store, or that the statements which write them add: no log takes a
  new column of such a name, since they would refuse it.
#}
{%- macro _reserved_by_followers() -%}
  {%- set versions = [
    '_opens_version', '_version', '_opened_at', '_closed_at', '_closed_by', '_changed_at', '_opened_by',
  ] -%}
  {{ return(
    versions + (deltawave._meta_columns().values() | list)
    + ['_applied', '_deletes', '_was_open', '_recency', '_weight', '_copies', '_copy']
  ) }}
{%- endmacro -%}
