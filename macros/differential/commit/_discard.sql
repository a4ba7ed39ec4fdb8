{#
  Drops everything that an undecided attempt has written. The attempt's own tables are dropped last: while one exists, the next run knows that log
  rows may be left.
#}
{%- macro _discard(job, log_name, batch_id, attempt) -%}
  {%- set names = deltawave._names_like(job, job.target.identifier ~ '__*') -%}
  {%- set present = names | map('lower') | list -%}
  {%- set own_log = deltawave._rewritten_log(batch_id, attempt) -%}
  {%- for table in [deltawave._helper_relation(job, log_name), deltawave._quarantine_relation(job)] -%}
    {%- if table.identifier | lower in present and table != deltawave._helper_relation(job, own_log) -%}
      {%- do deltawave._drop_staged(job, table, batch_id, attempt) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- for side in deltawave._attempts_helpers(job, names, ['log'] + deltawave._attempt_kinds()) -%}
    {%- if side.batch_id == batch_id and side.attempt == attempt -%}
      {%- do deltawave._drop_table(job, deltawave._attempt_relation(job, side)) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}
