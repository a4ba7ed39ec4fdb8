{#
  Common table expressions that end in `checked`: the records of a format with {_values, reason}, where reason is null
  for a good record. Each record is checked by its own text alone, so that Spark can split files, and read only the
  folders that a query asks for.

  definition: the external definition; source: the expression with the lines, {_text, _is_undecodable} and the
  `carried` columns. Lines of the header and the trailer are left out, unless `frame` is given, SQL that says what is
  wrong with such a line.
#}
{%- macro _read_records(definition, source, carried, frame=none) -%}
{%- set format = definition.format -%}
{%- set frame_lines = format.header + format.trailer -%}
{%- set is_frame = deltawave._is_one_of(frame_lines, '`_text`') if frame_lines else none -%}
{%- set carried = deltawave._quoted_list(carried) + ['`_text`'] -%}
{%- set texts, values, problems = [], [], [] -%}
{%- for field in format.fields -%}
  {%- set text = 'get(`_fields`, ' ~ loop.index0 ~ ')' -%}
  {%- do texts.append(deltawave._field_text(format, field, loop.index0)) -%}
  {%- do values.append("'" ~ loop.index0 ~ "', " ~ deltawave._field_value(field, text, format.decimal_separator)) -%}
  {%- do problems.append(deltawave._field_problem(format, field, text, '`_values`.`' ~ loop.index0 ~ '`')) -%}
{%- endfor -%}
{%- set reason = "coalesce(`_problem`, nullif(concat_ws(\n    '; ',\n    " ~ problems | join(',\n    ')
    ~ "\n), ''))" -%}
cut_records as (
    select
        {{ carried | join(',\n        ') }},
        `_is_undecodable`,
        `_pieces`
    from {{ source }}
    {{ deltawave._once({'_pieces': deltawave._pieces(format)}) | indent }}
    {%- if is_frame and not frame %}
    where not {{ is_frame }}
    {%- endif %}
),

cut_fields as (
    select
        {{ carried | join(',\n        ') }},
        case
            when `_is_undecodable` then {{ deltawave._literal('not all of its bytes are ' ~ format.encoding) }}
            {{ deltawave._record_problem(format) | indent(12) }}
        end as `_problem`,
        `_fields`
    from cut_records
    {{ deltawave._once({'_fields': 'array(\n    ' ~ texts | join(',\n    ') ~ '\n)'}) | indent }}
),

typed_fields as (
    select
        {{ carried | join(',\n        ') }},
        `_problem`,
        `_fields`,
        `_values`
    from cut_fields
    {{ deltawave._once({'_values': 'named_struct(\n    ' ~ values | join(',\n    ') ~ '\n)'}) | indent }}
),

checked as (
    select
        {{ carried | join(',\n        ') }},
        `_values`,
        `reason`
    from typed_fields
    {{ deltawave._once({
      'reason': 'if(' ~ is_frame ~ ', ' ~ frame ~ ', ' ~ reason ~ ')' if is_frame and frame else reason
    }) | indent }}
)
{%- endmacro -%}

{# The text of a line in pieces, one for each field. With quotes each begins with its delimiter. #}
{%- macro _pieces(format) -%}
  {%- set delimiter = modules.re.escape(format.delimiter or '') -%}
  {%- if format.kind == 'delimited' and format.quote -%}
    {#-
      A delimiter and a field: in quotes, where a doubled one stands for itself, or without any. Possessive, as Java's
      stack grows with each step back.
    -#}
    {%- set pattern = delimiter ~ '(?:Q[^Q]*+(?:QQ[^Q]*+)*+Q|[^QD]*+)' | replace('Q', modules.re.escape(format.quote))
        | replace('D', delimiter) -%}
    {{ return('regexp_extract_all(' ~ deltawave._led(format) ~ ', ' ~ deltawave._literal(pattern) ~ ', 0)') }}
  {%- elif format.kind == 'delimited' -%}
    {{ return('split(`_text`, ' ~ deltawave._literal(delimiter) ~ ', -1)') }}
  {%- endif -%}
  {%- set text = 'rpad(`_text`, ' ~ format.record_length ~ ", ' ')" if format.short_records == 'pad' else '`_text`' -%}
  {%- set pieces = [] -%}
  {%- for field in format.fields -%}
    {%- do pieces.append('substring(' ~ text ~ ', ' ~ field.start ~ ', ' ~ field.length ~ ')') -%}
  {%- endfor -%}
  {{ return('array(' ~ pieces | join(', ') ~ ')') }}
{%- endmacro -%}

{# The record with a delimiter before its first field as well. #}
{%- macro _led(format) -%}{{ return('concat(' ~ deltawave._literal(format.delimiter) ~ ', `_text`)') }}{%- endmacro -%}

{# The conditions under which a record as a whole is bad. #}
{%- macro _record_problem(format) -%}
{%- if format.short_records == 'pad' or format.fields | length == 1 -%}
when trim(`_text`) = '' then 'an empty line'
{% endif -%}
{%- if format.kind == 'fixed_width' -%}
when char_length(`_text`) {{ '>' if format.short_records == 'pad' else '<>' }} {{ format.record_length }}
    then concat(char_length(`_text`), ' characters, not {{ format.record_length }}')
{%- else -%}
{%- if format.quote -%}
when array_join(`_pieces`, '') <> {{ deltawave._led(format) }} then 'a quote that does not open or close a field'
{% endif -%}
when size(`_pieces`) <> {{ format.fields | length }} then concat(size(`_pieces`), ' fields, not {{ format.fields | length }}')
{%- endif -%}
{%- endmacro -%}

{# The text of a field, or null if it is a null marker. Quoted text is taken as it is. #}
{%- macro _field_text(format, field, place) -%}
  {%- set piece = 'get(`_pieces`, ' ~ place ~ ')' -%}
  {%- if format.quote -%}{%- set piece = 'substring(' ~ piece ~ ', 2)' -%}{%- endif -%}
  {%- set text = {'both': 'trim(', 'left': 'ltrim(', 'right': 'rtrim(', 'none': '('}[field.trim] ~ piece ~ ')' -%}
  {%- set markers = [] -%}
  {%- for marker in field.null_markers -%}{%- do markers.append(deltawave._literal(marker)) -%}{%- endfor -%}
  {%- set text = 'if(' ~ text ~ ' in (' ~ markers | join(', ') ~ '), null, ' ~ text ~ ')' if markers else text -%}
  {%- if format.quote -%}
    {%- set quote = deltawave._literal(format.quote) -%}
    {%- set within = 'substring(' ~ piece ~ ', 2, char_length(' ~ piece ~ ') - 2)' -%}
    {%- set within = 'replace(' ~ within ~ ', ' ~ deltawave._literal(format.quote * 2) ~ ', ' ~ quote ~ ')' -%}
    {{ return('if(startswith(' ~ piece ~ ', ' ~ quote ~ '), ' ~ within ~ ', ' ~ text ~ ')') }}
  {%- endif -%}
  {{ return(text) }}
{%- endmacro -%}

{# What is wrong with a field, or null. text, value: expressions. #}
{%- macro _field_problem(format, field, text, value) -%}
  {%- set in_key = field.name in format.key -%}
  {%- set cases = [] -%}
  {%- if in_key or field.required -%}
    {%- set problem = field.name ~ ' is null, and ' ~ ('in the key' if in_key else 'required') -%}
    {%- do cases.append('when ' ~ text ~ ' is null then ' ~ deltawave._literal(problem)) -%}
  {%- endif -%}
  {%- if field.kind != 'text' -%}
    {%- set written = (' written as ' ~ field.format if field.format else '')
      ~ (' with ' ~ field.implied_decimals ~ ' implied decimals' if field.implied_decimals else '') -%}
    {%- set is_another = deltawave._is_another(field, text, value) -%}
    {%- do cases.append(
      'when ' ~ text ~ ' is not null and ' ~ value ~ ' is null' ~ (' or ' ~ is_another if is_another else '')
        ~ ' then concat(' ~ deltawave._literal(field.name ~ " is '") ~ ', ' ~ text
      ~ ', ' ~ deltawave._literal("', not " ~ field.data_type ~ written) ~ ')'
    ) -%}
  {%- endif -%}
  {{ return('case ' ~ cases | join(' ') ~ ' end' if cases else 'cast(null as string)') }}
{%- endmacro -%}
