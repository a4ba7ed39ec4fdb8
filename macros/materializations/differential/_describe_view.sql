{# persist_docs: the model's description becomes the view's comment. Columns have none: replacing a view's text would lose them. #}
{%- macro _describe_view(job) -%}
  {%- if config.persist_relation_docs() and model.description and job.view_exists -%}
    {%- do deltawave._run(
      job, 'alter view ' ~ job.target ~ " set tblproperties ('comment' = " ~ deltawave._literal(model.description) ~ ')'
    ) -%}
  {%- endif -%}
{%- endmacro -%}
