{#
  The columns of a relation: [{name, data_type}], in its order and spelling. Asked of a select, which describes what --empty and
  --sample make of a relation too, where describe table fails.
#}
{%- macro _columns_of(relation) -%}
  {{ return(deltawave._columns_of_query('select * from ' ~ relation)) }}
{%- endmacro -%}
