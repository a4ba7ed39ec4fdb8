{#
  The lines before (header) or after (trailer) the records: [{pattern, counts}], one regular expression for each line,
  which has to match the whole line. `names` is the line with the names of the fields. counts: what the number in the
  pattern's first group counts, records or all lines.
#}
{%- macro _line_patterns(name, option, given, format) -%}
  {%- if given is none or given is not defined -%}
    {{ return([]) }}
  {%- endif -%}
  {%- set patterns = [] -%}
  {%- for line in ([given] if given is string or given is mapping or given is not sequence else given) -%}
    {%- set line = {'pattern': line} if line is not mapping else line -%}
    {%- do deltawave._require_known_fields(name, 'external.' ~ option, line, ['pattern', 'counts']) -%}
    {%- set pattern = line.pattern -%}
    {%- if pattern is not string or not pattern -%}
      {%- do deltawave._fail('external_value', {
        'source': name, 'option': option, 'value': line.pattern, 'allowed': 'a regular expression for each line',
      }) -%}
    {%- endif -%}
    {%- set counts = deltawave._format_choice(name, option ~ '.counts', line.counts, [none, 'records', 'lines']) -%}
    {%- if counts and not deltawave._has_group(pattern) -%}
      {%- do deltawave._fail('format_count', {'source': name, 'option': option, 'pattern': pattern}) -%}
    {%- endif -%}
    {%- do patterns.append({
      'pattern': deltawave._names_pattern(name, option, format) if pattern == 'names' else pattern, 'counts': counts,
    }) -%}
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
    {%- do deltawave._fail('external_value', {
      'source': name, 'option': option, 'value': 'names',
      'allowed': 'a regular expression; only delimited files have a line of names',
    }) -%}
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
