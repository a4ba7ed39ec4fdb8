{# Fills in keys of a job or a batch, all of which are named where it begins: Jinja would take any other in silence. #}
{%- macro _update(known) -%}
  {%- for key in kwargs if key not in known -%}
    {%- do exceptions.raise_compiler_error(key ~ ' is no key of a job or batch: see _open_job and _begin_batch') -%}
  {%- endfor -%}
  {%- do known.update(kwargs) -%}
{%- endmacro -%}
