{#
  Chooses the strategy of a run under strategy: auto (LG95 4.7), by what the last batch measured. Both candidates write the same log: one whose
  assumptions do not hold, or that does not take the model's options, is not chosen.
#}
{%- macro _choose_strategy(job, state) -%}
  {%- if job.settings.is_auto and not flags.EMPTY -%}
    {%- set last = none if state.is_new_generation else state.record -%}
    {%- set against = deltawave._reason_against_hashes(job, last) -%}
    {%- set strategy, reason = ('outer_join', against) if against else ('hash_compressed', deltawave._reason_for_hashes(job, last)) -%}
    {%- do job.settings.update(strategy=strategy, reason='auto: ' ~ reason) -%}
    {%- do deltawave._update(job, strategy=deltawave._strategy_named(job.name, strategy)) -%}
    {%- do log('deltawave: ' ~ job.name ~ ': strategy ' ~ strategy ~ ', ' ~ job.settings.reason, info=true) -%}
  {%- endif -%}
{%- endmacro -%}

{# The assumption of hash_compressed that does not hold; none if all hold. #}
{%- macro _reason_against_hashes(job, last) -%}
  {%- set settings = job.settings -%}
  {%- if adapter.runs_python is not defined or not adapter.runs_python() -%}
    {{ return('the profile does not run Python') }}
  {%- elif not settings.min_comparisons_before_error -%}
    {{ return('min_comparisons_before_error: 0 allows exact comparison only') }}
  {%- elif settings.compare_columns is not none or settings.ignore_columns is not none -%}
    {{ return('hashes do not tell what columns hold that are not compared') }}
  {%- endif -%}
  {%- for option, allowed in deltawave._strategy_named(job.name, 'hash_compressed').allows.items() -%}
    {#- While the columns stay the same, nothing follows on_schema_change. -#}
    {%- if option != 'on_schema_change' and settings[option] not in allowed -%}
      {{ return("'" ~ option ~ "' can't be " ~ settings[option] ~ ' with hashes') }}
    {%- endif -%}
  {%- endfor -%}
  {%- for column in job.columns if column.name | lower in settings.unique_key | map('lower') and 'interval' in column.data_type | lower -%}
    {{ return('Spark does not hand over the key ' ~ column.name ~ ' (' ~ column.data_type ~ ')') }}
  {%- endfor -%}
  {%- if not last -%}
    {{ return('no batch has measured the dump yet') }}
  {%- elif not deltawave._log_has_all_rows(job, last) -%}
    {{ return('hashes hold no rows, and the log lacks rows of the first dump, or is not read (before_image: none)') }}
  {%- elif deltawave._columns_differ(job, last) -%}
    {{ return('the dump has other columns than the log') }}
  {%- endif -%}
  {%- set few = adapter.dispatch('_few_rows', 'deltawave')() -%}
  {#- A table near the limit does not change its strategy with each batch. -#}
  {%- set limit = few // 2 if last.progress_strategy == 'hash_compressed' else few -%}
  {%- if last.rows_new < limit -%}
    {{ return('%s rows are too few for hashes to pay (fewer than %s)' | format('{:,}'.format(last.rows_new), '{:,}'.format(limit))) }}
  {%- elif deltawave._comparisons_of_hashes(last) < settings.min_comparisons_before_error -%}
    {{ return('hashes of %s rows hide a change every %.1e comparisons, and min_comparisons_before_error is %.1e' | format(
      '{:,}'.format(last.rows_new), deltawave._comparisons_of_hashes(last), settings.min_comparisons_before_error
    )) }}
  {%- elif last.inserts + last.updates + last.deletes > last.rows_new // 5 and last.batch_id != last.first_batch -%}
    {{ return('the last batch changed more than a fifth of the rows, which are hashed anew in each run') }}
  {%- endif -%}
{%- endmacro -%}

{# With what LG96 Figure 6 says for hashes that fit in memory: |f1| + |F2| + |f2| beside |F1| + 4 |F2|. #}
{%- macro _reason_for_hashes(job, last) -%}
  {{ return(
    'of %s rows, the last batch changed %s. Hashes that fit in memory and one reading of the dump cost at most 3/5 of the blocks of a join (LG96 '
    'Figure 6), and hide a change every %.1e comparisons' | format(
      '{:,}'.format(last.rows_new), '{:,}'.format(last.inserts + last.updates + last.deletes), deltawave._comparisons_of_hashes(last)
    )
  ) }}
{%- endmacro -%}

{# Expected comparisons of a dump like the last one before 64 bits hide a change, if every row counts (LG96 3.2; see _comparisons_before_error). #}
{%- macro _comparisons_of_hashes(last) -%}{{ return(2 ** 64 / [last.rows_new, 1] | max) }}{%- endmacro -%}

{# A rule of thumb: for fewer rows, starting Python costs more than the join. #}
{%- macro default___few_rows() -%}{{ return(1000000) }}{%- endmacro -%}

{# Whether the dump has other columns, or columns of other types, than the kept side. #}
{%- macro _columns_differ(job, last) -%}
  {%- set dump = {} -%}
  {%- for column in job.columns -%}{%- do dump.update({column.name | lower: column.data_type}) -%}{%- endfor -%}
  {%- set kept = {} -%}
  {%- for column in last.columns -%}{%- do kept.update({column.name | lower: column.data_type if column.in_copy else none}) -%}{%- endfor -%}
  {{ return(dump != kept) }}
{%- endmacro -%}
