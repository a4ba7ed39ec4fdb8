{# Some updates of each batch, one line per changed column: "KXYZ  name: 'Old' -> 'New'". #}
{%- macro _sample_lines(reported, counts, samples) -%}
  {%- if not samples | int or not reported.columns or not counts | map(attribute='update') | sum -%}
    {{ return([]) }}
  {%- endif -%}
  {%- set rows = run_query(deltawave._samples_sql(reported, counts[0].batch_id, counts[-1].batch_id, samples)).rows -%}
  {%- set lines = ['', 'Some of the updates'] -%}
  {%- for count in counts -%}
    {%- set shown = [] -%}
    {%- for row in rows if row[0] | int == count.batch_id -%}
      {%- for change in fromjson(row[2]) -%}
        {%- do shown.append([row[1] if loop.first else '', change]) -%}
      {%- endfor -%}
    {%- endfor -%}
    {%- if shown -%}
      {%- do lines.extend(['', '  ' ~ (count.dump or count['at'])]) -%}
      {%- for line in deltawave._aligned(shown, 'll') -%}{%- do lines.append('  ' ~ line) -%}{%- endfor -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(lines) }}
{%- endmacro -%}

{# A change of a column that rarely changes says more than one of thousands alike, so such updates come first. #}
{%- macro _samples_sql(reported, from_batch, to_batch, samples) -%}
  {%- set used, keys = ['_changed_columns', '_before'], [] -%}
  {%- for column in reported['keys'] + reported.columns -%}
    {%- do used.append(deltawave._quoted(column.name)) -%}
  {%- endfor -%}
  {%- for key in reported['keys'] -%}
    {%- do keys.append(deltawave._shown_value('logged.' ~ deltawave._quoted(key.name), key.data_type)) -%}
  {%- endfor -%}
with updates as (
    select
        _batch_id as batch_id,
        _changed_columns as changed_columns,
        struct({{ used | join(', ') }}) as logged
    from {{ reported.relation }}
    where _change_type = 'update' and not {{ deltawave._is_backfill() }} and _batch_id between {{ from_batch }} and {{ to_batch }}
),

names as (
    select
        batch_id,
        explode(changed_columns) as column_name
    from updates
),

name_counts as (
    select
        batch_id,
        column_name,
        count(*) as update_count
    from names
    group by batch_id, column_name
),

frequencies as (
    select
        batch_id,
        map_from_entries(collect_list(struct(column_name, update_count))) as frequency
    from name_counts
    group by batch_id
),

ranked as (
    select
        updates.batch_id,
        updates.logged,
        row_number() over (
            partition by updates.batch_id
            order by
                array_min(transform(updates.changed_columns, name -> frequencies.frequency[name])),
                size(updates.changed_columns),
                {%- for key in reported['keys'] %}
                updates.logged.{{ deltawave._quoted(key.name) }}{{ ',' if not loop.last }}
                {%- endfor %}
        ) as place
    from updates
    inner join frequencies on updates.batch_id = frequencies.batch_id
)

select
    batch_id,
    {{ deltawave._without_controls("concat_ws(', ', " ~ keys | join(', ') ~ ')') }} as key_text,
    to_json(array_compact(array(
        {%- for column in reported.columns %}
        {%- set name, quoted = deltawave._literal(column.name), deltawave._quoted(column.name) %}
        {%- set old = deltawave._shown_value('logged._before.' ~ quoted, column.data_type, is_quoted=true) %}
        {%- set new = deltawave._shown_value('logged.' ~ quoted, column.data_type, is_quoted=true) %}
        {%- set change = deltawave._without_controls('concat(' ~ name ~ ", ': ', " ~ old ~ ", ' -> ', " ~ new ~ ')') %}
        if(array_contains(logged._changed_columns, {{ name }}), {{ change }}, null){{ ',' if not loop.last }}
        {%- endfor %}
    ))) as changes
from ranked
where place <= {{ samples | int }}
order by batch_id, place
{%- endmacro -%}

{# A text with blanks for line breaks and all else that a terminal would obey, or not show. #}
{%- macro _without_controls(text) -%}
  {{ return('regexp_replace(' ~ text ~ ', ' ~ deltawave._literal('\\p{C}') ~ ", ' ')") }}
{%- endmacro -%}

{# A value for readers, not too long; is_quoted: text in quotes. #}
{%- macro _shown_value(expression, data_type, is_quoted=false) -%}
  {%- set text = 'hex(' ~ expression ~ ')' if data_type == 'binary' else 'cast(' ~ expression ~ ' as string)' -%}
  {%- set short = 'if(length(' ~ text ~ ') > 60, concat(left(' ~ text ~ ", 57), '...'), " ~ text ~ ')' -%}
  {%- if is_quoted and data_type.startswith(('string', 'char', 'varchar')) -%}
    {%- set short = "concat('\\'', " ~ short ~ ", '\\'')" -%}
  {%- endif -%}
  {{ return('coalesce(' ~ short ~ ", 'null')") }}
{%- endmacro -%}
