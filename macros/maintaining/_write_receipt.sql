{#
  Receipts: x__removals has a row for each removal and place, which says nothing of what was removed but how much it
  was. A place: {name, job, pattern, rows, before}; pattern: of its tables' names, or relations and folders: what it is;
  before: [files, bytes], none where the session does not show them. still_there: what could not be freed yet, and when
  it can.
#}
{%- macro _places_of(job) -%}
  {%- set kinds = deltawave._attempt_kinds() | reject('eq', 'history') | join('|') -%}
  {{ return([
    {'name': 'log', 'job': job, 'pattern': 'log(_\\d+(_[0-9a-f]{12})?)?'},
    {'name': 'state', 'job': job, 'pattern': '(' ~ kinds ~ ')_\\d+_[0-9a-f]{12}'},
    {'name': 'quarantine', 'job': job, 'pattern': 'quarantine(_\\d+_[0-9a-f]{12})?'},
  ]) }}
{%- endmacro -%}

{# The same of tables that follow the log, and of wave indices. #}
{%- macro _places_of_followers(followers) -%}
  {%- set places = [] -%}
  {%- for follower in followers -%}
    {%- set pattern = '(rows|patch|index\\d+)_\\d+_[0-9a-f]{12}' -%}
    {%- do places.append({'name': follower.job.name, 'job': follower.job, 'pattern': pattern}) -%}
  {%- endfor -%}
  {{ return(places) }}
{%- endmacro -%}

{# The places with what they have of the subject, and the size of their files. #}
{%- macro _measured_places(places, subject, columns) -%}
  {%- for place in places -%}
    {%- do place.update(rows=deltawave._rows_in(place, subject, columns), before=deltawave._usage_of(place)) -%}
  {%- endfor -%}
  {{ return(places) }}
{%- endmacro -%}

{# The tables of a place, as they are now. #}
{%- macro _tables_of_place(place) -%}
  {%- if not place.pattern -%}{{ return(place.relations) }}{%- endif -%}
  {%- set job = place.job -%}
  {%- set prefix = modules.re.escape(job.target.identifier | lower ~ '__') -%}
  {%- set tables = [] -%}
  {%- for name in deltawave._names_like(job, job.target.identifier ~ '__*') -%}
    {%- set found = deltawave._whole_match(prefix ~ '(' ~ place.pattern ~ ')', name | lower) -%}
    {%- if found -%}{%- do tables.append(deltawave._helper_relation(job, found.group(1))) -%}{%- endif -%}
  {%- endfor -%}
  {{ return(tables) }}
{%- endmacro -%}

{# How many rows of the subject its tables have. columns: of the key, as the log has them now. #}
{%- macro _rows_in(place, subject, columns) -%}
  {%- set counts = [] -%}
  {%- for keys in deltawave._keys_in(place, columns) -%}
    {%- do counts.append(deltawave._row_count(place.job, '(select 1 from ' ~ keys ~ ' where ' ~ subject ~ ')')) -%}
  {%- endfor -%}
  {{ return(counts | sum) }}
{%- endmacro -%}

{#
  The keys of its tables, as relations: hashes do not show any, nor does the row that counts merges. A log of an earlier
  generation may have them in another type.
#}
{%- macro _keys_in(place, columns) -%}
  {%- set found = [] -%}
  {%- for table in deltawave._tables_of_place(place) -%}
    {%- set types = deltawave._types_of(deltawave._columns_of(table)) -%}
    {%- set values = [] -%}
    {%- for column in columns if column.name | lower in types -%}
      {%- set name = deltawave._quoted(column.name) -%}
      {%- do values.append(
        name if types[column.name | lower] == column.data_type
        else 'try_cast(' ~ name ~ ' as ' ~ column.data_type ~ ') as ' ~ name
      ) -%}
    {%- endfor -%}
    {%- if values | length == columns | length -%}
      {%- do found.append(
        '(select ' ~ values | join(', ') ~ ' from ' ~ table
        ~ (' where `_applied` is null' if '_applied' in types else '') ~ ')'
      ) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(found) }}
{%- endmacro -%}

{# The files of its tables, [files, bytes]; none where the session does not show them. #}
{%- macro _usage_of(place) -%}
  {%- if adapter.folder_usage is not defined -%}{{ return(none) }}{%- endif -%}
  {%- set files, bytes, folders = [], [], (place.folders or []) | list -%}
  {%- for table in deltawave._tables_of_place(place) -%}
    {%- do folders.append(deltawave._facts_of(place.job, table)['Location']) -%}
  {%- endfor -%}
  {%- for folder in folders -%}
    {%- set usage = adapter.folder_usage(folder) -%}
    {%- if usage is none -%}{{ return(none) }}{%- endif -%}
    {%- do files.append(usage[0]) -%}
    {%- do bytes.append(usage[1]) -%}
  {%- endfor -%}
  {{ return([files | sum, bytes | sum]) }}
{%- endmacro -%}

{#
  What a table that was changed in place still has of its deleted rows, and until when, as a text; none if nothing.
  Delta and Iceberg keep older files for readers of older versions.
#}
{%- macro _kept_by_history(job, table) -%}
  {%- set option, days, freed_by = {
    'delta': ['delta.deletedFileRetentionDuration', 7, 'vacuum'],
    'iceberg': ['history.expire.max-snapshot-age-ms', 5, 'expire_snapshots'],
  }.get(deltawave._facts_of(job, table).get('Provider', '') | lower, [none, none, none]) -%}
  {%- if not option -%}{{ return(none) }}{%- endif -%}
  {%- set span = namespace(text=days ~ ' days') -%}
  {%- for row in deltawave._run(job, 'show tblproperties ' ~ table).rows if row[0] == option -%}
    {%- set found = deltawave._whole_match('(?:interval )?(\\d+)( [a-z]+)?', row[1]) -%}
    {%- if found -%}
      {#- Iceberg counts milliseconds. -#}
      {%- set span.text = found.group(1) ~ (found.group(2) or ' milliseconds') -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set at = deltawave._run(job, 'select ' ~ deltawave._utc_text('current_timestamp() + interval ' ~ span.text)).rows[0][0] -%}
  {{ return('older files, which ' ~ freed_by ~ ' deletes from ' ~ at[:16] ~ 'Z on') }}
{%- endmacro -%}

{%- macro _print_places(job, places) -%}
  {%- for place in places -%}
    {%- if place.rows or loop.first -%}
      {%- do deltawave._say(job, deltawave._count(place.rows, 'row', 'rows') ~ ' in the ' ~ place.name) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}

{%- macro _removals_relation(job) -%}{{ return(deltawave._helper_relation(job, 'removals')) }}{%- endmacro -%}

{%- macro _create_removals(job) -%}
  {%- set sql -%}
create table if not exists {{ deltawave._removals_relation(job) }} (
    removed_at timestamp,
    operation string,
    place string,
    row_count bigint,
    files_freed bigint,
    bytes_freed bigint,
    still_there string
)
using {{ job.settings.file_format }}
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
{%- endmacro -%}

{# Writes and prints what a removal has freed. at: when it began. #}
{%- macro _write_receipt(job, operation, places, at=none) -%}
  {%- do deltawave._create_removals(job) -%}
  {%- set at = deltawave._timestamp(at) if at else 'current_timestamp()' -%}
  {%- set lines = [] -%}
  {%- for place in places -%}
    {%- set after = deltawave._usage_of(place) -%}
    {%- set is_known = after is not none and place.before is not none -%}
    {%- set freed = [place.before[0] - after[0], place.before[1] - after[1]] if is_known else [none, none] -%}
    {%- if place.rows or freed[1] or place.still_there -%}
      {%- set values = [deltawave._literal(operation), deltawave._literal(place.name), place.rows] -%}
      {%- set values = values + (['null', 'null'] if freed[0] is none else freed) -%}
      {%- set values = values + [deltawave._literal(place.still_there) if place.still_there else 'null'] -%}
      {%- do lines.append('(' ~ at ~ ', ' ~ values | join(', ') ~ ')') -%}
      {%- do deltawave._say(
        job, operation ~ ': ' ~ place.name ~ ': ' ~ deltawave._count(place.rows, 'row', 'rows')
          ~ (', ' ~ deltawave._count(freed[1], 'byte', 'bytes') ~ ' freed' if (freed[1] or 0) > 0
            else ', written again' if freed[0] is not none and place.rows else '')
          ~ ('; still there: ' ~ place.still_there if place.still_there else '')
      ) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if lines -%}
    {%- do deltawave._run(job, 'insert into ' ~ deltawave._removals_relation(job) ~ ' values\n    ' ~ lines | join(',\n    ')) -%}
  {%- else -%}
    {%- do deltawave._say(job, operation ~ ': nothing to remove') -%}
  {%- endif -%}
{%- endmacro -%}

{# A line for the user: printed by an operation, of which the command shows nothing else; logged by a run. #}
{%- macro _say(job, text) -%}
  {%- if invocation_args_dict.get('which') == 'run-operation' -%}
    {%- do print(job.name ~ ': ' ~ text) -%}
  {%- else -%}
    {%- do log('deltawave: ' ~ job.name ~ ': ' ~ text, info=true) -%}
  {%- endif -%}
{%- endmacro -%}
