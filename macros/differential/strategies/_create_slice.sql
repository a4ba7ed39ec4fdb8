{# Lands a slice: the columns of the select, then the key's hash. #}
{%- macro _create_slice(job, batch, select) -%}
  {%- do deltawave._run(job, deltawave._slice_statement(job, batch, select)) -%}
{%- endmacro -%}

{%- macro _slice_statement(job, batch, select) -%}
create table {{ batch.landed }}
using {{ deltawave._state_format() }}
{{ deltawave._name_mapping(deltawave._state_format(), batch.columns) }}
as
{{ deltawave._hashed_slice(job, select, is_balanced=not batch.is_first) }}
{%- endmacro -%}

{# Nothing is landed, but by the table's name the next run finds what this attempt has left if it is killed. #}
{%- macro _mark_attempt(job, batch) -%}
  {%- do deltawave._run(
    job, 'create table ' ~ batch.landed ~ ' (nothing boolean) using ' ~ deltawave._state_format()
  ) -%}
{%- endmacro -%}

{#
  is_balanced: in files of about the same size. Later reading splits the files of a whole dump anyway, and moving all
  of its rows takes longer than writing.
#}
{%- macro _hashed_slice(job, select, is_balanced=true) -%}
with slice as (
    {{ deltawave._indented(select) }}
)

select{{ ' /*+ rebalance */' if is_balanced }}
    slice.*,
    {{ deltawave._key_hash('slice', job.settings.unique_key) }} as key_hash
from slice
{%- endmacro -%}

{# The log's columns, as the model's select returns them. #}
{%- macro _dump_names(batch, alias=none) -%}
  {{ return(deltawave._quoted_list(batch.columns | map(attribute='name') | list, alias)) }}
{%- endmacro -%}

{%- macro _any_row(job) -%}
  {{ return(deltawave._remote_any_row(job) if job.remote else 'select 1 as found from (\n' ~ job.sql ~ '\n) limit 1') }}
{%- endmacro -%}
