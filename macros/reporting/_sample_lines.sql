{# Some updates of each batch, one line per changed column: "KXYZ  name: 'Old' -> 'New'". #}
{%- macro _sample_lines(reported, counts, samples) -%}
  {%- if not samples | int or not reported.columns or not counts | map(attribute='update') | sum -%}
    {{ return([]) }}
  {%- endif -%}
  {%- set rows = run_query(deltawave._samples_sql(reported, counts[0].batch_id, samples)).rows -%}
  {%- set lines = ['', 'Some of the updates'] -%}
  {%- for count in counts -%}
    {%- set shown = [] -%}
    {%- for row in rows if row[0] | int == count.batch_id -%}
      {%- for change in fromjson(row[2]) -%}
        {%- do shown.append([row[1] if loop.first else '', change]) -%}
      {%- endfor -%}
    {%- endfor -%}
    {%- if shown -%}
      {%- do lines.extend(['', '  ' ~ count['at']]) -%}
      {%- for line in deltawave._aligned(shown, 'll') -%}{%- do lines.append('  ' ~ line) -%}{%- endfor -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(lines) }}
{%- endmacro -%}

{# A change of a column that rarely changes says more than one of thousands alike, so such updates come first. #}
{%- macro _samples_sql(reported, from_batch, samples) -%}
  {%- set keys = [] -%}
  {%- for key in reported['keys'] -%}{%- do keys.append('coalesce(cast(' ~ deltawave._quoted(key) ~ " as string), 'null')") -%}{%- endfor -%}
with updates as (
    select
        _batch_id as batch_id,
        _changed_columns as changed_columns,
        concat_ws(', ', {{ keys | join(', ') }}) as key_text,
        to_json(array_compact(array(
            {%- for column in reported.columns %}
            {{ deltawave._old_and_new(column) }}{{ ',' if not loop.last }}
            {%- endfor %}
        ))) as changes
    from {{ reported.relation }}
    where _change_type = 'update' and not {{ deltawave._is_backfill() }} and _batch_id >= {{ from_batch }}
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
        updates.key_text,
        updates.changes,
        row_number() over (
            partition by updates.batch_id
            order by
                array_min(transform(updates.changed_columns, name -> frequencies.frequency[name])),
                size(updates.changed_columns),
                updates.key_text
        ) as place
    from updates
    inner join frequencies on updates.batch_id = frequencies.batch_id
)

select
    batch_id,
    key_text,
    changes
from ranked
where place <= {{ samples | int }}
order by batch_id, place
{%- endmacro -%}

{# "name: 'Old' -> 'New'" if the column has changed, otherwise null. #}
{%- macro _old_and_new(column) -%}
  {%- set name = deltawave._literal(column.name) -%}
  {%- set old = deltawave._shown_value('_before.' ~ deltawave._quoted(column.name), column.data_type) -%}
  {%- set new = deltawave._shown_value(deltawave._quoted(column.name), column.data_type) -%}
  {{ return("if(array_contains(_changed_columns, " ~ name ~ "), concat(" ~ name ~ ", ': ', " ~ old ~ ", ' -> ', " ~ new ~ "), null)") }}
{%- endmacro -%}

{# A value for readers: text in quotes, on one line, and not too long. #}
{%- macro _shown_value(expression, data_type) -%}
  {%- set text = 'hex(' ~ expression ~ ')' if data_type == 'binary' else 'cast(' ~ expression ~ ' as string)' -%}
  {%- set text = "translate(" ~ text ~ ", '\\n\\r\\t', '   ')" -%}
  {%- set short = 'if(length(' ~ text ~ ') > 60, concat(left(' ~ text ~ ", 57), '...'), " ~ text ~ ')' -%}
  {%- if data_type == 'string' or data_type.startswith(('char', 'varchar')) -%}
    {%- set short = "concat('\\'', " ~ short ~ ", '\\'')" -%}
  {%- endif -%}
  {{ return('coalesce(' ~ short ~ ", 'null')") }}
{%- endmacro -%}
