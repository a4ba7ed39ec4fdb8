{#
  The condition that a log row only brings the values of a column that joined the log: an update in which no compared
  column changed. Where a log does not record changed columns (null), an update is an update.
#}
{%- macro _is_backfill() -%}
  {{ return("(`_change_type` = 'update' and coalesce(cardinality(`_changed_columns`) = 0, false))") }}
{%- endmacro -%}
