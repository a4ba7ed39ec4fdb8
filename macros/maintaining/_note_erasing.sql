{#
  Notes what an erasure is about to remove, so that its receipts have that also if it is killed, and repeated: then the
  places get the figures, and the receipts the time, of the first try. Returns {table, at, places}. The table's name is
  all that tells of the subject, by a salted hash.
#}
{%- macro _note_erasing(job, subject, places) -%}
  {%- set hash = deltawave._run(
    job, 'select ' ~ deltawave._salted(job, deltawave._literal(local_md5(subject)))
  ).rows[0][0] -%}
  {%- set table = deltawave._helper_relation(job, 'erasing_' ~ hash[:12]) -%}
  {%- do deltawave._create_removals(job) -%}
  {%- set sql -%}
create table if not exists {{ table }} (
    begun_at timestamp,
    place string,
    row_count bigint,
    files bigint,
    bytes bigint
)
using {{ job.settings.file_format }}
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {%- set note = deltawave._noted(job, table) -%}
  {%- if not note.at -%}
    {%- set selects = [] -%}
    {%- for place in places -%}
      {%- do selects.append('select current_timestamp(), ' ~ deltawave._literal(place.name) ~ ', '
        ~ ([place.rows] + (place.before or ['null', 'null'])) | join(', ')) -%}
    {%- endfor -%}
    {%- do deltawave._run(job, 'insert into ' ~ table ~ '\n' ~ selects | join('\nunion all\n')) -%}
    {%- set note = deltawave._noted(job, table) -%}
  {%- endif -%}
  {%- do deltawave._take_noted(note, places) -%}
  {{ return(note) }}
{%- endmacro -%}

{# What was noted last and has no receipt yet. #}
{%- macro _noted(job, table) -%}
  {%- set sql -%}
select
    {{ deltawave._utc_text('begun_at') }} as begun_at,
    place,
    row_count,
    files,
    bytes
from {{ table }} as noted
where begun_at = (select max(begun_at) from {{ table }})
    and not exists (
        select 1
        from {{ deltawave._removals_relation(job) }} as written
        where written.place = noted.place
            and written.removed_at = noted.begun_at
    )
  {%- endset -%}
  {%- set rows, places = deltawave._run(job, sql).rows, {} -%}
  {%- for row in rows -%}
    {%- do places.update({row[1]: {
      'rows': row[2] | int, 'before': none if row[3] is none else [row[3] | int, row[4] | int],
    }}) -%}
  {%- endfor -%}
  {{ return({'table': table, 'at': rows[0][0] if rows else none, 'places': places}) }}
{%- endmacro -%}

{# Gives places the figures that were noted for them, where these are larger. #}
{%- macro _take_noted(note, places) -%}
  {%- for place in places -%}
    {%- set noted = note.places.get(place.name) -%}
    {%- if noted -%}
      {%- set has_grown = place.before and noted.before and place.before[1] > noted.before[1] -%}
      {%- do place.update(
        rows=[noted.rows, place.rows] | max, before=place.before if has_grown else noted.before
      ) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}
