{#
  Lets a log begin with a dbt snapshot, by --vars '{deltawave_adopt: {model: snapshot}}': in the first batch the
  snapshot's current rows take the place of the select's, and all else is as in an ordinary one. The next run compares
  the source with them, and finds what has changed since the snapshot's last run.
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
    {%- do deltawave._update(
      job, sql=deltawave._snapshot_rows(job, snapshot, columns, adopted.snapshot_date), has_adopted=true
    ) -%}
    {%- set message = ': begins with the current rows of the snapshot ' ~ name
        ~ '; the next run compares the source with them' -%}
    {%- do log('deltawave: ' ~ job.name ~ message, info=true) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  What deltawave_adopt says of the model: {snapshot, snapshot_date}; none if it does not name it. A misspelt model is
  refused: its log would begin with the source, and the changes since the snapshot's last run would never be found.
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
    {%- do deltawave._refuse_adopting(
      job, name, 'the log has batches already', 'Run without deltawave_adopt, or build a new model'
    ) -%}
  {%- elif job.settings.snapshot_date and adopted.snapshot_date is none -%}
    {%- set value = '{snapshot: ' ~ name ~ ', snapshot_date: ...}' -%}
    {%- set remedy = "Name the date of the last dump that the snapshot has read: --vars '{deltawave_adopt: {" ~ job.name
        ~ ': ' ~ value ~ "}}'" -%}
    {%- do deltawave._refuse_adopting(job, name, 'with snapshot_date each batch is the dump of a date', remedy) -%}
  {%- elif adopted.snapshot_date is not none and not job.settings.snapshot_date -%}
    {%- do deltawave._refuse_adopting(
      job, name, 'the model has no snapshot_date', 'Name the snapshot without a date'
    ) -%}
  {%- elif not deltawave._reads_whole(job.strategy) -%}
    {%- set problem = 'strategy: ' ~ job.strategy.name ~ ' reads a part of the source' -%}
    {%- do deltawave._refuse_adopting(
      job, name, problem, 'Run once with strategy: outer_join, and from then on with this one'
    ) -%}
  {%- endif -%}
{%- endmacro -%}

{%- macro _refuse_adopting(job, name, problem, remedy) -%}
  {%- do deltawave._fail('adopt', {'model': job.name, 'snapshot': name, 'problem': problem, 'remedy': remedy}) -%}
{%- endmacro -%}

{#
  A snapshot that has been built: {name, relation, columns, valid_to, current, is_deleted}. columns: those of its rows.
  current: the SQL of valid_to in current rows, besides null. is_deleted: the column that marks deleted rows
  (hard_deletes: new_record), or none.
#}
{%- macro _adopted_snapshot(job, name) -%}
  {%- set nodes = [] -%}
  {%- for node in graph.nodes.values() if node.resource_type == 'snapshot' and name in deltawave._names_of(node) -%}
    {%- do nodes.append(node) -%}
  {%- endfor -%}
  {%- if nodes | length != 1 -%}
    {%- set problem = 'several snapshots have this name' if nodes else 'there is no snapshot of this name' -%}
    {%- do deltawave._refuse_adopting(job, name, problem, 'Name one, if need be with its package') -%}
  {%- endif -%}
  {%- set config = nodes[0].config -%}
  {%- set key = (deltawave._listed(config.unique_key) or []) | map('replace', '`', '') | map('trim') | list -%}
  {%- if key | map('lower') | sort != job.settings.unique_key | map('lower') | sort -%}
    {%- set problem = 'its unique_key is ' ~ key | join(', ') ~ ', and that of the model '
        ~ job.settings.unique_key | join(', ') -%}
    {%- do deltawave._refuse_adopting(job, name, problem, 'Take the same unique_key') -%}
  {%- endif -%}
  {%- set relation = deltawave._relation(nodes[0].schema, nodes[0].alias) -%}
  {%- if not deltawave._in_catalog(relation) -%}
    {%- do deltawave._refuse_adopting(
      job, name, relation ~ ' does not exist', 'Build it: dbt snapshot --select ' ~ name
    ) -%}
  {%- endif -%}
  {%- set names = {} -%}
  {%- for meta in deltawave._meta_columns() -%}
    {%- do names.update({meta: (config.get('snapshot_meta_column_names') or {}).get(meta) or meta}) -%}
  {%- endfor -%}
  {%- set stored = deltawave._columns_of(relation) -%}
  {%- set columns = [] -%}
  {%- for column in stored if column.name | lower not in names.values() | map('lower') -%}
    {%- do columns.append(column) -%}
  {%- endfor -%}
  {%- set marks_deleted = names.dbt_is_deleted | lower in stored | map(attribute='name') | map('lower') -%}
  {{ return({
    'name': name, 'relation': relation, 'columns': columns, 'valid_to': names.dbt_valid_to,
    'current': config.get('dbt_valid_to_current'),
    'is_deleted': names.dbt_is_deleted if marks_deleted else none,
  }) }}
{%- endmacro -%}

{# The columns of the select, as the snapshot stores them: [{name, data_type, stored_name, stored_type}]. #}
{%- macro _adopted_columns(job, snapshot) -%}
  {%- set stored = {} -%}
  {%- for column in snapshot.columns -%}{%- do stored.update({column.name | lower: column}) -%}{%- endfor -%}
  {%- set columns, missing, uncast = [], [], [] -%}
  {%- for column in job.select_columns -%}
    {%- set found = stored.get(column.name | lower) -%}
    {%- if not found -%}
      {%- do missing.append(column.name) -%}
    {%- elif not deltawave._can_be_cast(found.data_type, column.data_type) -%}
      {%- do uncast.append(column.name ~ ' (' ~ found.data_type ~ ', in the select ' ~ column.data_type ~ ')') -%}
    {%- else -%}
      {%- do columns.append(dict(column, stored_name=found.name, stored_type=found.data_type)) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if missing -%}
    {%- set remedy = 'Leave them out of the select until the next run, which adds them with on_schema_change: append_new_columns' -%}
    {%- do deltawave._refuse_adopting(job, snapshot.name, 'it has no column(s) ' ~ missing | join(', '), remedy) -%}
  {%- elif uncast -%}
    {%- set problem = 'its column(s) ' ~ uncast | join(', ') ~ " can't be cast" -%}
    {%- do deltawave._refuse_adopting(
      job, snapshot.name, problem, "Cast them in the model's select to the snapshot's types"
    ) -%}
  {%- endif -%}
  {{ return(columns) }}
{%- endmacro -%}

{# Does Spark cast that type to another, under ANSI rules as well? #}
{%- macro _can_be_cast(was, data_type) -%}
  {%- set numbers = '(tiny|small|big)?int|float|double|decimal\\(\\d+,\\d+\\)' -%}
  {%- set times = 'date|timestamp|timestamp_ntz' -%}
  {%- for pair in [numbers, times, 'string|boolean', 'string|' ~ numbers, 'string|' ~ times] -%}
    {%- if deltawave._whole_match(pair, was) and deltawave._whole_match(pair, data_type) -%}
      {{ return(true) }}
    {%- endif -%}
  {%- endfor -%}
  {{ return(was == data_type) }}
{%- endmacro -%}

{# Refuses values that the select's types can't hold: they would be null in the log, and an update in the next batch. #}
{%- macro _require_casts(job, snapshot, columns) -%}
  {%- set cast = [] -%}
  {%- for column in columns if column.stored_type != column.data_type -%}{%- do cast.append(column) -%}{%- endfor -%}
  {%- set lost = deltawave._run(job, deltawave._lost_in_casts(snapshot, cast)).rows[0] if cast else [] -%}
  {%- for column in cast -%}
    {%- if lost[loop.index0] | int -%}
      {%- set problem = lost[loop.index0] ~ ' value(s) of its column ' ~ column.name ~ ' are no ' ~ column.data_type -%}
      {%- do deltawave._refuse_adopting(
        job, snapshot.name, problem, "Cast it in the model's select to " ~ column.stored_type
      ) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}

{#
  The current rows of a snapshot, in the columns and types of the model's select, as the dump of a date if it has
  dates. See _adopt_snapshot.
#}
{%- macro _snapshot_rows(job, snapshot, columns, snapshot_date) -%}
select
    {%- for column in columns %}
    {%- set stored = deltawave._quoted(column.stored_name) %}
    {{ stored if column.stored_type == column.data_type else 'cast(' ~ stored ~ ' as ' ~ column.data_type ~ ')' }} as {{ deltawave._quoted(column.name) }}
    {{- ',' if not loop.last or snapshot_date is not none }}
    {%- endfor %}
    {%- if snapshot_date is not none %}
    cast({{ deltawave._literal(snapshot_date | string) }} as {{ job.snapshot_type }}) as {{ deltawave._quoted(job.settings.snapshot_date) }}
    {%- endif %}
from {{ snapshot.relation }}
where {{ deltawave._is_current(snapshot) }}
{%- endmacro -%}

{# How many values of current rows the select's types can't hold, a number for each of the columns. #}
{%- macro _lost_in_casts(snapshot, columns) -%}
select
    {%- for column in columns %}
    {%- set stored = deltawave._quoted(column.stored_name) %}
    count_if({{ stored }} is not null and try_cast({{ stored }} as {{ column.data_type }}) is null) as lost_{{ loop.index }}{{ ',' if not loop.last }}
    {%- endfor %}
from {{ snapshot.relation }}
where {{ deltawave._is_current(snapshot) }}
{%- endmacro -%}

{#
  Is it a version that is valid now? dbt takes null for current as well where rows were written before
  dbt_valid_to_current was set.
#}
{%- macro _is_current(snapshot) -%}
  {%- set valid_to = deltawave._quoted(snapshot.valid_to) -%}
  {%- set is_end = ' or ' ~ valid_to ~ ' = ' ~ snapshot.current if snapshot.current else '' -%}
  {%- set is_deleted = 'lower(cast(' ~ deltawave._quoted(snapshot.is_deleted) ~ " as string)) <=> 'true'" -%}
  {{ return(
    '(' ~ valid_to ~ ' is null' ~ is_end ~ ')' ~ (' and not (' ~ is_deleted ~ ')' if snapshot.is_deleted else '')
  ) }}
{%- endmacro -%}
