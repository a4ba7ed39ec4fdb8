{# The condition, on the key's columns, that names what is erased; true or false for each row. #}
{%- macro _subject(work, keys, where) -%}
  {%- set unique_key = work.job.settings.unique_key -%}
  {%- if (keys is none) == (where is none) -%}
    {%- do deltawave._fail('one_subject', {'macro': 'erase', 'keys': unique_key | join(', ')}) -%}
  {%- endif -%}
  {%- set columns = deltawave._key_columns(work.job, work.record.columns) -%}
  {%- if where is not none -%}
    {%- set bare = modules.re.sub("'(?:[^'\\\\]|\\\\.)*'|\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`", '', where) -%}
    {%- if modules.re.search('(?i)\\b(select|from|table|values)\\b', bare) -%}
      {%- do deltawave._fail('subquery_of_subject', {'macro': 'erase'}) -%}
    {%- endif -%}
    {#- Spark refuses a column that is not of the key. -#}
    {%- set names = deltawave._quoted_list(columns | map(attribute='name')) -%}
    {%- do deltawave._columns_of_query(
      'select * from (select ' ~ names | join(', ') ~ ' from ' ~ work.job.target ~ ') where ' ~ where
    ) -%}
    {{ return('coalesce((' ~ where ~ '), false)') }}
  {%- endif -%}

  {%- set subjects = [] -%}
  {%- for given in ([keys] if keys is string or keys is mapping or keys is not iterable else keys) -%}
    {%- set key = given if given is mapping or unique_key | length > 1 else {unique_key[0]: given} -%}
    {%- do deltawave._check_key('erase', work.job.name, key, unique_key) -%}
    {%- set spelt = {} -%}
    {%- for name, value in key.items() -%}{%- do spelt.update({name | lower: value}) -%}{%- endfor -%}
    {%- do subjects.append(spelt) -%}
  {%- endfor -%}
  {%- if not subjects -%}
    {%- do deltawave._fail('one_subject', {'macro': 'erase', 'keys': unique_key | join(', ')}) -%}
  {%- endif -%}
  {%- set types = deltawave._types_of(columns) -%}
  {#- Without quotes YAML reads 0123 as 83. -#}
  {%- for subject in subjects -%}
    {%- for name, value in subject.items() if types[name] == 'string' and value is not none and value is not string -%}
      {%- do deltawave._fail('unquoted_key', {'macro': 'erase', 'column': name}) -%}
    {%- endfor -%}
  {%- endfor -%}
  {%- do deltawave._check_values('erase', subjects, types) -%}
  {{ return('coalesce((' ~ deltawave._has_one_of(subjects, types) ~ '), false)') }}
{%- endmacro -%}

{# Has a row one of these keys? #}
{%- macro _has_one_of(keys, types) -%}
  {%- set alternatives, values = [], [] -%}
  {%- for key in keys -%}
    {%- set conditions = [] -%}
    {%- for name, value in key.items() -%}
      {%- do conditions.append(deltawave._has_value(name, types[name | lower], value)) -%}
    {%- endfor -%}
    {%- set prefix = deltawave._quoted(key.keys() | first) ~ ' = ' -%}
    {#- Spark looks up a value of a list in a set. -#}
    {%- if conditions | length == 1 and conditions[0].startswith(prefix) -%}
      {%- do values.append(conditions[0][prefix | length:]) -%}
    {%- else -%}
      {%- do alternatives.append('(' ~ conditions | join(' and ') ~ ')') -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if values -%}
    {%- do alternatives.append(deltawave._quoted(keys[0].keys() | first) ~ ' in (' ~ values | join(', ') ~ ')') -%}
  {%- endif -%}
  {{ return(alternatives | join('\n    or ')) }}
{%- endmacro -%}

{# The condition that a row is none of those that are erased. #}
{%- macro _no_subject(subject) -%}{{ return('not ' ~ subject) }}{%- endmacro -%}
