{#
  Keys of the slice, and keys under which the previous state holds the slice's rows by their stable row id: so an updated key becomes a delete of the
  old key and an insert of the new one (CH98 3.5).
#}
{%- macro _keys_by_row_id(job, batch, last, scope) -%}
  {%- set row_id = deltawave._quoted(job.settings.row_id) -%}
{{ scope }}
union
select {{ deltawave._quoted_list(job.settings.unique_key, 'kept') | join(', ') }}
from {{ deltawave._previous_slice(job, batch, last) }} as kept
left semi join {{ batch.landed }} as landed
    on kept.{{ row_id }} = landed.{{ row_id }}
{%- endmacro -%}
