{#
  Stands in for the package's own _step: at the step that STOPS names for the model ("2:stage"; "+1:stage" after one batch of this run) it says
  so and waits, for the test to kill the process there. Where the name ends in "-passing", it waits for the file GATE to say something, and the
  model stops at the next step; where it ends in "-until-3", until another run has decided batch 3 or a later one.
#}
{%- macro default___step(job, batch, name) -%}
  {%- set stop = fromjson(env_var('STOPS')).get(job.name, '') -%}
  {%- set here = ('+' ~ job.outcome.batches if stop.startswith('+') else batch.batch_id) ~ ':' ~ name -%}
  {%- if stop == here -%}
    {%- do _say_stopped(job, here) -%}
    {%- do run_query(_sleep(600000)) -%}
  {%- elif stop.startswith(here ~ '-until-') -%}
    {%- do _say_stopped(job, stop) -%}
    {%- do _wait_for_decision(stop.split('-') | last | int) -%}
  {%- elif stop == here ~ '-passing' -%}
    {%- do _say_stopped(job, stop) -%}
    {%- do _wait_for('select value from text.`' ~ env_var('GATE') ~ '`') -%}
    {%- do job.update(is_passing=true) -%}
  {%- elif stop.endswith('-passing') and job.is_passing -%}
    {%- do _say_stopped(job, stop ~ ', PASSED') -%}
    {%- do run_query(_sleep(600000)) -%}
  {%- endif -%}
{%- endmacro -%}

{%- macro _say_stopped(job, where) -%}
  {%- do log('STOPPED ' ~ job.name ~ ' AT ' ~ where, info=true) -%}
{%- endmacro -%}

{%- macro _sleep(milliseconds) -%}
  {{ return("select reflect('java.lang.Thread', 'sleep', " ~ milliseconds ~ 'L)') }}
{%- endmacro -%}

{# Returns when that batch or a later one is decided. #}
{%- macro _wait_for_decision(batch_id) -%}
  {%- set seen = namespace(batch_id=0) -%}
  {%- for _ in range(3000) if seen.batch_id < batch_id -%}
    {%- for row in run_query('show views in ' ~ this.schema ~ " like '" ~ this.identifier ~ "__commit_*'").rows -%}
      {%- set seen.batch_id = [seen.batch_id, (row[1] | string).split('_') | last | int] | max -%}
    {%- endfor -%}
    {%- do run_query(_sleep(100)) -%}
  {%- endfor -%}
{%- endmacro -%}

{# Returns when the query has rows. #}
{%- macro _wait_for(query) -%}
  {%- set seen = namespace(rows=0) -%}
  {%- for _ in range(3000) if not seen.rows -%}
    {%- set seen.rows = run_query(query).rows | length -%}
    {%- do run_query(_sleep(100)) -%}
  {%- endfor -%}
{%- endmacro -%}
