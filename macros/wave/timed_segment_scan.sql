{#
  A select of the rows of a wave index from one day to another, both included; none leaves a side open (TimedSegmentScan, WI 2.2). Only constituents
  whose time-sets meet the range are read.
#}
{%- macro timed_segment_scan(relation, from_day=none, to_day=none) -%}
  {{ return(adapter.dispatch('timed_segment_scan', 'deltawave')(relation, from_day, to_day)) }}
{%- endmacro -%}

{%- macro default__timed_segment_scan(relation, from_day, to_day) -%}
  {%- set wave = deltawave._wave_of(relation) -%}
  {%- if not wave -%}{{ return('select * from ' ~ relation) }}{%- endif -%}
  {%- set condition = 'wave_is_first' if deltawave._is_multiple(wave) else none -%}
  {{ return(deltawave._as_read(relation, deltawave._entries_select(wave, deltawave._days_between(wave, from_day, to_day), condition))) }}
{%- endmacro -%}

{# --sample and microbatch models read only some rows of a relation, by its event_time: so they do of what was found in it. #}
{%- macro _as_read(relation, select) -%}
  {%- if relation is string or not relation.event_time_filter -%}{{ return(select) }}{%- endif -%}
  {{ return('select * from ' ~ relation.render_event_time_filtered('(\n' ~ select ~ '\n)')) }}
{%- endmacro -%}

{# A select of the entries of days that fulfil a condition. #}
{%- macro _entries_select(wave, days, condition) -%}
  {%- set columns = deltawave._quoted_list(wave.spec.columns | map('first')) | join(', ') -%}
  {%- set selects = [] -%}
  {%- for number in range(1, wave.spec.index.constituents + 1) -%}
    {%- set table = wave.indexes.get('I' ~ number) or {'parts': []} -%}
    {%- set parts = [] -%}
    {%- set others = [] -%}
    {%- for part in table.parts -%}
      {%- set held = deltawave._days_of_part(part[1]) -%}
      {%- if held | select('in', days) | list -%}
        {%- do parts.append(deltawave._literal(part[0])) -%}
        {%- do others.extend(held | reject('in', days)) -%}
      {%- endif -%}
    {%- endfor -%}
    {%- if parts -%}
      {%- set conditions = ['wave_part in (' ~ parts | join(', ') ~ ')'] -%}
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

{# A condition that holds for rows of these days. #}
{%- macro _of_days(wave, days) -%}
  {%- set values = [] -%}
  {%- for day in days -%}
    {%- do values.append('cast(' ~ deltawave._literal(wave.days[day | string][0]) ~ ' as ' ~ deltawave._wave_type(wave, wave.spec.day_column) ~ ')') -%}
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
    {%- if (low is none or low <= value) and (high is none or value <= high) -%}{%- do days.append(number | int) -%}{%- endif -%}
  {%- endfor -%}
  {{ return(days) }}
{%- endmacro -%}

{# An end of a range, as days are ordered. #}
{%- macro _end_of_range(wave, type, option, value) -%}
  {%- if value is none -%}{{ return(none) }}{%- endif -%}
  {%- set pattern, kind = {
    'date': ['[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])', 'a date like 2026-01-31'],
    'string': ['(?s).*', 'a text'],
  }.get(type, ['-?[0-9]+', 'a whole number']) -%}
  {%- if (type == 'string' and value is not string) or not modules.re.fullmatch(pattern, value | string) -%}
    {%- do deltawave._fail('day_of_range', {'option': option, 'value': value | string, 'kind': kind, 'column': wave.spec.day_column}) -%}
  {%- endif -%}
  {{ return(value | string if type in ['date', 'string'] else value | int) }}
{%- endmacro -%}

{# The type of a column. #}
{%- macro _wave_type(wave, column) -%}
  {{ return((wave.spec.columns | selectattr(0, 'equalto', column) | first)[1]) }}
{%- endmacro -%}

{# Does a row have several search values? #}
{%- macro _is_multiple(wave) -%}
  {{ return(deltawave._wave_type(wave, wave.spec.search_field).startswith('array<')) }}
{%- endmacro -%}

{#
  What the view of a wave index tells of it. None where a probe or a scan has nothing to choose from: under --empty (no rows), in a unit test (the
  rows that it gives are those found), and before the first day (without a view, what is compiled does not run).
#}
{%- macro _wave_of(relation) -%}
  {%- if not execute or relation.is_cte or relation.limit is number -%}{{ return(none) }}{%- endif -%}
  {%- for view in deltawave._views_with_text_of(model if model is defined else {}) -%}
    {%- do deltawave._fail('wave_in_a_view', {'model': view, 'relation': relation | string}) -%}
  {%- endfor -%}
  {%- if relation is string -%}
    {%- set view = relation -%}
  {%- elif not deltawave._in_catalog(relation) -%}
    {{ return(none) }}
  {%- else -%}
    {%- set view = api.Relation.create(schema=relation.schema, identifier=relation.identifier).quote(schema=true, identifier=true) -%}
  {%- endif -%}
  {%- set facts = {} -%}
  {%- for row in run_query('describe extended ' ~ view).rows -%}
    {%- do facts.update({row[0]: row[1]}) -%}
  {%- endfor -%}
  {%- set told = deltawave._told_in(facts.get('View Text') or '') -%}
  {%- if not told.get('wave') and told.get('batch_id') != 0 -%}
    {%- do deltawave._fail('not_a_wave_index', {'relation': relation | string}) -%}
  {%- endif -%}
  {{ return(told.get('wave')) }}
{%- endmacro -%}

{# The names of the views that keep the text of a node: its own, or, if it is ephemeral, those of views that read it. #}
{%- macro _views_with_text_of(node) -%}
  {%- set views = [] -%}
  {%- if node.resource_type == 'model' and node.config.materialized == 'view' -%}
    {%- do views.append(node.name) -%}
  {%- elif node.resource_type == 'model' and node.config.materialized == 'ephemeral' -%}
    {%- for other in graph.nodes.values() if node.unique_id in other.depends_on.nodes -%}
      {%- do views.extend(deltawave._views_with_text_of(other)) -%}
    {%- endfor -%}
  {%- endif -%}
  {{ return(views) }}
{%- endmacro -%}

{# The record in the text of a wave index's view (deltawave.wave.tables); none in another text. #}
{%- macro _wave_in(text) -%}{{ return(deltawave._told_in(text).get('wave')) }}{%- endmacro -%}

{# The table of the first constituent that the view names. #}
{%- macro _first_table(record) -%}
  {%- set wave = deltawave._wave_in(record.select) -%}
  {%- set tables = [] -%}
  {%- for number in range(1, wave.spec.index.constituents + 1) -%}
    {%- do tables.append((wave.indexes.get('I' ~ number) or {}).get('table')) -%}
  {%- endfor -%}
  {{ return(tables | select | first) }}
{%- endmacro -%}

{# The days of a part, from text like 5,11-14. #}
{%- macro _days_of_part(text) -%}
  {%- set days = [] -%}
  {%- for run in text.split(',') -%}
    {%- set ends = run.split('-') -%}
    {%- do days.extend(range(ends[0] | int, ends[-1] | int + 1)) -%}
  {%- endfor -%}
  {{ return(days) }}
{%- endmacro -%}
