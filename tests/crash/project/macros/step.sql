{#
  Stands in for the package's own _step: at the step that STOP_AT names ("2:stage") it says so and waits, for the test to kill the
  process there, or, where the step ends in "-lost", until another run has decided the batch.
#}
{%- macro default___step(job, batch, name) -%}
  {%- set here = batch.batch_id ~ ':' ~ name -%}
  {%- set stop = env_var('STOP_AT', '') -%}
  {%- if stop == here -%}
    {%- do log('STOPPED AT ' ~ here, info=true) -%}
    {%- do run_query("select reflect('java.lang.Thread', 'sleep', 600000L)") -%}
  {%- elif stop == here ~ '-lost' -%}
    {%- do log('STOPPED AT ' ~ stop, info=true) -%}
    {%- set rival = namespace(decided=false) -%}
    {%- for _ in range(1200) if not rival.decided -%}
      {%- set rival.decided = deltawave._names_like(job, this.identifier ~ '__commit_' ~ batch.batch_id) | length > 0 -%}
      {%- do run_query("select reflect('java.lang.Thread', 'sleep', 100L)") -%}
    {%- endfor -%}
  {%- elif stop == here ~ '-passing' -%}
    {%- do log('STOPPED AT ' ~ stop, info=true) -%}
  {%- endif -%}
{%- endmacro -%}
