{#
  The published state of the log that a model follows: {job, name, columns: their names, those that are hidden now included, log, batch_id, attempt,
  generation, first_batch, rows_new, batch_at, snapshot_date, history, batches_columns}; batch 0 for a log without batches.
#}
{%- macro _followed_log(job) -%}
  {%- set node = job.follows -%}
  {%- set settings = deltawave._differential_settings(node.name, node.config) -%}
  {%- set opened = deltawave._open_job(node.name, settings, api.Relation.create(schema=node.schema, identifier=node.alias)) -%}
  {%- do opened.update(statements=job.statements) -%}
  {%- set view = deltawave._view_of_log(opened) -%}
  {%- if view is none -%}
    {%- do deltawave._fail('log_not_built', {'model': job.name, 'log': node.name}) -%}
  {%- elif not view.batch_id -%}
    {{ return({'job': opened, 'name': node.name, 'batch_id': 0}) }}
  {%- endif -%}
  {#- Until a batch is published, the previous decision is valid. -#}
  {%- set record = deltawave._read_commit(opened, view.batch_id) -%}
  {%- if record.version != deltawave._state_version() -%}
    {%- do deltawave._fail('state_version', {'model': node.name, 'version': record.version, 'known': deltawave._state_version()}) -%}
  {%- elif record.is_baseline -%}
    {%- do deltawave._fail('baseline_log', {'macro': job.name, 'model': node.name}) -%}
  {%- endif -%}
  {#- Before the select is described: its view may have a column that the session's tables lack. -#}
  {%- do deltawave._refresh(job, record.file_format, [deltawave._helper_relation(opened, record.log), opened.batches]) -%}
  {%- set followed = {'job': opened, 'name': node.name, 'columns': record.columns | map(attribute='name') | list + record.hidden} -%}
  {%- for key in ['log', 'batch_id', 'attempt', 'generation', 'first_batch', 'rows_new', 'batch_at', 'snapshot_date', 'history', 'batches_columns'] -%}
    {%- do followed.update({key: record[key]}) -%}
  {%- endfor -%}
  {{ return(followed) }}
{%- endmacro -%}
