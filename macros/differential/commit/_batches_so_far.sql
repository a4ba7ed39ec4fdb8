{#
  The rows of x__batches, as a relation. Each batch has a partition there. A batch that merges those of the log writes the rows of the batches before it into
  one table, x__history_<batch>_<attempt>, which runs read instead. history: {tables: that one and the one before, which another run may still be reading}.
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

{%- macro _write_history(job, batch, last) -%}
  {%- set table = deltawave._own_table(batch, 'history') -%}
  {%- do deltawave._refresh(job, job.settings.file_format, [job.batches]) -%}
  {%- set sql -%}
create table {{ deltawave._attempt_relation(job, table) }}
using {{ job.settings.file_format }}
as
select /*+ coalesce(1) */ distinct
    batch_id,
    {{ deltawave._batches_columns().keys() | join(',\n    ') }}
from {{ deltawave._batches_so_far(job, last) }}
where batch_id < {{ batch.batch_id }}
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {{ return({'tables': [table] + (last.history.tables[:1] if last.history else [])}) }}
{%- endmacro -%}
