{#
  A select of the rows of a wave index from one day to another, both included; none leaves a side open
  (TimedSegmentScan, WI 2.2). Only constituents that have days in the range are read.
#}
{%- macro timed_segment_scan(relation, from_day=none, to_day=none) -%}
  {%- set wave = deltawave._wave_of(relation) -%}
  {%- if not wave -%}{{ return('select * from ' ~ relation) }}{%- endif -%}
  {%- set condition = 'wave_is_first' if deltawave._is_multiple(wave) else none -%}
  {{ return(deltawave._as_read(
    relation, deltawave._entries_select(wave, deltawave._days_between(wave, from_day, to_day), condition)
  )) }}
{%- endmacro -%}

{# A select of the entries of some days for which a condition holds. #}
{%- macro _entries_select(wave, days, condition) -%}
  {%- set columns = deltawave._quoted_list(wave.spec.columns | map('first')) | join(', ') -%}
  {%- set selects = [] -%}
  {%- for number in range(1, wave.spec.index.constituents + 1) -%}
    {%- set table = wave.indexes.get('I' ~ number) or {'parts': []} -%}
    {%- set parts, filled, others = [], [], [] -%}
    {%- for part in table.parts -%}
      {%- set days_of_part = deltawave._days_of_part(part[1]) -%}
      {%- if days_of_part | select('in', days) | list -%}
        {%- do parts.append(deltawave._literal(part[0])) -%}
        {%- if deltawave._have_rows(wave, days_of_part) -%}{%- do filled.append(parts[-1]) -%}{%- endif -%}
        {%- do others.extend(days_of_part | reject('in', days)) -%}
      {%- endif -%}
    {%- endfor -%}
    {%- if parts -%}
      {%- set conditions = ['wave_part in (' ~ parts | join(', ') ~ ')'] -%}
      {%- if filled and wave.spec.technique == 'in_place' -%}
        {%- do conditions.append(deltawave._has_parts(table.table, filled)) -%}
      {%- endif -%}
      {%- if others -%}{%- do conditions.append(deltawave._of_days(wave, days)) -%}{%- endif -%}
      {%- if condition -%}{%- do conditions.append(condition) -%}{%- endif -%}
      {%- do selects.append('select ' ~ columns ~ ' from ' ~ table.table ~ ' where ' ~ conditions | join(' and ')) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if not selects -%}
    {%- set table = (wave.indexes.values() | selectattr('table') | first).table -%}
    {%- do selects.append('select ' ~ columns ~ ' from ' ~ table ~ ' where false') -%}
  {%- endif -%}
  {{ return(selects | join('\nunion all\n')) }}
{%- endmacro -%}

{# Has any of these days rows? #}
{%- macro _have_rows(wave, days) -%}
  {%- for day in days if wave.days[day | string][1] -%}{{ return(true) }}{%- endfor -%}
  {{ return(false) }}
{%- endmacro -%}

{# A condition that fails if a part with rows has been dropped: a scan of missing partitions would just find no rows. #}
{%- macro _has_parts(table, parts) -%}
  {%- set found = 'assert_true(size(collect_set(wave_part)) = ' ~ parts | length ~ ', '
      ~ deltawave._literal(deltawave._message('dropped_parts', {})) ~ ')' -%}
  {{ return('(select ' ~ found ~ ' is null from ' ~ table ~ ' where wave_part in (' ~ parts | join(', ') ~ '))') }}
{%- endmacro -%}

{# A condition that holds for rows of these days. #}
{%- macro _of_days(wave, days) -%}
  {%- set values = [] -%}
  {%- for day in days -%}
    {%- do values.append(
      'cast(' ~ deltawave._literal(wave.days[day | string][0]) ~ ' as '
      ~ deltawave._wave_type(wave, wave.spec.day_column) ~ ')'
    ) -%}
  {%- endfor -%}
  {{ return(deltawave._quoted(wave.spec.day_column) ~ ' in (' ~ values | join(', ') ~ ')') }}
{%- endmacro -%}

{# The numbers of the days in a range, as far as readers see them. #}
{%- macro _days_between(wave, from_day, to_day) -%}
  {%- set type = deltawave._wave_type(wave, wave.spec.day_column) -%}
  {%- set first = wave.day - wave.spec.index.window + 1 if wave.spec.clip else 0 -%}
  {%- set low = deltawave._end_of_range(wave, type, 'from_day', from_day) -%}
  {%- set high = deltawave._end_of_range(wave, type, 'to_day', to_day) -%}
  {%- set days = [] -%}
  {%- for number, day in wave.days.items() if number | int >= first -%}
    {%- set value = day[0] if type in ['date', 'string'] else day[0] | int -%}
    {%- if (low is none or low <= value) and (high is none or value <= high) -%}
      {%- do days.append(number | int) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(days) }}
{%- endmacro -%}

{# An end of a range, as a value in the order of days. #}
{%- macro _end_of_range(wave, type, option, value) -%}
  {%- if value is none -%}{{ return(none) }}{%- endif -%}
  {%- set pattern, kind = {
    'date': ['[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])', 'a date like 2026-01-31'],
    'string': ['[\\s\\S]*', 'a text'],
  }.get(type, ['-?[0-9]+', 'a whole number']) -%}
  {%- if (type == 'string' and value is not string) or not deltawave._whole_match(pattern, value | string)
    or (type == 'date' and not deltawave._is_date(value | string)) -%}
    {%- do deltawave._fail('day_of_range', {
      'option': option, 'value': value | string, 'kind': kind, 'column': wave.spec.day_column,
    }) -%}
  {%- endif -%}
  {{ return(value | string if type in ['date', 'string'] else value | int) }}
{%- endmacro -%}

{# Is a text of this form a date? Not if the day, counted from the first of the month, lies in the next month. #}
{%- macro _is_date(text) -%}
  {%- set year, month, day = text[:4] | int, text[5:7] | int, text[8:] | int -%}
  {{ return(
    year > 0 and (modules.datetime.date(year, month, 1) + modules.datetime.timedelta(days=day - 1)).month == month
  ) }}
{%- endmacro -%}
