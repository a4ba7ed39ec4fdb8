{#
  Drops everything that an undecided attempt has written, in `staged_in` (names after x__) and in tables of its own. The attempt's own tables are dropped last: while one exists, the next run knows that log
  rows may be left.
#}
{%- macro _discard(job, staged_in, batch_id, attempt) -%}
  {%- set names = deltawave._names_like(job, job.target.identifier ~ '__*') -%}
  {%- set present = names | map('lower') | list -%}
  {#- A rewritten log is a table of its own. -#}
  {%- for name in staged_in + ['quarantine'] if name != deltawave._rewritten_log(batch_id, attempt) -%}
    {%- set table = deltawave._helper_relation(job, name) -%}
    {%- if table.identifier | lower in present -%}
      {%- do deltawave._drop_staged(job, table, batch_id, attempt) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- for side in deltawave._attempts_helpers(job, names, ['log'] + deltawave._attempt_kinds()) -%}
    {%- if side.batch_id == batch_id and side.attempt == attempt -%}
      {%- do deltawave._drop_table(job, deltawave._attempt_relation(job, side)) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}
