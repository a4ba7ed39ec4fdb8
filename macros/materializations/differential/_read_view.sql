{#
  The published batch, as the model's view says: {batch_id, attempt}; batch 0 for a view made by --empty; none where there is
  no relation of the model's name. Anything that is not a view of ours is another program's and is never touched.
#}
{%- macro _read_view(job) -%}
  {%- if job.target.identifier | lower not in deltawave._names_like(job, job.target.identifier, job.target.schema) | map('lower') | list -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set facts = {} -%}
  {%- for row in deltawave._run(job, 'describe extended ' ~ job.target).rows -%}
    {%- do facts.update({row[0]: row[1]}) -%}
  {%- endfor -%}
  {%- set mark = modules.re.search(modules.re.escape(deltawave._view_mark()) ~ ' (\\{.*?\\}) \\*/', facts.get('View Text') or '') -%}
  {%- if not mark -%}
    {%- do deltawave._fail('foreign_relation', {'model': job.name, 'relation': job.target | string, 'type': facts.get('Type', 'relation') | lower}) -%}
  {%- endif -%}
  {{ return(fromjson(mark.group(1))) }}
{%- endmacro -%}

{# Names of tables and views, as the catalog spells them, that match a pattern with * for any text. #}
{%- macro _names_like(job, pattern, schema=none) -%}
  {%- set names = [] -%}
  {%- set sql = 'show tables in ' ~ deltawave._quoted(schema or job.state_schema) ~ ' like ' ~ deltawave._literal(pattern) -%}
  {%- for row in deltawave._run(job, sql).rows if row[2] | string | lower != 'true' -%}
    {%- do names.append(row[1] | string) -%}
  {%- endfor -%}
  {{ return(names) }}
{%- endmacro -%}

{%- macro _commit_numbers(job, names) -%}
  {%- set numbers = [] -%}
  {%- for name in names -%}
    {%- set found = modules.re.fullmatch(modules.re.escape(job.target.identifier | lower) ~ '__commit_(\\d+)', name | lower) -%}
    {%- if found -%}{%- do numbers.append(found.group(1) | int) -%}{%- endif -%}
  {%- endfor -%}
  {{ return(numbers) }}
{%- endmacro -%}

{# Helper relations that belong to one attempt (see _attempt_relation): [{kind, batch_id, attempt}]. #}
{%- macro _attempts_helpers(job, names, kinds) -%}
  {%- set helpers = [] -%}
  {%- for name in names -%}
    {%- set found = modules.re.fullmatch(
      modules.re.escape(job.target.identifier | lower) ~ '__(' ~ kinds | join('|') ~ ')_(\\d+)_([0-9a-f]{12})', name | lower
    ) -%}
    {%- if found -%}{%- do helpers.append({'kind': found.group(1), 'batch_id': found.group(2) | int, 'attempt': found.group(3)}) -%}{%- endif -%}
  {%- endfor -%}
  {{ return(helpers) }}
{%- endmacro -%}
