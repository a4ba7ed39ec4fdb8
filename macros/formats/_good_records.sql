{#
  A select of the good records of a format's files, with their types. A file that lacks its header or trailer, or whose trailer states another number of
  records than are there, stops every query that would read it: half a file looks like deletes.
#}
{%- macro _good_records(definition) -%}
{%- set format = definition.format -%}
{%- set parts = definition.partitions | map(attribute='name') | list -%}
{%- set framed = format.header or format.trailer -%}
with lines as (
    {{ deltawave._indented(deltawave._lines(definition)) }}
),

{{ deltawave._read_records(definition, 'lines', parts + ['file']) }}
{%- if framed %},

{{ deltawave._file_problems(definition) }}
{%- endif %}

select{{ ' /*+ broadcast(file_problems) */' if framed }}
    {%- for field in format.fields %}
    checked.`_values`.`{{ loop.index0 }}` as {{ deltawave._quoted(field.name) }}{{ ',' if parts or not loop.last }}
    {%- endfor %}
    {%- for name in deltawave._quoted_list(parts, 'checked') %}
    {{ name }}{{ ',' if not loop.last }}
    {%- endfor %}
from checked
{%- if framed %}
inner join file_problems
    on checked.`file` = file_problems.`file`
    {%- for name in deltawave._quoted_list(parts) %}
    and checked.{{ name }} = file_problems.{{ name }}
    {%- endfor %}
{%- endif %}
where {{ deltawave._or_stop('checked.`reason` is null', definition, "checked.`file`, ': ', checked.`reason`, ': ', checked.`_text`") if format.bad_records == 'fail' else 'checked.`reason` is null' }}
    {%- if framed %}
    and {{ deltawave._or_stop('file_problems.`problem` is null', definition, "file_problems.`file`, ': ', file_problems.`problem`") }}
    {%- endif %}
{%- endmacro -%}

{# A condition that ends the query where it does not hold, with a message of these parts. #}
{%- macro _or_stop(condition, definition, parts) -%}
  {%- set source = deltawave._literal('source ' ~ definition.name ~ ': refused ') -%}
  {{ return('if(' ~ condition ~ ', true, raise_error(concat(' ~ source ~ ', ' ~ parts ~ ')))') }}
{%- endmacro -%}

{# The lines of all files, decoded: {_text, _is_undecodable, file} and the partitions; with `ordered`, {_block, _place} give their order in a file. #}
{%- macro _lines(definition, ordered=false) -%}
{%- set encoding = definition.format.encoding -%}
select
    {%- for name in deltawave._quoted_list(definition.partitions | map(attribute='name')) %}
    {{ name }},
    {%- endfor %}
    `file`,
    {%- if ordered %}
    `_block`,
    `_place`,
    {%- endif %}
    `_text`,
    {{ deltawave._is_undecodable(encoding, '`record`', '`_text`') }} as `_is_undecodable`
from (
    select
        *,
        _metadata.file_path as `file`
        {%- if ordered %},
        _metadata.file_block_start as `_block`,
        -- A task reads a block's lines in order, and this grows within a task.
        monotonically_increasing_id() as `_place`
        {%- endif %}
    from {{ definition.lines }}
) as raw_lines
{{ deltawave._once({'_text': deltawave._decoded(encoding, '`record`')}) }}
{%- endmacro -%}

{#
  A join that adds expressions as columns, each evaluated once for a row. Spark replaces a column of a subquery by its expression in every condition
  that it moves below, so that a record would be decoded and cut again for each field; it moves none on these below a generator.
#}
{%- macro _once(expressions) -%}
lateral view inline(array(named_struct(
    {%- for name, sql in expressions.items() %}
    '{{ name }}', {{ sql }}{{ ',' if not loop.last }}
    {%- endfor %}
))) as {{ deltawave._quoted_list(expressions.keys()) | join(', ') }}
{%- endmacro -%}
