{#
  Refuses a batch that brings an erased key back: inserts it, or sets it aside. A run that takes erased keys back, by
  --vars '{deltawave_take_back: [model]}', passes. is_staged: whether its rows are written. A Delta or Iceberg table
  would keep even refused rows in its history, so there the changes are computed once more, before.
#}
{%- macro _check_erased(job, batch, is_staged) -%}
  {%- if is_staged == (job.settings.file_format == 'parquet') and not deltawave._takes_back(job)
      and deltawave._knows_erased(job, batch) -%}
    {%- set sql -%}
select
    count(*) as key_count,
    {{ deltawave._utc_text('max(noted_at)') }} as noted_at
from {{ deltawave._erased_keys(job) }}
where key_hash in (
    {{ deltawave._indented(deltawave._keys_brought(job, batch, is_staged)) }}
)
    {%- endset -%}
    {%- set found = deltawave._run(job, sql).rows[0] -%}
    {%- if found[0] | int -%}
      {%- do deltawave._refuse(job, batch, 'erased_again', {'keys': found[0] | int, 'date': found[1][:10]}) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{# Notes of a decided batch which erased keys it has taken back: these are no longer erased. #}
{%- macro _note_taken_back(job, batch) -%}
  {%- if deltawave._takes_back(job) and deltawave._knows_erased(job, batch) -%}
    {%- set sql -%}
insert into {{ deltawave._erased_relation(job) }}
select
    key_hash,
    current_timestamp() as noted_at,
    false as is_erased
from {{ deltawave._erased_keys(job) }}
where key_hash in (
    {{ deltawave._indented(deltawave._keys_brought(job, batch, true)) }}
)
    {%- endset -%}
    {%- do deltawave._run(job, sql) -%}
  {%- endif -%}
{%- endmacro -%}

{%- macro _takes_back(job) -%}{{ return(deltawave._is_named(job, 'deltawave_take_back')) }}{%- endmacro -%}

{# The hashes of the keys that a batch inserts or sets aside, as a select. A baseline logs none of its rows. #}
{%- macro _keys_brought(job, batch, is_staged) -%}
  {%- set keys = deltawave._quoted_list(job.settings.unique_key) | join(', ') -%}
  {%- if batch.is_first and batch.is_baseline -%}
    {%- set rows = ['select ' ~ keys ~ ' from ' ~ batch.result.new] -%}
  {%- else -%}
    {%- set changes = deltawave._staged_rows(job, batch, batch.result.log_table) if is_staged
        else deltawave._in_parentheses(deltawave._staged_changes(job, batch)) -%}
    {%- set rows = ['select ' ~ keys ~ ' from ' ~ changes ~ " where change_type = 'insert'"] -%}
  {%- endif -%}
  {%- if batch.result.quarantined -%}
    {%- set aside = deltawave._staged_rows(job, batch, deltawave._quarantine_relation(job)) if is_staged
        else deltawave._in_parentheses(deltawave._quarantined_rows(job, batch)) -%}
    {%- do rows.append('select ' ~ keys ~ ' from ' ~ aside) -%}
  {%- endif -%}
select {{ deltawave._salted_key(job, deltawave._key_columns(job)) }}
from {{ deltawave._in_parentheses(rows | join('\nunion all\n')) }}
{%- endmacro -%}

{# erased: skip. Leaves erased keys out of the model's select, unless the run takes them back. #}
{%- macro _leave_out_erased(job, record) -%}
  {%- if job.settings.erased == 'skip' and not deltawave._takes_back(job) and deltawave._knows_erased(job, record) -%}
    {%- set sql -%}
select *
from {{ deltawave._in_parentheses(job.sql) }}
where {{ deltawave._salted_key(job, deltawave._key_columns(job, job.select_columns)) }} not in (
    select key_hash
    from {{ deltawave._erased_keys(job) | indent }}
)
    {%- endset -%}
    {%- do deltawave._update(job, sql=sql) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  What is remembered of erased keys, so that no dump brings one back unnoticed: x__erased has a hash of each, with the
  salt of x__salt. Without that table, which a user may drop, the hashes say nothing, and nothing is checked.
#}
{%- macro _erased_relation(job) -%}{{ return(deltawave._helper_relation(job, 'erased')) }}{%- endmacro -%}

{%- macro _salt_relation(job) -%}{{ return(deltawave._helper_relation(job, 'salt')) }}{%- endmacro -%}

{# The keys that were erased and not taken back, as a relation: what was noted last of each counts. #}
{%- macro _erased_keys(job) -%}
(
    select
        key_hash,
        max(noted_at) as noted_at
    from {{ deltawave._erased_relation(job) }}
    group by key_hash
    having max_by(is_erased, noted_at)
)
{%- endmacro -%}

{# The salted hash of a row's key. Its columns: [{name, data_type}]. #}
{%- macro _salted_key(job, columns) -%}
  {{ return(deltawave._salted(job, deltawave.row_checksum(columns, bits=128))) }}
{%- endmacro -%}

{# The hash of a text with the salt, which itself stands in no statement. #}
{%- macro _salted(job, text) -%}
  {{ return('sha2(concat((select max(salt) from ' ~ deltawave._salt_relation(job) ~ '), ' ~ text ~ '), 256)') }}
{%- endmacro -%}

{# Has the log erased keys whose hashes can be compared? A salt that is not written yet makes no hash. #}
{%- macro _knows_erased(job, record) -%}
  {%- set salt = deltawave._salt_relation(job) -%}
  {{ return(
    record is not none and record.get('erased_at') is not none and deltawave._is_there(job, salt)
    and deltawave._row_count(job, salt) > 0
  ) }}
{%- endmacro -%}
