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
    {%- do deltawave._refuse_adopting(job, snapshot.name, problem, "Cast them in the model's select to the snapshot's types") -%}
  {%- endif -%}
  {{ return(columns) }}
{%- endmacro -%}

{# Does Spark cast that type to another, under ANSI rules as well? #}
{%- macro _can_be_cast(was, data_type) -%}
  {%- set numbers = '(tiny|small|big)?int|float|double|decimal\\(\\d+,\\d+\\)' -%}
  {%- set times = 'date|timestamp|timestamp_ntz' -%}
  {%- for pair in [numbers, times, 'string|boolean', 'string|' ~ numbers, 'string|' ~ times] -%}
    {%- if modules.re.fullmatch(pair, was) and modules.re.fullmatch(pair, data_type) -%}{{ return(true) }}{%- endif -%}
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
      {%- do deltawave._refuse_adopting(job, snapshot.name, problem, "Cast it in the model's select to " ~ column.stored_type) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}
