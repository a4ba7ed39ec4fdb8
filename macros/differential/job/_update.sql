{# Fills in keys of a job or a batch. All of them are named where it begins: Jinja would accept any other silently. #}
{%- macro _update(known) -%}
  {%- for key in kwargs if key not in known -%}
    {%- do exceptions.raise_compiler_error(key ~ ' is no key of a job or batch: see _open_job and _begin_batch') -%}
  {%- endfor -%}
  {%- do known.update(kwargs) -%}
{%- endmacro -%}
