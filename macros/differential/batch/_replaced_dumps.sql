{#
  The dumps of a run if dates were delivered again with other rows (`again`) and redelivery is replace: these dates, all later ones and the new ones.
  They are found as if the log were already rewound to before the first of these dates or, if it has no such batch, as for a new generation. Nothing is
  undone yet. Refused if a date whose batch would be undone is no longer there.
#}
{%- macro _replaced_dumps(job, state, known, again) -%}
  {%- set record = state.record -%}
  {%- set compared = known.values() | selectattr('is_compared') | list -%}
  {%- set first = compared | selectattr('snapshot_date', 'in', again) | map(attribute='batch_id') | min -%}
  {%- set earlier = compared | selectattr('batch_id', 'lt', first) | selectattr('batch_id', 'ge', record.first_batch) | list -%}
  {#- A log that began with a baseline lacks its first rows, so no earlier state can be rebuilt from it. -#}
  {%- set until = none if record.is_baseline or not earlier else earlier | sort(attribute='batch_id') | last -%}
  {%- if until -%}
    {%- set rewound = dict(record, rewound_to=until.batch_id, batch_at=until.batch_at, snapshot_date=until.snapshot_date) -%}
    {%- set pending = deltawave._pending_dumps(job, dict(state, record=rewound, rewind_to=until.batch_id)) -%}
  {%- else -%}
    {%- set pending = deltawave._pending_dumps(job, dict(state, is_new_generation=true, rewind_to=none)) -%}
  {%- endif -%}
  {%- set undone = compared | selectattr('batch_id', 'gt', until.batch_id) | list if until else compared -%}
  {%- do deltawave._require_undone(job, undone, pending.dumps, again, until) -%}
  {{ return(dict(pending, replaced=again + pending.replaced)) }}
{%- endmacro -%}

{# Refuses to undo the batch of a date that is not compared again. #}
{%- macro _require_undone(job, undone, dumps, again, until) -%}
  {%- set there = dumps | map(attribute='order') | list -%}
  {%- set missing = [] -%}
  {%- for dump in undone if deltawave._order_of_dump(job, dump) not in there -%}{%- do missing.append(dump.snapshot_date) -%}{%- endfor -%}
  {%- if missing -%}
    {%- set by_hand = 'set full_refresh: true and run once with --full-refresh' -%}
    {%- if until -%}
      {%- set by_hand = "dbt run-operation deltawave.rewind --args '{model: " ~ job.name ~ ', to_batch: ' ~ until.batch_id ~ "}', then run again" -%}
    {%- endif -%}
    {%- do deltawave._fail('replaced_dates', {
      'model': job.name, 'dates': deltawave._some_dumps(job, again), 'missing': deltawave._some_dumps(job, missing), 'by_hand': by_hand,
    }) -%}
  {%- endif -%}
{%- endmacro -%}
