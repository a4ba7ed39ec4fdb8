{# Remembers the keys of the rows that are about to be erased, wherever they are. columns: of the key. #}
{%- macro _remember_erased(job, subject, places, columns) -%}
  {%- set names = deltawave._quoted_list(columns | map(attribute='name')) | join(', ') -%}
  {%- set selects = [] -%}
  {%- for place in places if place.rows -%}
    {%- for keys in deltawave._keys_in(place, columns) -%}
      {%- do selects.append('select ' ~ names ~ ' from ' ~ keys ~ ' where ' ~ subject) -%}
    {%- endfor -%}
  {%- endfor -%}
  {%- set salt, erased = deltawave._salt_relation(job), deltawave._erased_relation(job) -%}
  {%- set using = ' using ' ~ job.settings.file_format -%}
  {%- do deltawave._run(job, 'create table if not exists ' ~ salt ~ ' (salt string)' ~ using) -%}
  {%- do deltawave._run(
    job, 'create table if not exists ' ~ erased ~ ' (key_hash string, noted_at timestamp, is_erased boolean)' ~ using
  ) -%}
  {%- if not deltawave._row_count(job, salt) -%}
    {%- do deltawave._run(job, 'insert into ' ~ salt ~ ' select concat(uuid(), uuid())') -%}
  {%- endif -%}
  {%- if selects -%}
    {%- set sql -%}
insert into {{ erased }}
select distinct
    {{ deltawave._salted_key(job, columns) }} as key_hash,
    current_timestamp() as noted_at,
    true as is_erased
from {{ deltawave._in_parentheses(selects | join('\nunion all\n')) }}
    {%- endset -%}
    {%- do deltawave._run(job, sql) -%}
  {%- endif -%}
{%- endmacro -%}
