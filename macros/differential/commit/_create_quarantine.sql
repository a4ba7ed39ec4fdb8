{#
  The quarantined rows, x__quarantine: the dump's columns with batch and attempt. As in the log, only rows of a decided
  attempt count. One table for all generations, since nothing is compared with it; an erasure writes another one.
#}
{%- macro _quarantine_relation(job) -%}
  {{ return(deltawave._helper_relation(job, job.quarantine)) }}
{%- endmacro -%}

{%- macro _create_quarantine(job) -%}
  {%- set sql -%}
create table if not exists {{ deltawave._quarantine_relation(job) }} (
    {{ deltawave._definitions(job.columns) | join(',\n    ') }},
    batch_at timestamp,
    batch_id bigint,
    attempt string
)
using {{ job.settings.file_format }}
partitioned by (batch_id, attempt)
{{ deltawave._name_mapping(job.settings.file_format, job.columns) }}
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
{%- endmacro -%}
