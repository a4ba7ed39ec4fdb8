{# Drops what is remembered of sources (see _remember_source) that a later batch, or a later run, has replaced. #}
{%- macro _forget_sources(job, names) -%}
  {%- for seen in deltawave._seen_relations(job, names) -%}{%- do deltawave._run(job, 'drop view if exists ' ~ seen) -%}{%- endfor -%}
{%- endmacro -%}

{# The relations among these names that remember sources, since any batch or the given one. #}
{%- macro _seen_relations(job, names, batch_id='\\d+') -%}
  {%- set relations = [] -%}
  {%- for name in names -%}
    {%- set found = modules.re.fullmatch(modules.re.escape(job.target.identifier | lower) ~ '__(seen_' ~ batch_id ~ '_[0-9a-f]{32})', name | lower) -%}
    {%- if found -%}{%- do relations.append(deltawave._helper_relation(job, found.group(1))) -%}{%- endif -%}
  {%- endfor -%}
  {{ return(relations) }}
{%- endmacro -%}

{%- macro _seen_relation(job, batch_id, source) -%}
  {{ return(deltawave._helper_relation(job, 'seen_' ~ batch_id ~ '_' ~ source)) }}
{%- endmacro -%}
