{#
  One row for each batch of a differential model that no rewind has undone: when, how many rows and bytes, which
  changes, by which strategy and why, how long.

  log: the model; state_schema: the schema of its helper relations, if it is not the model's.
#}
{%- macro batches(log, state_schema=none) -%}
select
    batch_id,
    {{ deltawave._batches_columns().keys() | reject('in', [
      'attempt', 'dump_files', 'dump_checksum', 'rewound_to',
    ]) | join(',\n    ') }}
from {{ deltawave._standing_batches(deltawave._relation(state_schema or log.schema, log.identifier ~ '__batches')) }}
{%- endmacro -%}
