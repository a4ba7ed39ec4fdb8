{#
  Recommends scheme, number of constituents and update technique of a wave index, or a table with a partition for each
  day, by the cost model of WI 5 with the fixed costs of Spark, and logs the reasons.

    dbt run-operation advise_wave --args '{model: daily_sales, day_column: day, search_field: supplier_id, window: 90,
    probes: 1000}'

  model: a model, seed, snapshot or `source.table` whose newest days are indexed, searched and dropped again, to
  measure what is not given. Of a wave index, window, day_column and search_field are known.

  Sizes in MB and times in seconds, of one day's data: window, packed (S), build (Build), add (Add), and unpacked (S'),
  delete (Del), probes, scans, probe_indexes, scan_indexes, bucket (c), seek, transfer (Trans), copy (CP), smart_copy
  (SMCP), fixed; table_size, of a partitioned table. Needs:
  hard_window, can_delete, techniques, most_constituents, most_space, most_transition. Among choices with up to
  `tolerance` more work, the one with the fewest constituents is chosen.
#}
{%- macro advise_wave(
  window=none, packed=none, build=none, add=none, unpacked=none, delete=none, probes=0, scans=0, probe_indexes=none,
  scan_indexes=none, bucket=none, seek=none, transfer=none, copy=none, smart_copy=none, hard_window=false,
  can_delete=true, techniques=none, most_constituents=10, most_space=none, most_transition=none, tolerance=0.05,
  fixed=none, model=none, day_column=none, search_field=none, table_size=none
) -%}
  {%- if not execute -%}{{ return(none) }}{%- endif -%}
  {%- do deltawave._require_wave_adapter('advise_wave') -%}
  {%- set parameters = {
    'window': window, 'packed': packed, 'build': build, 'add': add, 'probes': probes, 'scans': scans,
    'unpacked': unpacked, 'delete': delete, 'probe_indexes': probe_indexes, 'scan_indexes': scan_indexes,
    'copy': copy, 'smart_copy': smart_copy, 'bucket': bucket, 'seek': seek, 'transfer': transfer, 'fixed': fixed,
  } -%}
  {%- set needs = {
    'hard_window': hard_window, 'can_delete': can_delete, 'most_constituents': most_constituents,
    'most_space': most_space, 'most_transition': most_transition,
  } -%}
  {%- if techniques is not none -%}{%- do needs.update(techniques=deltawave._listed(techniques)) -%}{%- endif -%}
  {%- set options = {'parameters': parameters, 'needs': needs, 'tolerance': tolerance, 'table_size': table_size} -%}
  {%- set relations = {} -%}
  {%- if model is not none -%}
    {%- set measured = deltawave._measured_days(model, day_column, search_field) -%}
    {%- do relations.update(dump='(select * from ' ~ measured.relation ~ ')') -%}
    {%- do options.update(measure={
      'day_column': measured.day_column, 'search_field': measured.search_field, 'schema': target.schema,
    }) -%}
    {%- if window is none -%}{%- do parameters.update(window=measured.window) -%}{%- endif -%}
  {%- endif -%}
  {%- for line in adapter.call_library('deltawave.wave.materialization.advice', relations, options) -%}
    {%- do log(line, info=true) -%}
  {%- endfor -%}
{%- endmacro -%}

{#
  The relation to measure, its day column and search field, and the window of a wave index: {relation, day_column,
  search_field, window}.
#}
{%- macro _measured_days(model, day_column, search_field) -%}
  {%- set node = deltawave._named_node('advise_wave', model) -%}
  {%- set known = {'day_column': day_column, 'search_field': search_field, 'window': none} -%}
  {%- if node.config.get('materialized') == 'wave_index' -%}
    {%- set settings = deltawave._wave_settings(node.name, node.config) -%}
    {%- for name, value in known.items() if value is none -%}
      {%- do known.update({name: settings[name]}) -%}
    {%- endfor -%}
  {%- endif -%}
  {%- for name in ['day_column', 'search_field'] if known[name] is none -%}
    {%- do deltawave._refuse_option('advise_wave', name, none, 'a column of ' ~ model) -%}
  {%- endfor -%}
  {%- set relation = adapter.get_relation(
    database=node.database, schema=node.schema, identifier=node.alias or node.identifier
  ) -%}
  {%- if not relation -%}
    {%- do deltawave._fail('not_measured', {'macro': 'advise_wave', 'value': model}) -%}
  {%- endif -%}
  {{ return(dict(known, relation=relation)) }}
{%- endmacro -%}
