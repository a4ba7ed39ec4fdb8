{#
  Notes in x__erasing what an erasure is about to remove, so that its receipt has that also if it is killed, and
  repeated: places that a killed one has noted get its figures. It says nothing of the subject but a salted hash.
#}
{%- macro _note_erasing(job, subject, places) -%}
  {%- set table = deltawave._erasing_relation(job) -%}
  {%- do deltawave._create_removals(job) -%}
  {%- set sql -%}
create table if not exists {{ table }} (
    noted_at timestamp,
    subject string,
    place string,
    row_count bigint,
    files bigint,
    bytes bigint
)
using {{ job.settings.file_format }}
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {%- do deltawave._take_noted(job, subject, places) -%}
  {%- set hash = deltawave._salted(job, deltawave._literal(local_md5(subject))) -%}
  {%- set selects = [] -%}
  {%- for place in places if place.rows and not place.is_noted -%}
    {%- set size = place.before or ['null', 'null'] -%}
    {%- do selects.append(
      'select current_timestamp(), ' ~ hash ~ ', ' ~ deltawave._literal(place.name) ~ ', '
      ~ ([place.rows] + size) | join(', ')
    ) -%}
  {%- endfor -%}
  {%- if selects -%}
    {%- do deltawave._run(job, 'insert into ' ~ table ~ '\n' ~ selects | join('\nunion all\n')) -%}
  {%- endif -%}
{%- endmacro -%}

{# Gives places the figures that were noted for them and have no receipt yet. #}
{%- macro _take_noted(job, subject, places) -%}
  {%- set sql -%}
select
    place,
    row_count,
    files,
    bytes
from {{ deltawave._erasing_relation(job) }} as noted
where subject = {{ deltawave._salted(job, deltawave._literal(local_md5(subject))) }}
    and not exists (
        select 1
        from {{ deltawave._removals_relation(job) }} as written
        where written.place = noted.place
            and written.removed_at >= noted.noted_at
    )
  {%- endset -%}
  {%- set noted = {} -%}
  {%- for row in deltawave._run(job, sql).rows -%}
    {%- do noted.update({row[0]: {
      'rows': row[1] | int, 'before': none if row[2] is none else [row[2] | int, row[3] | int],
    }}) -%}
  {%- endfor -%}
  {%- for place in places -%}
    {%- set found = noted.get(place.name) -%}
    {%- if found -%}
      {%- do place.update(is_noted=true, rows=[found.rows, place.rows] | max, before=found.before) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}

{%- macro _erasing_relation(job) -%}{{ return(deltawave._helper_relation(job, 'erasing')) }}{%- endmacro -%}
