{#
  The batches among these that end before an instant, which may expire: an operation would take the rows of all batches
  before it along, under its own number.
#}
{%- macro _batches_before(held, instant) -%}
  {{ return(
    held | rejectattr('strategy', 'in', deltawave._operations())
    | selectattr('batch_at', 'lt', instant) | list
  ) }}
{%- endmacro -%}
