{#
  TS and TDI (CH98 3.2): the rows whose time-stamp lies in the closed interval from the last high-water mark, less the overlap, to the
  newest there is. Rows at the mark, and within the overlap, are read again and compared again, so ties and late rows are found and
  nothing is reported twice. A flagged row is a delete, a row born and flagged between two runs is nothing. ATDI is the same over a
  covering copy, which the model's select reads.
#}
{%- macro _slice_by_time(job, batch, last) -%}
  {%- set progress = deltawave._time_progress(job, batch, last) -%}
  {%- do deltawave._create_slice(job, batch, deltawave._rows_by_time(job, batch, progress)) -%}
  {%- do deltawave._watch_time(job, batch, progress) -%}
  {%- if job.settings.delete_flag -%}
    {%- do batch.update(arrived='(select * from ' ~ batch.landed ~ ' where not is_flagged)') -%}
  {%- endif -%}
  {%- if not batch.is_first -%}
    {%- set keys = deltawave._quoted_list(job.settings.unique_key) | join(', ') -%}
    {%- set scope = 'select ' ~ keys ~ ' from ' ~ batch.landed -%}
    {%- if job.settings.row_id -%}
      {%- do batch.update(old=deltawave._kept_slice(job, batch, last, scope=deltawave._keys_by_row_id(job, batch, last, scope))) -%}
    {%- else -%}
      {%- do batch.update(old=deltawave._kept_slice(job, batch, last, deltawave._ranges_of_slice(job, batch), scope)) -%}
    {%- endif -%}
    {%- if job.settings.delete_flag -%}
      {%- if progress.high_water -%}{%- do deltawave._land_standing_rows(job, batch) -%}{%- endif -%}
      {%- do batch.update(old=deltawave._with_flagged_time(job, batch)) -%}
    {%- endif -%}
    {%- if not progress.high_water -%}{%- do deltawave._warn_of_unselected(job, batch, last) -%}{%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{#
  Where the last run left off; nothing where its mark says nothing of the rows below: another strategy or generation, an edited select,
  other columns that are compared. Nor where --full-refresh has built models below anew. Then all rows are compared once.
#}
{%- macro _time_progress(job, batch, last) -%}
  {%- do batch.update(fingerprint=deltawave._time_fingerprint(job, batch)) -%}
  {%- set progress = deltawave._last_progress(job, last) -%}
  {%- if progress.fingerprint != batch.fingerprint or deltawave._is_accepted(job) or flags.FULL_REFRESH -%}
    {%- if progress -%}
      {%- set why = 'another select or configuration than in the last run, accepted, or --full-refresh' -%}
      {%- do log('deltawave: ' ~ job.name ~ ': ' ~ why ~ ': all rows are compared', info=true) -%}
    {%- endif -%}
    {{ return({}) }}
  {%- endif -%}
  {{ return(progress) }}
{%- endmacro -%}

{#
  What decides which rows there are and what is a change of one: the select, its database and the models below it, the options. Of a remote
  the select that runs there: the view that Spark reads it by has another name in each run.
#}
{%- macro _time_fingerprint(job, batch) -%}
  {%- set settings = job.settings -%}
  {%- set compared = [] -%}
  {%- for column in batch.columns if column.is_chosen -%}{%- do compared.append([column.name, column.tolerance]) -%}{%- endfor -%}
  {{ return(local_md5(tojson([
    job.remote.select if job.remote else job.sql, settings.remote, deltawave._texts_below(job, model),
    settings.updated_at, settings.delete_flag, settings.row_id, compared,
  ]))) }}
{%- endmacro -%}

{# The texts of the models that a model reads, itself or through others: an edited view brings in rows as an edited select does. #}
{%- macro _texts_below(job, node) -%}
  {%- set below = node.depends_on.nodes | list -%}
  {%- set texts = [] -%}
  {#- Grows while it is walked. -#}
  {%- for unique_id in below -%}
    {%- set parent = graph.nodes.get(unique_id) -%}
    {%- if parent and parent.resource_type == 'model' -%}
      {%- do texts.append(deltawave._code_of(parent, deltawave._view_text(job, parent))) -%}
      {%- for grandparent in parent.depends_on.nodes if grandparent not in below -%}{%- do below.append(grandparent) -%}{%- endfor -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(texts | sort) }}
{%- endmacro -%}

{# The rows of the interval: the log's columns, and whether the row is flagged as deleted. #}
{%- macro _rows_by_time(job, batch, progress) -%}
select
    {{ deltawave._dump_names(batch) | join(',\n    ') }},
    {{ job.flag.sql }} as is_flagged
from (
    {{ deltawave._indented(deltawave._newer_rows(job, progress)) }}
)
where {{ deltawave._since(job, progress) }}
{%- endmacro -%}

{# Rows without a time-stamp are read at every run: they are either an error or inserts, see null_timestamp. #}
{%- macro _since(job, progress) -%}
  {%- set updated_at = deltawave._quoted(job.settings.updated_at) -%}
  {%- if not progress.high_water -%}
    {{ return('true') }}
  {%- endif -%}
  {{ return('(' ~ updated_at ~ ' >= ' ~ deltawave._low_mark(job, progress) ~ ' or ' ~ updated_at ~ ' is null)') }}
{%- endmacro -%}

{# The high-water mark less the overlap. #}
{%- macro _low_mark(job, progress) -%}
  {%- set low = deltawave._bound_literal(progress.high_water, job.time_type) -%}
  {%- set overlap = job.settings.overlap -%}
  {%- if overlap -%}
    {%- set low = low ~ ' - ' ~ (overlap if overlap is integer else "interval '" ~ overlap ~ "'") -%}
  {%- endif -%}
  {{ return(low) }}
{%- endmacro -%}

{# The model's select; where a remote can leave out older rows, without them. #}
{%- macro _newer_rows(job, progress) -%}
  {%- if not job.remote or not progress.high_water -%}
    {{ return(job.sql) }}
  {%- endif -%}
  {%- set condition = deltawave._since_at_remote(job, job.settings.updated_at, deltawave._low_mark(job, progress)) -%}
  {{ return(deltawave._source_rows(job, condition)) }}
{%- endmacro -%}

{#
  The next high-water mark, which never goes back. Rows ahead of the run's own clock don't move it: one of the far future would hide all
  that comes before it. For the same reason those more than a day ahead don't count where the source has to be as new as it was: a source
  in which nothing else is has lost rows, or its clock was turned back. Up to a day, two clocks may be apart.
#}
{%- macro _watch_time(job, batch, progress) -%}
  {%- set updated_at = deltawave._quoted(job.settings.updated_at) -%}
  {%- set clock = deltawave._run_clock(job, batch) -%}
  {%- set last_mark = deltawave._bound_literal(progress.high_water, job.time_type) if progress.high_water else none -%}
  {%- set moment = deltawave._until(updated_at, clock.limit) -%}
  {%- set mark = 'max(' ~ moment ~ ')' -%}
  {%- if last_mark -%}{%- set mark = 'greatest(' ~ mark ~ ', ' ~ last_mark ~ ')' -%}{%- endif -%}
  {#- Flagged rows may be removed at the source, so that only the newest row that stays can be missed. -#}
  {%- set newest = 'max(if(is_flagged, null, ' ~ moment ~ '))' -%}
  {%- set newest = 'if(' ~ newest ~ ' >= ' ~ mark ~ ', ' ~ newest ~ ', null)' -%}
  {%- set reached = 'true' -%}
  {%- if progress.newest -%}
    {#- The run's own clock may go back, too. -#}
    {%- set known = deltawave._until(updated_at, 'greatest(' ~ clock.future ~ ', ' ~ last_mark ~ ')' if clock.future else none) -%}
    {%- set reached = 'max(' ~ known ~ ') >= ' ~ deltawave._bound_literal(progress.newest, job.time_type) -%}
  {%- endif -%}
  {%- set sql -%}
select
    {{ deltawave._bound_text(mark, job.time_type) }} as high_water,
    {{ deltawave._bound_text(newest, job.time_type) }} as newest,
    coalesce({{ reached }}, false) as is_reached,
    count_if({{ updated_at }} is null) as without_time,
    count_if(is_flagged is null) as without_flag,
    {{ 'count_if(' ~ updated_at ~ ' > ' ~ clock.future ~ ')' if clock.future else 0 }} as ahead,
    count(*) as row_count
from {{ batch.landed }}
  {%- endset -%}
  {%- set row = deltawave._run(job, sql).rows[0] -%}
  {%- set settings = job.settings -%}
  {%- if row[3] | int and settings.null_timestamp == 'fail' -%}
    {%- do deltawave._refuse(job, batch, 'null_timestamp', {'column': settings.updated_at, 'count': row[3]}) -%}
  {%- endif -%}
  {%- if row[4] | int -%}
    {%- do deltawave._refuse(job, batch, 'null_flag', {'flag': settings.delete_flag, 'count': row[4]}) -%}
  {%- endif -%}
  {%- set ahead = {'column': settings.updated_at, 'count': row[5]} -%}
  {%- if row[5] | int and settings.future_timestamp == 'fail' -%}
    {%- do deltawave._refuse(job, batch, 'future_timestamp', ahead) -%}
  {%- endif -%}
  {%- if row[2] | string | lower != 'true' -%}
    {%- do deltawave._refuse(job, batch, 'clock_back', {
      'column': settings.updated_at, 'was': progress.newest, 'is': deltawave._newest_of_source(job, clock.future) or 'no row',
    }) -%}
  {%- endif -%}
  {%- if row[6] | int == 0 and batch.rows_old -%}{%- do deltawave._require_any_row(job, batch) -%}{%- endif -%}
  {%- if row[5] | int and settings.future_timestamp == 'warn' -%}
    {%- do exceptions.warn(deltawave._message('future_warning', dict(ahead, model=job.name, batch=batch.label))) -%}
  {%- endif -%}
  {%- do batch.update(progress={'high_water': row[0], 'newest': row[1], 'fingerprint': batch.fingerprint}) -%}
{%- endmacro -%}

{# An empty slice may be all that is new. A source without any row is an empty dump. #}
{%- macro _require_any_row(job, batch) -%}
  {%- if not job.settings.allow_empty and not deltawave._is_accepted(job) and not deltawave._run(job, deltawave._any_row(job)).rows -%}
    {%- do deltawave._refuse(job, batch, 'empty_dump', {'rows_old': batch.rows_old}) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  The run's own clock when it began to read: {limit} of the mark, {future} from which a row is ahead of it beyond any doubt. Times without
  a zone may be a day ahead of it in theirs. None of a counter.
#}
{%- macro _run_clock(job, batch) -%}
  {%- set now = deltawave._timestamp(deltawave._utc(batch.started_at)) -%}
  {%- set next_day = {
    'timestamp': now ~ " + interval '1 day'",
    'timestamp_ntz': deltawave._utc_time(now) ~ " + interval '1 day'",
    'date': 'cast(' ~ deltawave._utc_time(now) ~ ' as date) + 1',
  }.get(job.time_type) -%}
  {{ return({'limit': now if job.time_type == 'timestamp' else next_day, 'future': next_day}) }}
{%- endmacro -%}

{%- macro _until(expression, limit) -%}
  {{ return('if(' ~ expression ~ ' <= ' ~ limit ~ ', ' ~ expression ~ ', null)' if limit else expression) }}
{%- endmacro -%}

{%- macro _newest_of_source(job, limit) -%}
  {%- set newest = 'max(' ~ deltawave._until(deltawave._quoted(job.settings.updated_at), limit) ~ ')' -%}
  {%- set sql = 'select ' ~ deltawave._bound_text(newest, job.time_type) ~ ' as newest from (\n' ~ job.sql ~ '\n)' -%}
  {{ return(deltawave._run(job, sql).rows[0][0]) }}
{%- endmacro -%}

{# The keys of which the slice has flagged rows alone, and when they were flagged last. #}
{%- macro _flagged_keys(job, batch) -%}
  {%- set updated_at = deltawave._quoted(job.settings.updated_at) -%}
  {%- set keys = deltawave._quoted_list(job.settings.unique_key) | join(', ') -%}
select
    {{ keys }},
    max({{ updated_at }}) as {{ updated_at }}
from {{ batch.landed }}
group by {{ keys }}
having bool_and(is_flagged)
{%- endmacro -%}

{#
  A key has not gone while a row of it stands: the application may have left a tombstone beside it, and touch that one alone. So live rows of
  the keys that would be deleted are looked for at the source, whatever their time, and join the slice. The mark was taken before: between
  the two readings others may have written.
#}
{%- macro _land_standing_rows(job, batch) -%}
  {%- set keys = job.settings.unique_key -%}
  {%- set deleted -%}
(
    select {{ deltawave._quoted_list(keys, 'kept') | join(', ') }}
    from {{ deltawave._indented(batch.old) }} as kept
    left anti join {{ batch.arrived }} as arrived
        on {{ deltawave._same_key(keys, 'kept', 'arrived') }}
)
  {%- endset -%}
  {%- if deltawave._row_count(job, deleted) -%}
    {%- set key_columns = batch.columns | selectattr('is_key') | list -%}
    {%- set standing -%}
from (
    {{ deltawave._indented(deltawave._rows_with_values(job, deleted, key_columns)) }}
) as standing
left semi join {{ deleted }} as deleted
    on {{ deltawave._same_key(keys, 'standing', 'deleted') }}
where not {{ job.flag.sql }}
    and {{ deltawave._few_values(job, deleted, key_columns) }}
    {%- endset -%}
    {%- if deltawave._run(job, 'select count(*) as row_count\n' ~ standing).rows[0][0] | int -%}
      {%- set select = 'select ' ~ deltawave._dump_names(batch, 'standing') | join(', ') ~ ', false as is_flagged\n' ~ standing -%}
      {%- do deltawave._run(job, 'insert into ' ~ batch.landed ~ '\n' ~ deltawave._hashed_slice(job, select)) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{# A delete shows the last row that was read, and as its timestamp when it was flagged: see taken_deletes. #}
{%- macro _with_flagged_time(job, batch) -%}
  {%- set updated_at = job.settings.updated_at | lower -%}
  {%- set sql -%}
(
    select
        {%- for column in batch.columns %}
        {%- set name = deltawave._quoted(column.name) %}
        {{ 'coalesce(flagged.' ~ name ~ ', kept.' ~ name ~ ') as ' ~ name if column.name | lower == updated_at else 'kept.' ~ name }}{{ ',' if not loop.last }}
        {%- endfor %}
    from {{ deltawave._indented(batch.old) }} as kept
    left join (
        {{ deltawave._indented(deltawave._indented(deltawave._flagged_keys(job, batch))) }}
    ) as flagged
        on {{ deltawave._same_key(job.settings.unique_key, 'kept', 'flagged') }}
)
  {%- endset -%}
  {{ return(sql) }}
{%- endmacro -%}

{# Where all rows were read, those that are gone show. A strategy by timestamps can't take them for deleted at one run and not at others. #}
{%- macro _warn_of_unselected(job, batch, last) -%}
  {%- set unselected -%}
(
    select kept.*
    from {{ deltawave._indented(deltawave._kept_slice(job, batch, last)) }} as kept
    left anti join {{ deltawave._indented(batch.old) }} as old
        on {{ deltawave._same_key(job.settings.unique_key, 'kept', 'old') }}
)
  {%- endset -%}
  {%- set count = deltawave._row_count(job, unselected) -%}
  {%- if count -%}
    {%- do exceptions.warn(deltawave._message('unselected', {
      'model': job.name, 'batch': batch.label, 'count': count, 'strategy': job.settings.strategy,
    })) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  Keys of the slice, and those under which the kept side holds the slice's rows by their stable row id: an updated key is then a delete
  of the former key and an insert of the new one (CH98 3.5).
#}
{%- macro _keys_by_row_id(job, batch, last, scope) -%}
  {%- set row_id = deltawave._quoted(job.settings.row_id) -%}
{{ scope }}
union
select {{ deltawave._quoted_list(job.settings.unique_key, 'kept') | join(', ') }}
from {{ deltawave._kept_slice(job, batch, last) }} as kept
left semi join {{ batch.landed }} as landed
    on kept.{{ row_id }} = landed.{{ row_id }}
{%- endmacro -%}
