{# A relation that belongs to the model: x__log, x__batches, x__copy_<batch>_<attempt>, x__commit_<batch>, and so on. #}
{%- macro _helper_relation(job, suffix) -%}
  {{ return(deltawave._relation(job.state_schema, job.target.identifier ~ '__' ~ suffix)) }}
{%- endmacro -%}

{#
  The name of a log, after x__. Each generation has its own log, since a full refresh may bring other columns and
  types; so has each attempt to rewrite the log, since what readers see is never changed in place.
#}
{%- macro _generation_log(generation) -%}{{ return('log' if generation == 1 else 'log_' ~ generation) }}{%- endmacro -%}

{%- macro _rewritten_log(batch_id, attempt) -%}{{ return('log_' ~ batch_id ~ '_' ~ attempt) }}{%- endmacro -%}

{# A table of one attempt: {kind, batch_id, attempt}. Kinds: log, the rewritten log, and those of _attempt_kinds. #}
{%- macro _attempt_relation(job, table) -%}
  {{ return(deltawave._helper_relation(job, table.kind ~ '_' ~ table.batch_id ~ '_' ~ table.attempt)) }}
{%- endmacro -%}

{%- macro _commit_relation(job, batch_id) -%}
  {{ return(deltawave._helper_relation(job, 'commit_' ~ batch_id)) }}
{%- endmacro -%}

{#
  The kinds of tables that an attempt writes, as patterns: the state, in one of its forms; the rows that it read, their
  keys, the state's ranges, a view's touched anchors, the batches so far; a table that follows a log, and the changes to
  merge into one; the tables of a wave index.
#}
{%- macro _attempt_kinds() -%}
  {%- set forms = [] -%}
  {%- for name, form in deltawave._state_forms().items() if form.write or form.is_gone -%}
    {%- do forms.append(name) -%}
  {%- endfor -%}
  {{ return(forms + ['slice', 'keys', 'ranges', 'ranges_after', 'anchors', 'history', 'rows', 'patch', 'index\\d+']) }}
{%- endmacro -%}

{# The table of a kind that this attempt writes for the batch. #}
{%- macro _own_table(batch, kind) -%}
  {{ return({'kind': kind, 'batch_id': batch.batch_id, 'attempt': batch.attempt}) }}
{%- endmacro -%}

{# Did this attempt write that table? #}
{%- macro _is_own(batch, table) -%}
  {{ return(table.batch_id == batch.batch_id and table.attempt == batch.attempt) }}
{%- endmacro -%}

{# Names of tables and views, as the catalog spells them, that match a pattern in which * is any text. #}
{%- macro _names_like(job, pattern, schema=none) -%}
  {{ return(deltawave._names_in(schema or job.state_schema, pattern, job.statements)) }}
{%- endmacro -%}

{# The names of the model's helper relations and, if it exists, its own. #}
{%- macro _names_of_model(job) -%}
  {%- set own = job.target.identifier -%}
  {%- if job.state_schema == job.target.schema -%}
    {{ return(deltawave._names_like(job, own ~ '|' ~ own ~ '__*')) }}
  {%- endif -%}
  {{ return(deltawave._names_like(job, own, job.target.schema) + deltawave._names_like(job, own ~ '__*')) }}
{%- endmacro -%}

{# The numbers of the decisions among these names. #}
{%- macro _commit_numbers(job, names) -%}
  {%- set numbers = [] -%}
  {%- for name in names -%}
    {%- set found = deltawave._whole_match(
      modules.re.escape(job.target.identifier | lower) ~ '__commit_(\\d+)', name | lower
    ) -%}
    {%- if found -%}{%- do numbers.append(found.group(1) | int) -%}{%- endif -%}
  {%- endfor -%}
  {{ return(numbers) }}
{%- endmacro -%}

{# Helper relations that belong to one attempt (see _attempt_relation): [{kind, batch_id, attempt}]. #}
{%- macro _attempts_helpers(job, names, kinds) -%}
  {%- set helpers = [] -%}
  {%- for name in names -%}
    {%- set found = deltawave._whole_match(
      modules.re.escape(job.target.identifier | lower) ~ '__(' ~ kinds | join('|') ~ ')_(\\d+)_([0-9a-f]{12})',
      name | lower
    ) -%}
    {%- if found -%}
      {%- do helpers.append({'kind': found.group(1), 'batch_id': found.group(2) | int, 'attempt': found.group(3)}) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(helpers) }}
{%- endmacro -%}

{# Is that helper relation in the catalog? #}
{%- macro _is_there(job, relation) -%}
  {{ return(relation.identifier | lower in deltawave._names_like(job, relation.identifier) | map('lower') | list) }}
{%- endmacro -%}
