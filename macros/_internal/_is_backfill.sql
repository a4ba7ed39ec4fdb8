{#
  The condition that a row of a change log only brings the values of a column that joined the log: an update of which no compared column
  changed. Where a log does not tell the changed columns (null), an update is an update.
#}
{%- macro _is_backfill() -%}
  {{ return("(`_change_type` = 'update' and coalesce(cardinality(`_changed_columns`) = 0, false))") }}
{%- endmacro -%}
