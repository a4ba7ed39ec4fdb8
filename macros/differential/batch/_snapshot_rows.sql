{# The current rows of a snapshot, in the columns and types of the model's select, as the dump of a date if it has dates. See _adopt_snapshot. #}
{%- macro _snapshot_rows(job, snapshot, columns, snapshot_date=none) -%}
select
    {%- for column in columns %}
    {%- set stored = deltawave._quoted(column.stored_name) %}
    {{ stored if column.stored_type == column.data_type else 'cast(' ~ stored ~ ' as ' ~ column.data_type ~ ')' }} as {{ deltawave._quoted(column.name) }}
    {{- ',' if not loop.last or snapshot_date is not none }}
    {%- endfor %}
    {%- if snapshot_date is not none %}
    cast({{ deltawave._literal(snapshot_date | string) }} as {{ job.snapshot_type }}) as {{ deltawave._quoted(job.settings.snapshot_date) }}
    {%- endif %}
from {{ snapshot.relation }}
where {{ deltawave._is_current(snapshot) }}
{%- endmacro -%}

{# How many values of current rows the select's types can't hold, a number for each of the columns. #}
{%- macro _lost_in_casts(snapshot, columns) -%}
select
    {%- for column in columns %}
    {%- set stored = deltawave._quoted(column.stored_name) %}
    count_if({{ stored }} is not null and try_cast({{ stored }} as {{ column.data_type }}) is null) as lost_{{ loop.index }}{{ ',' if not loop.last }}
    {%- endfor %}
from {{ snapshot.relation }}
where {{ deltawave._is_current(snapshot) }}
{%- endmacro -%}

{# Is it a version that is valid now? dbt takes null for current as well where rows were written before dbt_valid_to_current was set. #}
{%- macro _is_current(snapshot) -%}
  {%- set valid_to = deltawave._quoted(snapshot.valid_to) -%}
  {%- set is_end = ' or ' ~ valid_to ~ ' = ' ~ snapshot.current if snapshot.current else '' -%}
  {%- set is_deleted = 'lower(cast(' ~ deltawave._quoted(snapshot.is_deleted) ~ " as string)) <=> 'true'" -%}
  {{ return('(' ~ valid_to ~ ' is null' ~ is_end ~ ')' ~ (' and not (' ~ is_deleted ~ ')' if snapshot.is_deleted else '')) }}
{%- endmacro -%}
