{#
  Settles the strategy of a run: under strategy: auto the best one for a table like the last batch's (LG95 4.7),
  otherwise the one that the model names or, where its library does not reach the rows, the one that compares the same
  by SQL. All write the same log.
#}
{%- macro _choose_strategy(job, state) -%}
  {%- set last = none if state.is_new_generation else state.record -%}
  {%- if job.settings.is_auto -%}
    {%- set table = deltawave._table_of_job(job, last) -%}
    {%- set best = deltawave._best_strategy(table, deltawave._weighed_strategies(table)) -%}
    {%- set strategy = deltawave._strategy_named(job.name, best.strategy) -%}
    {%- set reason = 'auto: ' ~ table.note ~ ': ' ~ best.reason ~ deltawave._misses_of(strategy, last) -%}
  {%- else -%}
    {%- set strategy = deltawave._strategy_named(job.name, job.settings.strategy) -%}
    {%- set other = deltawave._strategy_named(job.name, strategy.elsewhere) if strategy.elsewhere else none -%}
    {#- A log that began without the rows of its first dump cannot give another strategy what that keeps. -#}
    {%- if other and last and last.is_baseline and deltawave._is_kept_by(other, last.state) -%}
      {%- set strategy, reason = other, 'compared by Spark, as the log began' -%}
    {%- elif other and not deltawave._is_reached_by_duckdb(job) -%}
      {%- set strategy, reason = other, 'compared by Spark, since DuckDB does not reach the rows' -%}
    {%- endif -%}
  {%- endif -%}
  {%- if reason -%}
    {%- do job.settings.update(strategy=strategy.name, reason=reason) -%}
    {%- do deltawave._update(job, strategy=strategy) -%}
    {%- set is_other = last and strategy.name != last.progress_strategy -%}
    {%- do log('deltawave: ' ~ job.name ~ ': strategy ' ~ strategy.name ~ ', ' ~ reason, info=is_other) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  What is known of a model's table before a run, as _weighed_strategies takes it. A row is taken for 100 bytes, as Spark
  estimates those of files; a first dump of unknown size for small. note: what it was taken from.
#}
{%- macro _table_of_job(job, last) -%}
  {%- set settings = job.settings -%}
  {%- set is_by_hashes = last and deltawave._is_by_hashes(job, last) -%}
  {%- set table = dict(
    deltawave._usual_table(),
    rows=[last.rows_new, 1] | max if last else 1000000,
    row_bytes=100,
    is_remote=job.remote is not none,
    snapshot_date=settings.snapshot_date,
    only=deltawave._auto_strategies(),
    settings=settings,
    lacks_rows=last and last.is_baseline or settings.initial_load == 'baseline' or settings.before_image == 'none',
    has_other_columns=last and not is_by_hashes and deltawave._columns_differ(job, last),
    note='the first of several dumps' if settings.snapshot_date is not none else 'the first dump',
  ) -%}
  {%- if last -%}
    {%- set changed = last.inserts + last.updates + last.deletes -%}
    {%- do table.update(
      note=deltawave._with_commas(last.rows_new ~ ' rows, ' ~ changed ~ ' of them changed by the last batch')
    ) -%}
    {%- if last.batch_id != last.first_batch -%}
      {%- do table.update(change_fraction=[changed / table.rows, 1] | min) -%}
    {%- endif -%}
  {%- endif -%}
  {#- What costs a statement is asked only where it decides. -#}
  {%- if deltawave._reason_against_hashes(deltawave._strategy_named(job.name, 'hash_compressed'), table) -%}
    {{ return(dict(table, has_fixed_costs=false, is_reached=false)) }}
  {%- endif -%}
  {%- do table.update(
    is_reached=deltawave._is_reached_by_duckdb(job), has_fixed_costs=not deltawave._is_quick(job)
  ) -%}
  {%- if is_by_hashes -%}
    {#- So that a table near the limit does not change its strategy with each batch. -#}
    {%- do table.update(quick_bytes=table.quick_bytes // 4) -%}
  {%- elif not last and table.has_fixed_costs -%}
    {%- set size = deltawave._size_of_first(job) -%}
    {%- do table.update(rows=[(size or 0) // 100, 1] | max) -%}
    {%- if size is not none -%}
      {%- do table.update(note=table.note ~ ', of about ' ~ deltawave._bytes_text(size)) -%}
    {%- endif -%}
  {%- endif -%}
  {{ return(table) }}
{%- endmacro -%}

{# How often hashes hide a change, if every row of the next dump counts (LG96 3.2; see _comparisons_before_error). #}
{%- macro _misses_of(strategy, last) -%}
  {%- if last and strategy.checksums == 'rows' -%}
    {{ return(
      '; it hides a change every ' ~ deltawave._scientific(deltawave._comparisons_of_hashes(last)) ~ ' comparisons'
    ) }}
  {%- endif -%}
  {{ return('') }}
{%- endmacro -%}

{# Expected comparisons of a dump like the last one before 128 bits hide a change. #}
{%- macro _comparisons_of_hashes(last) -%}{{ return(2.0 ** 128 / [last.rows_new, 1] | max) }}{%- endmacro -%}

{# Were the rows of a batch compared by hashes? #}
{%- macro _is_by_hashes(job, last) -%}
  {{ return(last.progress_strategy in deltawave._strategies()
    and deltawave._strategies()[last.progress_strategy].checksums == 'rows') }}
{%- endmacro -%}

{#
  Are hashes faster than a join for any number of rows? Yes if DuckDB compares the columns and reads the log, which
  consists of Parquet files on this machine. Not for a dated dump, which is read once more for its checksum; and not
  with a quarantine, for which only a join lands the columns that the log does not have.
#}
{%- macro _is_quick(job) -%}
  {%- set is_usual = job.settings.snapshot_date is none and job.settings.duplicate_keys == 'fail' and not job.remote -%}
  {{ return(is_usual and deltawave._is_read_by_duckdb(job)) }}
{%- endmacro -%}

{#
  The bytes that the first select reads, as Spark estimates them; none if it cannot, and for dumps of several dates,
  whose first run may compare many.
#}
{%- macro _size_of_first(job) -%}
  {%- if job.remote or job.settings.snapshot_date is not none -%}{{ return(none) }}{%- endif -%}
  {%- set plan = deltawave._run(job, 'explain cost ' ~ job.sql).rows[0][0] -%}
  {%- set found = modules.re.search('sizeInBytes=([^ ]+) ([A-Za-z]+)', plan) -%}
  {%- set units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] -%}
  {#- If Spark knows nothing of a relation, it computes with the largest number as its size: the result is in EiB. -#}
  {%- if not found or found.group(2) not in units or 'E' in found.group(1) or 'EiB' in plan -%}
    {{ return(none) }}
  {%- endif -%}
  {{ return((found.group(1) | float * 1024 ** units.index(found.group(2))) | int) }}
{%- endmacro -%}

{#
  Whether the dump has other columns, or columns of other types, than the previous state. New ones that are ignored do
  not count.
#}
{%- macro _columns_differ(job, last) -%}
  {%- set dump = {} -%}
  {%- for column in job.columns -%}{%- do dump.update({column.name | lower: column.data_type}) -%}{%- endfor -%}
  {%- set kept = {} -%}
  {%- for column in last.columns -%}
    {%- do kept.update({column.name | lower: column.data_type if column.in_copy else none}) -%}
  {%- endfor -%}
  {%- for name in (dump.keys() | list if job.settings.on_schema_change == 'ignore' else []) if name not in kept -%}
    {%- do dump.pop(name) -%}
  {%- endfor -%}
  {{ return(dump != kept) }}
{%- endmacro -%}
