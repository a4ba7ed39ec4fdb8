{% macro days_between(first_day, last_day) -%}
    {{ return(adapter.dispatch('days_between', 'calendar')(first_day, last_day)) }}
{%- endmacro %}

{% macro default__days_between(first_day, last_day) -%}
    select cast(day as date) as date_day
    from generate_series('{{ first_day }}'::date, '{{ last_day }}'::date, interval '1 day') as days (day)
{%- endmacro %}

{% macro spark__days_between(first_day, last_day) -%}
    select explode(sequence(date '{{ first_day }}', date '{{ last_day }}')) as date_day
{%- endmacro %}
