{% macro deltawave__create_table_as(temporary, relation, compiled_code, language='sql') -%}
  {%- if language == 'python' and target.method == 'session' -%}
    {{- _python_table_as(temporary, relation, compiled_code) -}}
  {%- else -%}
    {{ spark__create_table_as(temporary, relation, compiled_code, language) }}
  {%- endif -%}
{%- endmacro %}

{#- The model's result becomes a temporary view, from which the statement of a SQL model makes a table, so that both
    honour the same configuration. -#}
{% macro _python_table_as(temporary, relation, compiled_code) -%}
  {%- if temporary -%}
    {%- set view = relation.identifier -%}
    {%- set create = none -%}
  {%- else -%}
    {%- set view = relation.schema ~ '__' ~ relation.identifier ~ '__dbt_py' -%}
    {%- set create = spark__create_table_as(false, relation, 'select * from ' ~ adapter.quote(view), 'sql') -%}
  {%- endif -%}
  {{ _python_saved(compiled_code, view, create) }}
{%- endmacro %}

{% macro _python_saved(compiled_code, view, create) %}
{{ compiled_code }}
# --- stores the result of model() ---
from dbt.adapters.deltawave.python_models import save
save(
    scope=globals(),
    view={{ view | tojson }},
    create={{ 'None' if create is none else create | tojson }},
    empty={{ 'True' if flags.EMPTY else 'False' }},
)
{% endmacro %}
