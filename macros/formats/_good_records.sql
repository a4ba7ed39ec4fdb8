{#
  A select of the good records of a format's files, with their types. A file without its header or trailer, or whose
  trailer states another number of records than it has, stops every query that would read it: half a file looks like
  deletes.
#}
{%- macro _good_records(definition) -%}
{%- set format = definition.format -%}
{%- set parts = definition.partitions | map(attribute='name') | list -%}
{%- set framed = format.header or format.trailer -%}
{%- set stops = format.bad_records == 'fail' -%}
{%- set records = 'good_records' if stops else 'checked' -%}
{%- set conditions = [] if stops else ['checked.`reason` is null'] -%}
{%- if framed -%}
  {%- do conditions.append(
    deltawave._or_stop('file_problems.`problem` is null', 'true', definition, "file_problems.`file`, ': ', file_problems.`problem`")
  ) -%}
{%- endif -%}
with lines as (
    {{ deltawave._indented(deltawave._lines(definition)) }}
),

{{ deltawave._read_records(definition, 'lines', parts + ['file']) }}
{%- if stops %},

good_records as (
    select
        {%- for name in deltawave._quoted_list(parts + ['file']) %}
        {{ name }},
        {%- endfor %}
        `_good_values` as `_values`
    from checked
    {#-
      Spark evaluates a reader's filter before ours. So the values that it reads come from the expression that stops.
    #}
    {{ deltawave._once({
      '_good_values': deltawave._or_stop('`reason` is null', '`_values`', definition, "`file`, ': ', `reason`, ': ', `_text`"),
    }) | indent }}
)
{%- endif %}
{%- if framed %},

{{ deltawave._file_problems(definition) }}
{%- endif %}

select{{ ' /*+ broadcast(file_problems) */' if framed }}
    {%- for field in format.fields %}
    {{ records }}.`_values`.`{{ loop.index0 }}` as {{ deltawave._quoted(field.name) }}{{ ',' if parts or not loop.last }}
    {%- endfor %}
    {%- for name in deltawave._quoted_list(parts, records) %}
    {{ name }}{{ ',' if not loop.last }}
    {%- endfor %}
from {{ records }}
{%- if framed %}
inner join file_problems
    on {{ records }}.`file` = file_problems.`file`
    {%- for name in deltawave._quoted_list(parts) %}
    and {{ records }}.{{ name }} = file_problems.{{ name }}
    {%- endfor %}
{%- endif %}
{%- if conditions %}
where {{ conditions | join('\n    and ') }}
{%- endif %}
{%- endmacro -%}

{# The value, or an end of the query with a message of these parts if the condition does not hold. #}
{%- macro _or_stop(condition, value, definition, parts) -%}
  {%- set source = deltawave._literal('source ' ~ definition.name ~ ': refused ') -%}
  {{ return('if(' ~ condition ~ ', ' ~ value ~ ', raise_error(concat(' ~ source ~ ', ' ~ parts ~ ')))') }}
{%- endmacro -%}

{#
  The lines of all files, decoded: {_text, _is_undecodable, file} and the partitions; with `ordered`, {_block, _place}
  give their order in a file.
  condition: which folders, if not all; Spark moves no condition below the order.
#}
{%- macro _lines(definition, ordered=false, condition=none) -%}
{%- set encoding = definition.format.encoding -%}
{#- Is there a byte that means nothing in the encoding? -#}
{%- set is_undecodable = 'not is_valid_utf8(`record`)' if encoding == 'utf-8' else "contains(`_text`, '\\ufffd')" -%}
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
    {{ is_undecodable }} as `_is_undecodable`
from (
    select
        *,
        _metadata.file_path as `file`
        {%- if ordered %},
        _metadata.file_block_start as `_block`,
        -- A task reads a block's lines in order, and this number grows within a task.
        monotonically_increasing_id() as `_place`
        {%- endif %}
    from {{ definition.lines }}
    {%- if condition %}
    where {{ condition }}
    {%- endif %}
) as raw_lines
{{ deltawave._once({'_text': deltawave._decoded(encoding, '`record`')}) }}
{%- endmacro -%}

{#
  A join that adds expressions as columns, each evaluated once for a row. When Spark pushes a condition below a
  subquery, it replaces columns by their expressions, so that a record would be decoded and cut again for each field;
  it pushes no condition on these columns below a generator.
#}
{%- macro _once(expressions) -%}
lateral view inline(array(named_struct(
    {%- for name, sql in expressions.items() %}
    '{{ name }}', {{ sql }}{{ ',' if not loop.last }}
    {%- endfor %}
))) as {{ deltawave._quoted_list(expressions.keys()) | join(', ') }}
{%- endmacro -%}
