{#
  The published batch, from the model's view: {batch_id, attempt}; batch 0 for a view made by --empty; none if no relation has the model's name.
  Anything that is not our view belongs to another program and is never touched.
#}
{%- macro _read_view(job) -%}
  {%- if job.target.identifier | lower not in deltawave._names_like(job, job.target.identifier, job.target.schema) | map('lower') | list -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set facts = {} -%}
  {%- for row in deltawave._run(job, 'describe extended ' ~ job.target).rows -%}
    {%- do facts.update({row[0]: row[1]}) -%}
  {%- endfor -%}
  {%- set told = deltawave._told_in(facts.get('View Text') or '') -%}
  {%- if not told -%}
    {%- do deltawave._fail('foreign_relation', {'model': job.name, 'relation': job.target | string, 'type': facts.get('Type', 'relation') | lower}) -%}
  {%- endif -%}
  {{ return(told) }}
{%- endmacro -%}

{# The mark in the text of a view, if the view is ours. #}
{%- macro _told_in(text) -%}
  {%- set mark = modules.re.search(modules.re.escape(deltawave._view_mark()) ~ ' (\\{.*?\\}) \\*/', text) -%}
  {{ return(fromjson(mark.group(1)) if mark else {}) }}
{%- endmacro -%}

{# The start of every view of ours; recover looks for it before it replaces anything. #}
{%- macro _view_mark() -%}{{ return('/* deltawave') }}{%- endmacro -%}
