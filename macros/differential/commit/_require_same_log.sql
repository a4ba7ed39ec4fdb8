{# The published batch of a log: {batch_id, attempt}; none if it is not built. #}
{%- macro _view_of_log(opened) -%}
  {{ return(deltawave._read_view(
    opened, deltawave._names_like(opened, opened.target.identifier, opened.target.schema)
  )) }}
{%- endmacro -%}

{#
  Stops if the log was rewritten since `followed` ({job, name, batch_id, attempt, log, erased_at}) was read: then rows
  that were read since may be others than those of its batches. Later batches do not matter. Each rewind, expiry,
  compaction and full refresh begins a table of another name; an erasure may write some partitions alone.
#}
{%- macro _require_same_log(job, batch, followed) -%}
  {%- set view = deltawave._view_of_log(followed.job) or {'batch_id': 0} -%}
  {%- if (view.batch_id, view.attempt) != (followed.batch_id, followed.attempt) -%}
    {%- set record = deltawave._read_commit(followed.job, view.batch_id) if view.batch_id else {} -%}
    {%- if record.log != followed.log or record.get('erased_at') != followed.erased_at -%}
      {%- do deltawave._refuse(job, batch, 'log_rewritten', {'log': followed.name}) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}
