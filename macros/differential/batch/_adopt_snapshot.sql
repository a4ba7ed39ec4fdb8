{#
  Lets a log begin with a dbt snapshot, by --vars '{deltawave_adopt: {model: snapshot}}': in the first batch the snapshot's current rows take the place of the
  select's, and all else is as in an ordinary one. The next run compares the source with them, and finds what has changed since the snapshot's last run.
#}
{%- macro _adopt_snapshot(job, state) -%}
  {%- set adopted = deltawave._adopted(job) -%}
  {%- if adopted and not flags.EMPTY -%}
    {%- set name = adopted.snapshot -%}
    {%- do deltawave._require_adopting(job, state, adopted) -%}
    {%- set snapshot = deltawave._adopted_snapshot(job, name) -%}
    {%- set columns = deltawave._adopted_columns(job, snapshot) -%}
    {%- do deltawave._require_casts(job, snapshot, columns) -%}
    {#- expected_rows is a number of the source's rows. -#}
    {%- do job.settings.update(expected_rows=none, reason=job.settings.reason ~ '; rows of the snapshot ' ~ name) -%}
    {%- do deltawave._update(job, sql=deltawave._snapshot_rows(job, snapshot, columns, adopted.snapshot_date), has_adopted=true) -%}
    {%- set message = ': begins with the current rows of the snapshot ' ~ name ~ '; the next run compares the source with them' -%}
    {%- do log('deltawave: ' ~ job.name ~ message, info=true) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  What deltawave_adopt says of the model: {snapshot, snapshot_date}; none if it does not name it. A misspelt model is refused: its log would begin with the
  source, and the changes since the snapshot's last run would never be found.
#}
{%- macro _adopted(job) -%}
  {%- set adopted = var('deltawave_adopt', {}) -%}
  {%- for value in (adopted.values() if adopted is mapping else [none]) -%}
    {%- if value is not string and (value is not mapping or value.keys() | sort != ['snapshot', 'snapshot_date']) -%}
      {%- do deltawave._fail('adopt_value', {'model': job.name, 'value': adopted}) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set logs = [] -%}
  {%- for node in graph.nodes.values() if deltawave._is_log(node) -%}{%- do logs.append(node.name) -%}{%- endfor -%}
  {%- for name in adopted if name not in logs -%}
    {%- do deltawave._fail('adopt_model', {'model': job.name, 'name': name}) -%}
  {%- endfor -%}
  {%- set value = adopted.get(job.name) -%}
  {{ return({'snapshot': value, 'snapshot_date': none} if value is string else value) }}
{%- endmacro -%}

{# Refuses a log that has batches, and options under which rows of a snapshot can't be the first state. #}
{%- macro _require_adopting(job, state, adopted) -%}
  {%- set name = adopted.snapshot -%}
  {%- if state.record -%}
    {%- do deltawave._refuse_adopting(job, name, 'the log has batches already', 'Run without deltawave_adopt, or build a new model') -%}
  {%- elif job.settings.snapshot_date and adopted.snapshot_date is none -%}
    {%- set value = '{snapshot: ' ~ name ~ ', snapshot_date: ...}' -%}
    {%- set remedy = "Name the date of the last dump that the snapshot has read: --vars '{deltawave_adopt: {" ~ job.name ~ ': ' ~ value ~ "}}'" -%}
    {%- do deltawave._refuse_adopting(job, name, 'with snapshot_date each batch is the dump of a date', remedy) -%}
  {%- elif adopted.snapshot_date is not none and not job.settings.snapshot_date -%}
    {%- do deltawave._refuse_adopting(job, name, 'the model has no snapshot_date', 'Name the snapshot without a date') -%}
  {%- elif job.settings.in_place -%}
    {%- do deltawave._refuse_adopting(job, name, 'in_place compares files of the source', 'Run once with in_place: false') -%}
  {%- elif job.strategy.reads not in ['dump', 'differences'] -%}
    {%- set problem = 'strategy: ' ~ job.strategy.name ~ ' reads a part of the source' -%}
    {%- do deltawave._refuse_adopting(job, name, problem, 'Run once with strategy: outer_join, and from then on with this one') -%}
  {%- endif -%}
{%- endmacro -%}

{%- macro _refuse_adopting(job, name, problem, remedy) -%}
  {%- do deltawave._fail('adopt', {'model': job.name, 'snapshot': name, 'problem': problem, 'remedy': remedy}) -%}
{%- endmacro -%}
