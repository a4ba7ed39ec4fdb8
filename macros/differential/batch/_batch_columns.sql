{#
  The columns of the log after this batch, in order: [{name, data_type, is_key, in_old, in_new, is_chosen, is_compared,
  tolerance, since, before_since, is_widened, is_added, was_known}]. A drifted dump follows on_schema_change: ignore
  leaves a new column out and refuses the loss of one, fail refuses both; append_new_columns keeps a lost column, null
  from now on, and sync_all_columns hides it from readers.

    is_chosen     to be compared as soon as both sides have it
    since         the batch that brought the column
    before_since  first batch whose changes have this column's before image; later than `since` if the column was
                  missing in some dumps
    is_widened    the log has it with another type
    is_added      the dump has it and the previous state does not
    was_known     the log has earlier values of it
#}
{%- macro _batch_columns(job, last, batch_id, snapshot_date=none) -%}
  {%- set settings = job.settings -%}
  {%- set on_change = settings.on_schema_change -%}
  {%- set dump = {} -%}
  {%- for column in job.columns -%}{%- do dump.update({column.name | lower: column}) -%}{%- endfor -%}
  {%- set logged = {} -%}
  {%- for column in (last.columns if last else []) -%}
    {%- do logged.update({column.name | lower: column}) -%}
  {%- endfor -%}

  {%- set added = dump.keys() | reject('in', logged.keys()) | list if logged else [] -%}
  {%- set dropped = logged.keys() | reject('in', dump.keys()) | list -%}
  {#- A log that has such a column, from before its name was reserved, keeps it. -#}
  {%- set is_ignored = logged and on_change == 'ignore' -%}
  {%- do deltawave._check_new_names(job, [] if is_ignored else (
    added | reject('in', last.hidden) if logged else dump
  )) -%}
  {%- if added or dropped -%}
    {%- do deltawave._check_schema_change(job, job.name, added, dropped, last, snapshot_date) -%}
  {%- endif -%}

  {%- set columns = [] -%}
  {%- for name, column in (logged or dump).items() -%}
    {%- set new = dump.get(name) -%}
    {%- set is_same = not new or new.data_type == column.data_type -%}
    {%- set data_type = column.data_type if is_same else deltawave._type_after(job, column, new.data_type) -%}
    {%- if new or on_change != 'sync_all_columns' -%}
      {%- set in_old = last is not none and column.get('in_copy', true) -%}
      {%- do columns.append(dict(
        deltawave._compared_column(settings, dict(column, data_type=data_type), in_old, new is not none),
        since=column.get('since', batch_id),
        before_since=column.get('before_since', 0) if in_old or last is none else batch_id + 1,
        is_widened=data_type != column.data_type,
        is_added=new is not none and not in_old and last is not none,
        was_known=true,
      )) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if on_change in ['append_new_columns', 'sync_all_columns'] -%}
    {#- The log also has the columns that are hidden from readers. -#}
    {%- set types = deltawave._types_of(deltawave._columns_of(deltawave._helper_relation(job, last.log))) if added
        else {} -%}
    {%- for name in added -%}
      {%- set new = dump[name] -%}
      {%- set was_known = name in last.hidden -%}
      {%- set known = dict(new, data_type=types.get(name, new.data_type) if was_known else new.data_type) -%}
      {%- set is_same = new.data_type == known.data_type -%}
      {%- set data_type = new.data_type if is_same else deltawave._type_after(job, known, new.data_type) -%}
      {%- do columns.append(dict(
        deltawave._compared_column(settings, dict(new, data_type=data_type), false, true),
        since=batch_id,
        before_since=batch_id + 1 if was_known else 0,
        is_widened=data_type != types.get(name, data_type),
        is_added=true,
        was_known=was_known,
      )) -%}
    {%- endfor -%}
  {%- endif -%}
  {{ return(columns) }}
{%- endmacro -%}

{# Refuses names for new columns of a log that the tables which follow it need. #}
{%- macro _check_new_names(job, names) -%}
  {%- for name in names if name | lower in deltawave._reserved_by_followers() -%}
    {%- do deltawave._fail('reserved_column', {'model': job.name, 'column': name}) -%}
  {%- endfor -%}
{%- endmacro -%}

{#
  Refuses columns that a dump has gained, or lost, unless on_schema_change lets it. `label` names the model in the
  error; `last`: the record of the rows that the dump follows, if these can show which column was renamed.
#}
{%- macro _check_schema_change(job, label, added, dropped, last=none, snapshot_date=none) -%}
  {%- set on_change = job.settings.on_schema_change -%}
  {%- if (added or dropped) and on_change == 'fail' or dropped and on_change == 'ignore' -%}
    {%- do deltawave._fail('schema_changed', {
      'model': label, 'on_schema_change': on_change,
      'added': added | join(', ') or 'none', 'dropped': dropped | join(', ') or 'none',
      'hint': deltawave._perhaps_renamed(job, last, snapshot_date, added, dropped) if last else '',
    }) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  The type of the log's column after a batch with another one. Numeric columns widen if on_schema_change allows it. The
  user has to cast for every other change of type, and for any change of a key column: the rows of the state are placed
  by the key's hash.
#}
{%- macro _type_after(job, column, data_type) -%}
  {%- set common = none if column.is_key else deltawave._common_number_type(column.data_type, data_type) -%}
  {%- if common is none or job.settings.on_schema_change != 'sync_all_columns' -%}
    {%- do deltawave._fail('type_widened' if common else 'type_changed', {
      'model': job.name, 'column': column.name, 'was': column.data_type, 'is': data_type,
    }) -%}
  {%- endif -%}
  {{ return(common) }}
{%- endmacro -%}
