{#
  What `dbt clone` makes of a change log, of a table that follows one, or of a wave index: a view over that of the
  other environment, whatever its format. The adapter calls it. One that was built here is never replaced by such a
  view: its readers would see other rows.
#}
{%- macro clone_log(name, relation, other) -%}
  {%- set job = deltawave._open_job(name, {}, relation, 'clone') -%}
  {%- set exists = deltawave._is_there(job, job.target) -%}
  {%- if exists and not flags.FULL_REFRESH -%}
    {%- do log('deltawave: ' ~ name ~ ': ' ~ job.target ~ ' already exists', info=true) -%}
    {{ return({'relations': []}) }}
  {%- elif exists and deltawave._mark_in(deltawave._facts_of(job, job.target).get('View Text') or '') -%}
    {%- do deltawave._fail('clone_over_log', {'model': name, 'relation': job.target | string}) -%}
  {%- endif -%}
  {%- set select = 'select * from ' ~ deltawave._relation(other.schema, other.identifier) -%}
  {%- do deltawave._run(
    job, 'create or replace view ' ~ job.target ~ deltawave._view_schema(job, select) ~ ' as ' ~ select
  ) -%}
  {%- call noop_statement('main', 'view of ' ~ other, res=none) -%}
    {{ job.statements | join(';\n\n') }}
  {%- endcall -%}
  {%- do apply_grants(job.target, config.get('grants'), should_revoke=false) -%}
  {{ return({'relations': [job.target]}) }}
{%- endmacro -%}
