{#
  The new side, evaluated once and kept: bucketed and sorted by a hash of the key, so that neither this comparison nor the
  next one exchanges it (LG96 3.1 keeps the sorted file). The hash only places rows: keys themselves are compared.
#}
{%- macro _land(job, batch, last) -%}
  {%- do deltawave._require_known_rows(job, batch, last) -%}
  {%- if batch.is_slice -%}
    {%- do deltawave._land_slice(job, batch, last) -%}
  {%- else -%}
    {%- do deltawave._land_dump(job, batch, last) -%}
  {%- endif -%}
{%- endmacro -%}

{# A dump lands with all of its columns, a slice with those of the log. #}
{%- macro _landed_columns(job, batch) -%}
  {{ return(batch.columns if batch.is_slice else job.columns) }}
{%- endmacro -%}

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
