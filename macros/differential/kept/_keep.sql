{#
  Writes the kept side, with which the next batch is compared. After a whole dump: the dump as it landed or, with quarantined rows, as it was
  accepted; with a tolerance, the log; in place, the list of its files. After the first slice: the rows in the strategy's own form. Later slices are
  patches, which are in the log; ranges follow them.
#}
{%- macro _keep(job, batch, last) -%}
  {%- if job.strategy.reads == 'dump' -%}
    {%- set kept = deltawave._own_table(batch, 'accepted') if batch.quarantined else batch.kept -%}
    {#- Differences within a tolerance add up, so that the next dump is compared with the log, unless that lacks rows. -#}
    {%- set is_in_log = job.settings.tolerance and not batch.is_baseline -%}
    {%- do deltawave._update(batch, kept={'kind': 'log'} if is_in_log else dict({'rows': batch.rows_new}, **kept)) -%}
  {%- elif batch.is_first -%}
    {%- do deltawave._keep_first_slice(job, batch) -%}
  {%- else -%}
    {%- if batch.counts['insert'] + batch.counts['delete'] + batch.counts['update'] > 0 -%}
      {%- do deltawave._renew_kept(job, batch, last) -%}
    {%- endif -%}
    {%- if batch.turn -%}
      {%- do deltawave._renew_ranges(job, batch, batch.turn.ranges, batch.turn.read, batch.turn.fetched) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{# Rewrites the kept side once it has many patches; this batch's own changes are the first patches of the new one. #}
{%- macro _renew_kept(job, batch, last) -%}
  {%- if batch.kept == last.kept and deltawave._is_patched_much(job, last) -%}
    {%- if batch.kept.kind == 'checksums' -%}
      {%- do deltawave._write_kept(job, batch, deltawave._kept_checksums(job, batch), none, last.batch_id) -%}
    {%- elif batch.kept.kind == 'hashes' -%}
      {%- do deltawave._write_kept(job, batch, deltawave._patched_hashes(job, batch, last), none, last.batch_id) -%}
    {%- else -%}
      {%- do deltawave._write_last_state(job, batch, last) -%}
    {%- endif -%}
    {%- if batch.kept.kind == 'base' and job.strategy.ranges == 'lookup' and batch.ranges == last.ranges -%}
      {#- If this batch has already cut ranges, because the former ones were lost, they stay. -#}
      {%- do deltawave._cut_ranges(job, batch, last.rows_new) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{# The first slice is the whole table. #}
{%- macro _keep_first_slice(job, batch) -%}
  {%- set columns = batch.columns -%}
  {%- set names = deltawave._quoted_list(columns | map(attribute='name')) | join(', ') -%}
  {%- do deltawave._write_kept(job, batch, 'select ' ~ names ~ ' from ' ~ batch.new, columns, batch.batch_id) -%}
  {%- if batch.kept.kind == 'base' -%}
    {%- do deltawave._cut_ranges(job, batch, batch.rows_new) -%}
    {%- if job.strategy.ranges == 'compared' -%}
      {%- set ranges = deltawave._read_ranges(job, batch) -%}
      {%- do deltawave._renew_ranges(job, batch, ranges, ranges, ranges) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{#
  Do the log's changes since the base amount to more than a fifth of the rows? A few patches cost less than another base in each run, so that a
  small table waits for several batches of them.
#}
{%- macro _is_patched_much(job, last) -%}
  {%- if last.kept_as_of == last.batch_id -%}
    {{ return(false) }}
  {%- endif -%}
  {%- set sql -%}
select
    coalesce(sum(inserts + deletes + updates), 0) as patches,
    count(*) as batches
from {{ job.batches }}
where batch_id > {{ last.kept_as_of }} and batch_id <= {{ last.batch_id }} and inserts + deletes + updates > 0
  {%- endset -%}
  {%- set row = deltawave._run(job, sql).rows[0] -%}
  {%- set few = adapter.dispatch('_few_patches', 'deltawave')() -%}
  {{ return(row[0] | int * 5 > last.rows_new and (row[0] | int > few.patches or row[1] | int > few.batches)) }}
{%- endmacro -%}

{# Up to this many patches, or patches from this many batches, never cause a new base. #}
{%- macro default___few_patches() -%}{{ return({'patches': 10000, 'batches': 7}) }}{%- endmacro -%}
