{#
  The lines before (header) or after (trailer) the records: [{pattern, counts}], one regular expression for each line,
  which has to match the whole line. `names` is the line with the names of the fields. counts: what the number in the
  pattern's first group counts, records or all lines.
#}
{%- macro _line_patterns(name, option, given, format) -%}
  {%- set patterns = [] -%}
  {%- set lines = [given] if given is string or given is mapping or given is not sequence else given -%}
  {%- for line in ([] if given is none else lines) -%}
    {%- set line = deltawave._known_fields(
      name, 'external.' ~ option, line if line is mapping else {'pattern': line}, ['pattern', 'counts']
    ) -%}
    {%- if line.pattern is not string or not line.pattern -%}
      {%- do deltawave._refuse_value(name, option, line.pattern, 'a regular expression for each line') -%}
    {%- endif -%}
    {%- do deltawave._format_choice(name, option ~ '.counts', line.counts, [none, 'records', 'lines']) -%}
    {%- if line.counts and not deltawave._has_group(line.pattern) -%}
      {%- do deltawave._fail('format_count', {'source': name, 'option': option, 'pattern': line.pattern}) -%}
    {%- endif -%}
    {%- if line.pattern == 'names' -%}
      {%- do line.update(pattern=deltawave._names_pattern(name, option, format)) -%}
    {%- endif -%}
    {%- do patterns.append(line) -%}
  {%- endfor -%}
  {{ return(patterns) }}
{%- endmacro -%}

{# Does a Java regular expression have a capturing group? A parenthesis that is quoted, or in brackets, begins none. #}
{%- macro _has_group(pattern) -%}
  {%- set begun = modules.re.sub('(?s)\\\\Q.*?(?:\\\\E|$)|\\\\.|\\[\\^?\\]?(?:\\\\.|[^\\]\\\\])*\\]', '', pattern) -%}
  {{ return(modules.re.search('\\((?!\\?)|\\(\\?<[A-Za-z]', begun) is not none) }}
{%- endmacro -%}

{# The line with the names of all fields, each of which may be quoted where fields may. #}
{%- macro _names_pattern(name, option, format) -%}
  {%- if format.kind != 'delimited' -%}
    {%- do deltawave._refuse_value(
      name, option, 'names', 'a regular expression; only delimited files have a line of names'
    ) -%}
  {%- endif -%}
  {%- set quote = modules.re.escape(format.quote) if format.quote else '' -%}
  {%- set names = [] -%}
  {%- for field in format.fields -%}
    {%- set escaped = modules.re.escape(field.name) -%}
    {%- do names.append('(?:' ~ escaped ~ '|' ~ quote ~ escaped ~ quote ~ ')' if quote else escaped) -%}
  {%- endfor -%}
  {{ return(names | join(modules.re.escape(format.delimiter))) }}
{%- endmacro -%}

{# SQL: is a line one of these lines of the header or the trailer? #}
{%- macro _is_one_of(frame, text) -%}
  {%- set tests = [] -%}
  {%- for line in frame -%}{%- do tests.append(deltawave._matches(text, line.pattern)) -%}{%- endfor -%}
  {{ return('(' ~ tests | join(' or ') ~ ')') }}
{%- endmacro -%}
