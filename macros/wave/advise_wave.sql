{#
  Recommends scheme, number of constituents and update technique of a wave index by the cost model of WI 5, and logs why.

  Sizes in MB and times in seconds, of one day's data: window, packed (S), build (Build), add (Add), and unpacked (S'), delete (Del), probes, scans,
  probe_indexes, scan_indexes, bucket (c), seek, transfer (Trans), copy (CP), smart_copy (SMCP). Needs: hard_window, can_delete, techniques,
  most_constituents, most_space, most_transition. Among choices with up to `tolerance` more work, the one with the fewest constituents is taken.
#}
{%- macro advise_wave(
  window, packed, build, add, unpacked=none, delete=none, probes=0, scans=0, probe_indexes=none, scan_indexes=none, bucket=none, seek=none,
  transfer=none, copy=none, smart_copy=none, hard_window=false, can_delete=true, techniques=none, most_constituents=none, most_space=none,
  most_transition=none, tolerance=0.05
) -%}
  {%- if adapter.compare_in_python is not defined or not adapter.runs_python() -%}
    {%- do deltawave._fail('wave_adapter', {'model': 'advise_wave'}) -%}
  {%- endif -%}
  {%- set parameters = {
    'window': window, 'packed': packed, 'build': build, 'add': add, 'probes': probes, 'scans': scans,
    'unpacked': packed if unpacked is none else unpacked, 'delete': add if delete is none else delete,
    'probe_indexes': probe_indexes, 'scan_indexes': scan_indexes, 'copy': copy, 'smart_copy': smart_copy,
  } -%}
  {%- for name, value in {'bucket': bucket, 'seek': seek, 'transfer': transfer}.items() if value is not none -%}
    {%- do parameters.update({name: value}) -%}
  {%- endfor -%}
  {%- set needs = {
    'hard_window': hard_window, 'can_delete': can_delete, 'most_constituents': most_constituents, 'most_space': most_space,
    'most_transition': most_transition,
  } -%}
  {%- if techniques is not none -%}{%- do needs.update(techniques=deltawave._listed(techniques)) -%}{%- endif -%}
  {%- set view = 'deltawave_advice_' ~ invocation_id.replace('-', '')[:12] -%}
  {%- do adapter.compare_in_python(
    'deltawave.wave.door.advised', {'dump': '(select 1 as one)'}, {'parameters': parameters, 'needs': needs, 'tolerance': tolerance}, view
  ) -%}
  {%- for row in run_query('select text from ' ~ deltawave._quoted(view) ~ ' order by place').rows -%}
    {%- do log(row[0] | string, info=true) -%}
  {%- endfor -%}
{%- endmacro -%}
