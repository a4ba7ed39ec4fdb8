{#
  The batches among these that end before an instant, and may expire. Not operations: as the last one to expire, an
  operation would give its own number to the rows of all batches before it.
#}
{%- macro _batches_before(held, instant) -%}
  {{ return(
    held | rejectattr('strategy', 'in', deltawave._operations())
    | selectattr('batch_at', 'lt', instant) | list
  ) }}
{%- endmacro -%}
