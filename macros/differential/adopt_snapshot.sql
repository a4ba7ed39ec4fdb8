{#
  Checks that a log can begin with a dbt snapshot, as far as that shows without the model's select, which only a run
  compiles; prints the commands.

    dbt run-operation deltawave.adopt_snapshot --args '{model: orders_changes, snapshot: orders_snapshot}'

  snapshot_date: with that option of the model, the date of the last dump that the snapshot has read. Nothing is
  changed. See _adopt_snapshot.
#}
{%- macro adopt_snapshot(model, snapshot, snapshot_date=none) -%}
  {%- if not execute -%}{{ return(none) }}{%- endif -%}
  {%- set node = deltawave._model_node('adopt_snapshot', model) -%}
  {%- if not deltawave._is_log(node) -%}
    {%- do deltawave._fail('not_a_log', {
      'macro': 'adopt_snapshot', 'value': model, 'materialized': node.config.materialized,
    }) -%}
  {%- endif -%}
  {%- set settings = deltawave._differential_settings(node.name, node.config) -%}
  {%- set job = deltawave._open_job(node.name, settings, ref(node.package_name, node.name, v=node.version)) -%}
  {%- do deltawave._require_adopting(job, deltawave._recover(job), {
    'snapshot': snapshot, 'snapshot_date': snapshot_date,
  }) -%}
  {%- set found = deltawave._adopted_snapshot(job, snapshot) -%}
  {%- set rows = deltawave._row_count(job, found.relation ~ '\nwhere ' ~ deltawave._is_current(found)) -%}
  {%- set value = snapshot if snapshot_date is none else '{snapshot: ' ~ snapshot ~ ', snapshot_date: '
      ~ tojson(snapshot_date | string) ~ '}' -%}
  {%- set run = 'dbt run --select ' ~ node.name ~ ('' if node.version is none else '.v' ~ node.version) -%}
  {%- set lines = [
    'deltawave: ' ~ node.name ~ ' can begin with the ' ~ rows ~ ' current row(s) of the snapshot ' ~ snapshot
      ~ '; its columns are checked by the first run:',
    run ~ " --vars '{deltawave_adopt: {" ~ node.name ~ ': ' ~ value ~ "}}'",
    run,
  ] -%}
  {%- do log(lines | join('\n'), info=true) -%}
{%- endmacro -%}
