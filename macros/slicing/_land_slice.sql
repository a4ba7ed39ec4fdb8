{#
  Reads the slice of the source that this run compares into x__slice_<batch>_<attempt>, and says which kept rows it is compared with:
  batch.old. Afterwards batch.is_idle tells that there is nothing to compare, and batch.progress where the next run goes on.
#}
{%- macro _land_slice(job, batch, last) -%}
  {%- if not batch.is_first -%}
    {%- do deltawave._require_same_columns(job, batch) -%}
    {%- do deltawave._settle_kept(job, batch, last) -%}
  {%- endif -%}
  {%- set strategy = job.settings.strategy -%}
  {%- if strategy in ['timestamp', 'timestamp_delete_flag'] -%}
    {%- do deltawave._slice_by_time(job, batch, last) -%}
  {%- elif strategy == 'ranges' -%}
    {%- do deltawave._slice_by_ranges(job, batch, last) -%}
  {%- elif strategy == 'range_checksum' -%}
    {%- do deltawave._slice_by_range_checksums(job, batch, last) -%}
  {%- elif strategy == 'row_checksum' -%}
    {%- do deltawave._slice_by_row_checksums(job, batch, last) -%}
  {%- elif strategy == 'view' -%}
    {%- do deltawave._slice_by_view(job, batch, last) -%}
  {%- else -%}
    {%- do exceptions.raise_compiler_error('strategy ' ~ strategy ~ ' has no reader of slices') -%}
  {%- endif -%}
  {%- do batch.update(new=batch.arrived) -%}
{%- endmacro -%}

{# What the last batch left for the next of the same strategy to go on from; nothing after another strategy or a rewind. #}
{%- macro _last_progress(job, last) -%}
  {{ return(last.progress if last and last.strategy_progress == job.settings.strategy else {}) }}
{%- endmacro -%}

{# A slice lacks the rows that would give a new column its values, so columns change under a strategy that compares whole dumps. #}
{%- macro _require_same_columns(job, batch) -%}
  {%- set apart = [] -%}
  {%- for column in batch.columns if not (column.in_old and column.in_new) -%}{%- do apart.append(column.name) -%}{%- endfor -%}
  {%- if apart -%}
    {%- do deltawave._fail('slice_columns', {'model': job.name, 'columns': apart | join(', '), 'strategy': job.settings.strategy}) -%}
  {%- endif -%}
{%- endmacro -%}

{# The select that lands a slice: `columns` are expressions, the key's hash comes after them. #}
{%- macro _create_slice(job, batch, select) -%}
  {%- set sql -%}
create table {{ batch.landed }}
using {{ job.settings.copy_format }}
{{ deltawave._name_mapping(job.settings.copy_format, batch.columns) }}
as
{{ deltawave._hashed_slice(job, select) }}
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
{%- endmacro -%}

{%- macro _hashed_slice(job, select) -%}
with slice as (
    {{ deltawave._indented(select) }}
)

select /*+ rebalance */
    slice.*,
    {{ deltawave._key_hash('slice', job.settings.unique_key) }} as key_hash
from slice
{%- endmacro -%}

{# The log's columns, as the model's select gives them. #}
{%- macro _dump_names(batch, alias=none) -%}
  {{ return(deltawave._quoted_list(batch.columns | map(attribute='name') | list, alias)) }}
{%- endmacro -%}
