{#
  A narrow covering copy of a table (CH98 3.2.2, ATDI's augmented index): key, timestamp, delete flag and the pertinent
  columns, placed by timestamp, so that a reader of the newest rows skips the rest. For a table that is written where
  the source is written, by its loader or by a model that runs after it; that work is the price of cheap reads. The
  change log's select reads it in place of the source.

  columns: all other columns that this select reads, to show, to filter or to compute.
#}
{%- macro covering_copy(relation, unique_key, updated_at, columns, delete_flag=none) -%}
  {%- set names = deltawave._key_list(unique_key, 'covering_copy') + [updated_at] + ([delete_flag] if delete_flag else []) -%}
  {%- set given = [columns] if columns is string else columns -%}
select /*+ repartition_by_range({{ deltawave._quoted(updated_at) }}) */
    {{ deltawave._quoted_list(names + given | reject('in', names) | list) | join(',\n    ') }}
from {{ relation }}
sort by {{ deltawave._quoted(updated_at) }}
{%- endmacro -%}
