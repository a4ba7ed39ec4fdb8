{# The rows that only one of two relations has, and what is wrong with them. #}
{% macro unlike_rows(found, expected) %}
select 'missing' as problem, * from (select * from {{ expected }} except all select * from {{ found }})
union all
select 'unexpected' as problem, * from (select * from {{ found }} except all select * from {{ expected }})
{% endmacro %}
