{#
  The distinct rows of x__batches, without the batches that a rewind has undone. Their rows stay, for queries that began
  before the rewind, whose own row says after which batch all were undone (rewound_to). until: a batch; later rewinds
  are ignored.
#}
{%- macro _standing_batches(batches, until=none) -%}
(
    select distinct batches.*
    from {{ deltawave._indented(batches | string) }} as batches
    left anti join {{ deltawave._indented(batches | string) }} as rewinds
        on rewinds.rewound_to < batches.batch_id
        and rewinds.batch_id > batches.batch_id
        {%- if until is not none %}
        and rewinds.batch_id <= {{ until }}
        {%- endif %}
)
{%- endmacro -%}

{#
  The rows of x__batches, as a relation. Each batch has a partition there. A batch that merges those of the log writes
  the rows of the batches before it into one table, x__history_<batch>_<attempt>, which runs read instead. history:
  {tables: that one and the one before, which another run may still be reading}.
#}
{%- macro _batches_so_far(job, record) -%}
  {%- set known = deltawave._batches_columns().keys() | list -%}
  {%- if not record.history or record.batches_columns != known -%}{{ return(job.batches | string) }}{%- endif -%}
  {%- set columns = (['batch_id'] + known) | join(', ') -%}
  {%- set history = record.history.tables[0] -%}
(
    select {{ columns }}
    from {{ deltawave._attempt_relation(job, history) }}
    union all
    select {{ columns }}
    from {{ job.batches }}
    where batch_id >= {{ history.batch_id }}
)
{%- endmacro -%}
