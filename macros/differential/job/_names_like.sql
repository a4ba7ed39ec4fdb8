{# Names of tables and views, as the catalog spells them, that match a pattern in which * is any text. #}
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

{# Is that helper relation in the catalog? #}
{%- macro _is_there(job, relation) -%}
  {{ return(relation.identifier | lower in deltawave._names_like(job, relation.identifier) | map('lower') | list) }}
{%- endmacro -%}
