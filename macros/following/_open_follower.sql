{# Opens the work on a table that follows a change log. #}
{%- macro _open_follower(node, relation, sql) -%}
  {%- set job = deltawave._job_of_follower(node, relation) -%}
  {%- set followed = job.follows -%}
  {%- if invocation_args_dict.get('sample') -%}
    {%- do deltawave._fail('follower_sample', {'model': node.name}) -%}
  {%- endif -%}
  {#-
    Without favor_state dbt reads another environment only where this one lacks the log, which _followed_log refuses.
  -#}
  {%- set favors_other = invocation_args_dict.get('defer') and invocation_args_dict.get('favor_state')
      and not flags.EMPTY -%}
  {%- if favors_other and followed.unique_id not in selected_resources -%}
    {%- do deltawave._fail('follower_deferred', {'model': node.name, 'log': followed.name}) -%}
  {%- endif -%}
  {%- do deltawave._update(job, sql='(\n' ~ sql ~ '\n)') -%}
  {%- do deltawave._require_table_formats(job) -%}
  {%- if job.state_schema != job.target.schema -%}
    {%- do deltawave._run(job, 'create schema if not exists ' ~ deltawave._quoted(job.state_schema)) -%}
  {%- endif -%}
  {{ return(job) }}
{%- endmacro -%}

{# The job of a table that follows a log, before its select is known. #}
{%- macro _job_of_follower(node, relation) -%}
  {%- set settings = deltawave._follower_settings(node.name, node.config) -%}
  {%- set followed = deltawave._followed_node(node, settings) -%}
  {%- set logged = deltawave._differential_settings(followed.name, followed.config) -%}
  {%- do settings.update(unique_key=logged.unique_key, is_multiset=logged.duplicate_keys == 'multiset') -%}
  {%- set job = deltawave._open_job(node.name, settings, relation, settings.kind) -%}
  {%- do deltawave._update(job, follows=followed) -%}
  {{ return(job) }}
{%- endmacro -%}

{#
  The change log that a model follows: the only relation that its select reads. Batches of it are applied one after the
  other, so that rows of anything else would be those of different times.
#}
{%- macro _followed_node(node, settings) -%}
  {%- set read = deltawave._read_by_select(node) -%}
  {%- set parent = graph.nodes.get(read[0]) if read | length == 1 else none -%}
  {%- if not parent or not deltawave._is_log(parent) -%}
    {%- do deltawave._fail('follower_select', {
      'model': node.name, 'materialized': settings.kind, 'read': read | join(', ') or 'no model',
    }) -%}
  {%- endif -%}
  {%- set logged = deltawave._differential_settings(parent.name, parent.config) -%}
  {%- set keys = settings.unique_key or logged.unique_key -%}
  {%- if keys | map('lower') | sort != logged.unique_key | map('lower') | sort -%}
    {%- do deltawave._refuse_option(
      node.name, 'unique_key', keys, 'the key of ' ~ parent.name ~ ': ' ~ logged.unique_key | join(', ')
    ) -%}
  {%- endif -%}
  {%- if settings.kind == 'scd2' and logged.duplicate_keys == 'multiset' -%}
    {%- do deltawave._fail('scd2_multiset', {'model': node.name, 'log': parent.name}) -%}
  {%- endif -%}
  {{ return(parent) }}
{%- endmacro -%}

{#
  The nodes that the select reads. dbt lists with them those that hooks read, which the text names in its config at
  most, and functions, which have no rows.
#}
{%- macro _read_by_select(node) -%}
  {%- set hooks = (node.config.get('pre-hook') or []) + (node.config.get('post-hook') or []) -%}
  {%- set in_hooks = hooks | map(attribute='sql') | join('\n') -%}
  {%- set strings = '"(?:[^"\\\\]|\\\\.)*"|\'(?:[^\'\\\\]|\\\\.)*\'' -%}
  {%- set text = modules.re.sub(
    '(?s)\\{\\{-?\\s*config\\((?:' ~ strings ~ '|[^"\'])*?\\)\\s*-?\\}\\}', '', node.raw_code or ''
  ) -%}
  {%- set read = [] -%}
  {%- for unique_id in node.depends_on.nodes | unique -%}
    {%- set parent = graph.nodes.get(unique_id) or (graph.sources or {}).get(unique_id) -%}
    {%- set name = '\\b' ~ modules.re.escape(parent.name if parent else '') ~ '\\b' -%}
    {%- if parent and (modules.re.search(name, text) or not modules.re.search(name, in_hooks)) -%}
      {%- do read.append(unique_id) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(read) }}
{%- endmacro -%}

{#
  The published state of the log that a model follows: its record, with {job, name, columns: their names, those that are
  hidden now included}; batch 0 for a log without batches.
#}
{%- macro _followed_log(job) -%}
  {%- set node = job.follows -%}
  {%- set settings = deltawave._differential_settings(node.name, node.config) -%}
  {%- set opened = deltawave._open_job(
    node.name, settings, api.Relation.create(schema=node.schema, identifier=node.alias)
  ) -%}
  {%- do opened.update(statements=job.statements) -%}
  {%- set view = deltawave._view_of_log(opened) -%}
  {%- if view is none -%}
    {%- do deltawave._fail('log_not_built', {'model': job.name, 'log': node.name}) -%}
  {%- elif not view.batch_id -%}
    {{ return({'job': opened, 'name': node.name, 'batch_id': 0}) }}
  {%- endif -%}
  {#- Until a batch is published, the previous decision is valid. -#}
  {%- set record = deltawave._read_commit(opened, view.batch_id) -%}
  {%- do deltawave._check_version(node.name, record) -%}
  {%- if record.is_baseline -%}
    {%- do deltawave._fail('baseline_log', {'macro': job.name, 'model': node.name}) -%}
  {%- endif -%}
  {#- Before the select is described: its view may have a column that the session's tables lack. -#}
  {%- do deltawave._refresh(job, record.file_format, [
    deltawave._helper_relation(opened, record.log), opened.batches,
  ]) -%}
  {{ return(dict(
    record, job=opened, name=node.name, columns=record.columns | map(attribute='name') | list + record.hidden,
    erased_at=record.get('erased_at')
  )) }}
{%- endmacro -%}
