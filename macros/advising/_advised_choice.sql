{#
  The recommended strategy: {strategy, named, covering_copy, reason}; named: what a model names. Fewest rows over the
  network come first; then a table small enough is read whole, otherwise that is taken which reads and writes least.
  How whole tables are compared is auto's to choose, which knows the sizes of each run.
#}
{%- macro _advised_choice(table, weighed) -%}
  {%- set strategies = deltawave._strategies() -%}
  {%- set usable = weighed | selectattr('usable') | list -%}
  {%- if table.is_join -%}
    {%- set best = usable | last -%}
    {{ return(dict(best, named=best.strategy, reason='the logs of the joined relations show which rows to compare.')) }}
  {%- endif -%}
  {%- set fewest = usable | map(attribute='rows_sent') | min -%}
  {%- set finalists = usable | selectattr('rows_sent', 'equalto', fewest) | list -%}
  {%- set bytes = table.rows * table.row_bytes -%}
  {%- set is_small = bytes <= 2e8 and deltawave._reads_whole(strategies[finalists[0].strategy]) -%}
  {%- set best = finalists[0] if is_small else finalists | sort(attribute='pages') | first -%}
  {%- set named = 'auto' if deltawave._reads_whole(strategies[best.strategy]) else best.strategy -%}
  {%- set reasons = [] -%}
  {%- if table.is_remote -%}
    {%- do reasons.append(
      'no other sends fewer rows (' ~ deltawave._with_commas(fewest) ~ ' of ' ~ deltawave._with_commas(table.rows) ~ ')'
    ) -%}
  {%- endif -%}
  {%- if is_small -%}
    {%- do reasons.append(
      'a table of ' ~ deltawave._with_commas('%.1f' | format(bytes / 1e6))
      ~ ' MB is read quickly, and nothing can be missed'
    ) -%}
  {%- elif usable | length == 1 -%}
    {%- set reasons = ['it is the only one that can be used'] -%}
  {%- elif finalists | length > 1 -%}
    {%- do reasons.append(
      'of ' ~ ('those' if table.is_remote else 'those that can be used') ~ ' it reads and writes least, '
        ~ deltawave._percent(best.pages) ~ ' of the table'
    ) -%}
  {%- endif -%}
  {%- set missing = [] -%}
  {%- set requires = strategies[best.strategy].requires -%}
  {%- if 'updated_at' in requires and not table.has_timestamps -%}{%- do missing.append('a timestamp') -%}{%- endif -%}
  {%- if 'delete_flag' in requires and not table.flags_deletes -%}
    {%- do missing.append('a delete flag') -%}
  {%- endif -%}
  {%- set before = ' Before that, add ' ~ missing | join(' and ')
      ~ ' to the source, and have every change set what it adds.' if missing else '' -%}
  {{ return(dict(best, named=named, reason=reasons | join('; ') ~ '.' ~ before)) }}
{%- endmacro -%}
