{#
  TS and TDI (CH98 3.2): the rows whose time-stamp lies in the closed interval from the last high-water mark, less the overlap, to the
  newest there is. Rows at the mark, and within the overlap, are read again and compared again, so ties and late rows are found and
  nothing is reported twice. A flagged row is a delete, a row born and flagged between two runs is nothing. ATDI is the same over a
  covering copy, which the model's select reads.
#}
{%- macro _slice_by_time(job, batch, last) -%}
  {%- set progress = deltawave._time_progress(job, batch, last) -%}
  {%- do deltawave._create_slice(job, batch, deltawave._rows_by_time(job, batch, progress)) -%}
  {%- do deltawave._watch_time(job, batch, progress) -%}
  {%- if job.settings.delete_flag -%}
    {%- do batch.update(arrived='(select * from ' ~ batch.landed ~ ' where not is_flagged)') -%}
  {%- endif -%}
  {%- if not batch.is_first -%}
    {%- set keys = deltawave._quoted_list(job.settings.unique_key) | join(', ') -%}
    {%- set scope = 'select ' ~ keys ~ ' from ' ~ batch.landed -%}
    {%- if job.settings.row_id -%}
      {%- do batch.update(old=deltawave._kept_slice(job, batch, last, scope=deltawave._keys_by_row_id(job, batch, last, scope))) -%}
    {%- else -%}
      {%- do batch.update(old=deltawave._kept_slice(job, batch, last, deltawave._ranges_of_slice(job, batch), scope)) -%}
    {%- endif -%}
    {%- if job.settings.delete_flag -%}
      {%- if progress.high_water -%}{%- do deltawave._land_standing_rows(job, batch) -%}{%- endif -%}
      {%- do batch.update(old=deltawave._with_flagged_time(job, batch)) -%}
    {%- endif -%}
    {%- if not progress.high_water -%}{%- do deltawave._warn_of_unselected(job, batch, last) -%}{%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{# The rows of the interval: the log's columns, and whether the row is flagged as deleted. #}
{%- macro _rows_by_time(job, batch, progress) -%}
select
    {{ deltawave._dump_names(batch) | join(',\n    ') }},
    {{ job.flag.sql }} as is_flagged
from (
    {{ deltawave._indented(deltawave._newer_rows(job, progress)) }}
)
where {{ deltawave._since(job, progress) }}
{%- endmacro -%}

{# Rows without a time-stamp are read at every run: they are either an error or inserts, see null_timestamp. #}
{%- macro _since(job, progress) -%}
  {%- set updated_at = deltawave._quoted(job.settings.updated_at) -%}
  {%- if not progress.high_water -%}
    {{ return('true') }}
  {%- endif -%}
  {{ return('(' ~ updated_at ~ ' >= ' ~ deltawave._low_mark(job, progress) ~ ' or ' ~ updated_at ~ ' is null)') }}
{%- endmacro -%}

{# The high-water mark less the overlap. #}
{%- macro _low_mark(job, progress) -%}
  {%- set low = deltawave._bound_literal(progress.high_water, job.time_type) -%}
  {%- set overlap = job.settings.overlap -%}
  {%- if overlap -%}
    {%- set low = low ~ ' - ' ~ (overlap if overlap is integer else "interval '" ~ overlap ~ "'") -%}
  {%- endif -%}
  {{ return(low) }}
{%- endmacro -%}

{# The model's select; where a remote can leave out older rows, without them. #}
{%- macro _newer_rows(job, progress) -%}
  {%- if not job.remote or not progress.high_water -%}
    {{ return(job.sql) }}
  {%- endif -%}
  {%- set condition = deltawave._since_at_remote(job, job.settings.updated_at, deltawave._low_mark(job, progress)) -%}
  {{ return(deltawave._source_rows(job, condition)) }}
{%- endmacro -%}
