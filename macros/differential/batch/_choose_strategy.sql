{#
  Settles the strategy of a run: under strategy: auto by what earlier batches measured (LG95 4.7), otherwise the one
  that the model names or, where its library does not reach the rows, the one that compares the same by SQL. All write
  the same log.
#}
{%- macro _choose_strategy(job, state) -%}
  {%- set last = none if state.is_new_generation else state.record -%}
  {%- set named, reason = deltawave._chosen(job, last) if job.settings.is_auto else (job.settings.strategy, none) -%}
  {%- set strategy = deltawave._strategy_named(job.name, named) -%}
  {%- set other = deltawave._strategy_named(job.name, strategy.elsewhere) if strategy.elsewhere else none -%}
  {#-
    row_checksum instead of hash_compressed: where DuckDB does not reach the rows, or if the log began with it and lacks
    the rows of its first dump, since then it cannot give the other strategy what that keeps.
  -#}
  {%- set is_bound = other and last and last.is_baseline and deltawave._is_kept_by(other, last.state) -%}
  {%- if other and (is_bound or not deltawave._is_reached_by_duckdb(job)) -%}
    {%- set strategy = other -%}
    {%- set why = 'as the log began' if is_bound else 'since DuckDB does not reach the rows' -%}
    {%- set reason = [reason, 'compared by Spark, ' ~ why] | select | join('; ') -%}
  {%- endif -%}
  {%- set reason = 'auto: ' ~ reason if job.settings.is_auto else reason -%}
  {%- if reason -%}
    {%- do job.settings.update(strategy=strategy.name, reason=reason) -%}
    {%- do deltawave._update(job, strategy=strategy) -%}
    {%- set is_other = last and strategy.name != last.progress_strategy -%}
    {%- do log('deltawave: ' ~ job.name ~ ': strategy ' ~ strategy.name ~ ', ' ~ reason, info=is_other) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  The strategy and the reason: hashes, which cost fewer blocks (LG96 Figure 6), unless something is against them. On a
  cluster, and wherever else DuckDB does not reach the rows, these become row_checksum.
#}
{%- macro _chosen(job, last) -%}
  {%- set against = deltawave._reason_against_hashes(job, last) -%}
  {%- if not against and not deltawave._is_quick(job) -%}
    {%- set against = deltawave._reason_of_size(job, last) -%}
  {%- endif -%}
  {{ return(('outer_join', against) if against else ('hash_compressed', deltawave._reason_for_hashes(last))) }}
{%- endmacro -%}

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
  Why a table is too small for anything but a join; none if it is large. Once hashes have compared it, the
  limit is a quarter, so that a table near it does not change its strategy with each batch.
#}
{%- macro _reason_of_size(job, last) -%}
  {%- if last -%}
    {%- set few = adapter.dispatch('_few_rows', 'deltawave')() -%}
    {%- set limit = few // 4 if deltawave._is_by_hashes(job, last) else few -%}
    {%- if last.rows_new < limit -%}
      {{ return(deltawave._with_commas(
        last.rows_new ~ ' rows are too few for hashes to pay (fewer than ' ~ limit ~ ')'
      )) }}
    {%- endif -%}
    {{ return(none) }}
  {%- elif job.settings.snapshot_date is not none -%}
    {{ return('the first run may compare many dumps') }}
  {%- endif -%}
  {%- set size = deltawave._source_bytes(job) -%}
  {%- set few = adapter.dispatch('_few_bytes', 'deltawave')() -%}
  {%- if size is none or size < few -%}
    {%- set known = 'nothing is known of its size' if size is none else 'it has about '
        ~ deltawave._bytes_text(size) -%}
    {{ return('the first dump: ' ~ known ~ ', and hashes pay from about ' ~ deltawave._bytes_text(few)) }}
  {%- endif -%}
{%- endmacro -%}

{# The bytes that the select reads, as Spark estimates them; none if it cannot. #}
{%- macro _source_bytes(job) -%}
  {%- if job.remote -%}{{ return(none) }}{%- endif -%}
  {%- set plan = deltawave._run(job, 'explain cost ' ~ job.sql).rows[0][0] -%}
  {%- set found = modules.re.search('sizeInBytes=([^ ]+) ([A-Za-z]+)', plan) -%}
  {%- set units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] -%}
  {#- If Spark knows nothing of a relation, it computes with the largest number as its size: the result is in EiB. -#}
  {%- if not found or found.group(2) not in units or 'E' in found.group(1) or 'EiB' in plan -%}
    {{ return(none) }}
  {%- endif -%}
  {{ return((found.group(1) | float * 1024 ** units.index(found.group(2))) | int) }}
{%- endmacro -%}

{%- macro _bytes_text(size) -%}
  {{ return('%.1f GB' | format(size / 1e9) if size >= 1e9 else '%.0f MB' | format(size / 1e6)) }}
{%- endmacro -%}

{#
  Smaller first dumps take less time with a join where not _is_quick: landing what hashes have found has fixed costs.
#}
{%- macro default___few_bytes() -%}{{ return(100000000) }}{%- endmacro -%}

{# Why rows are not compared by hashes; none if nothing is against it. #}
{%- macro _reason_against_hashes(job, last) -%}
  {%- set by_options = deltawave._options_against_hashes(job) -%}
  {%- if by_options or not last -%}
    {{ return(by_options) }}
  {%- elif last.is_baseline -%}
    {{ return(deltawave._log_lacks_rows()) }}
  {%- elif not deltawave._is_by_hashes(job, last) and deltawave._columns_differ(job, last) -%}
    {{ return('the dump has other columns than the log') }}
  {%- elif job.remote and not deltawave._is_reached_by_duckdb(job) -%}
    {{ return('Spark would fetch the remote rows twice') }}
  {%- endif -%}
  {%- set is_large = last.rows_new >= adapter.dispatch('_few_rows', 'deltawave')() -%}
  {%- if is_large and last.inserts + last.updates + last.deletes > last.rows_new // 5
      and last.batch_id != last.first_batch -%}
    {{ return('the last batch changed more than a fifth of the rows, whose hashes are written again in each run') }}
  {%- endif -%}
{%- endmacro -%}

{# What the options have against hashes; none if nothing. #}
{%- macro _options_against_hashes(job) -%}
  {%- set settings = job.settings -%}
  {%- if settings.initial_load == 'baseline' or settings.before_image == 'none' -%}
    {{ return(deltawave._log_lacks_rows()) }}
  {%- endif -%}
  {%- for option, allowed in deltawave._strategy_named(job.name, 'hash_compressed').allows.items()
      if settings[option] not in allowed -%}
    {{ return("'" ~ option ~ "' can't be " ~ settings[option] ~ ' with hashes') }}
  {%- endfor -%}
{%- endmacro -%}

{%- macro _log_lacks_rows() -%}
  {{ return('hashes hold no rows, and the log lacks rows of the first dump, or is not read (before_image: none)') }}
{%- endmacro -%}

{#
  By LG96 Figure 6: |f1| + |F2| + |f2| for hashes that fit in memory, |f1| + 2 |F2| + |f2| for others, instead of |F1|
  + 4 |F2|.
#}
{%- macro _reason_for_hashes(last) -%}
  {%- if not last -%}
    {{ return('hashes cost less than a join (LG96 Figure 6)') }}
  {%- endif -%}
  {{ return('of %s rows, the last batch changed %s; hashes cost less than a join (LG96 Figure 6), and hide a change every %s comparisons' | format(
      deltawave._with_commas(last.rows_new), deltawave._with_commas(last.inserts + last.updates + last.deletes),
      deltawave._scientific(deltawave._comparisons_of_hashes(last))
    )
  ) }}
{%- endmacro -%}

{#
  Expected comparisons of a dump like the last one before 128 bits hide a change, if every row counts (LG96 3.2; see
  _comparisons_before_error).
#}
{%- macro _comparisons_of_hashes(last) -%}{{ return(2.0 ** 128 / [last.rows_new, 1] | max) }}{%- endmacro -%}

{# A table with fewer rows is joined where it is not _is_quick; see docs/strategies/auto.md. #}
{%- macro default___few_rows() -%}{{ return(1000000) }}{%- endmacro -%}

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
