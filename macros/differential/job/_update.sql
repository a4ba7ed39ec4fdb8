{# Fills in keys of a job, a batch's result or a decision. All of them are named where it begins: Jinja would accept any other silently. #}
{%- macro _update(known) -%}
  {%- for key in kwargs if key not in known -%}
    {%- do exceptions.raise_compiler_error(key ~ ' is no key of a job, a result or a decision: see _open_job, _begin_batch and _decision') -%}
  {%- endfor -%}
  {%- do known.update(kwargs) -%}
{%- endmacro -%}
