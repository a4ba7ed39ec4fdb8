{# The model as its readers see it; the row that counts the merges is left out. Batch 0 has no table. #}
{%- macro default___follower_view(job, record) -%}
{%- set columns = record.columns + (deltawave._version_columns() if record.shown.meta else []) -%}
select {{ deltawave._view_mark() }} {{ tojson({'batch_id': record.batch_id, 'attempt': record.attempt}) }} */
    {{ deltawave._shown_values(record) | join(',\n    ') }}
{%- if record.rows %}
from {{ deltawave._attempt_relation(job, record.rows) }}
{%- if deltawave._is_merged(record.file_format) %}
where `_applied` is null
{%- endif %}
{%- else %}
from (
    select
        {{ deltawave._null_columns(columns) | join(',\n        ') }}
) as no_rows
where false
{%- endif %}
{%- endmacro -%}

{# The view's columns, as SQL: those of the select, and those that dbt snapshots have, under their configured names. #}
{%- macro _shown_values(record) -%}
  {%- set values = deltawave._quoted_list(record.shown.columns) -%}
  {%- set stored = deltawave._meta_columns() -%}
  {%- for meta, name in (record.shown.meta or {}).items() -%}
    {%- set value = deltawave._quoted(stored[meta]) -%}
    {%- if meta == 'dbt_valid_to' and record.shown.valid_to -%}
      {%- set value = 'coalesce(' ~ value ~ ', cast(' ~ record.shown.valid_to ~ ' as timestamp))' -%}
    {%- elif meta == 'dbt_is_deleted' -%}
      {#- Text, as in a snapshot. -#}
      {%- set value = 'if(' ~ value ~ ", 'True', 'False')" -%}
    {%- endif -%}
    {%- do values.append(value ~ ' as ' ~ deltawave._quoted(name)) -%}
  {%- endfor -%}
  {{ return(values) }}
{%- endmacro -%}

{# --empty, or a log without a batch: an empty view, so that others can be built on it. An existing one stays. #}
{%- macro _create_without_batches(job, selected) -%}
  {%- if not job.view_exists -%}
    {%- do deltawave._replace_view(job, {
      'batch_id': 0, 'attempt': job.attempt, 'rows': none, 'columns': selected, 'shown': {
        'columns': selected | map(attribute='name') | list,
        'meta': job.settings.snapshot_meta_column_names or none,
        'valid_to': job.settings.dbt_valid_to_current or none,
      },
    }) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  Lets Spark read the view with the expression dbt_valid_to_current before anything is written. A decision with one
  that it can't read would stand, and no run could publish it.
#}
{%- macro _require_valid_to(job, batch, work) -%}
  {%- if work.shown.valid_to -%}
    {%- do deltawave._columns_of_query(deltawave._select_of_view(job, {
      'batch_id': batch.batch_id, 'attempt': batch.attempt, 'rows': none, 'columns': work.columns, 'shown': work.shown,
    })) -%}
  {%- endif -%}
{%- endmacro -%}
