{#
  The one decision about a table, for auto, advise and the chart in docs/strategies/choosing.md: {strategy, named,
  covering_copy, reason}; named: what a model names. Fewest rows over the network come first; then a table small enough
  is read whole, otherwise that is taken which reads and writes least. How whole tables are compared is auto's to
  choose, which knows the sizes of each run.
#}
{%- macro _best_strategy(table, weighed) -%}
  {%- set strategies = deltawave._strategies() -%}
  {%- set usable = weighed | selectattr('usable') | list -%}
  {%- if table.is_join -%}
    {%- set best = usable | last -%}
    {{ return(dict(best, named=best.strategy, reason='the logs of the joined relations show which rows to compare')) }}
  {%- endif -%}
  {%- set fewest = usable | map(attribute='rows_sent') | min -%}
  {%- set finalists = usable | selectattr('rows_sent', 'equalto', fewest) | list -%}
  {%- set is_small = table.has_fixed_costs and table.rows * table.row_bytes < table.quick_bytes
      and deltawave._reads_whole(strategies[finalists[0].strategy]) -%}
  {%- set best = finalists[0] if is_small else finalists | sort(attribute='pages') | first -%}
  {%- set reasons = [] -%}
  {%- if table.is_remote -%}
    {%- do reasons.append('no other sends fewer rows' ~ ('' if table.only else deltawave._with_commas(
      ' (' ~ fewest ~ ' of ' ~ table.rows ~ ')'
    ))) -%}
  {%- endif -%}
  {%- if is_small -%}
    {%- do reasons.append('a table of less than ' ~ deltawave._bytes_text(table.quick_bytes)
      ~ ' is read quickly, and nothing can be missed') -%}
  {%- elif usable | length == 1 -%}
    {%- set reasons = ['it is the only one that can be used'] -%}
  {%- elif finalists | length > 1 -%}
    {%- do reasons.append(
      'of ' ~ ('those' if table.is_remote else 'those that can be used') ~ ' it reads and writes least, '
        ~ deltawave._percent(best.pages) ~ ' of the table'
    ) -%}
  {%- endif -%}
  {#- The cheapest that cannot be used: advise lists them all. -#}
  {%- set cheaper = weighed | rejectattr('usable') | selectattr('pages', 'lt', best.pages) | sort(attribute='pages')
      if table.only and not is_small else [] -%}
  {%- for one in (cheaper | list)[:1] -%}
    {%- do reasons.append('not ' ~ one.strategy ~ ', since ' ~ one.reason) -%}
  {%- endfor -%}
  {{ return(dict(
    best,
    named='auto' if deltawave._reads_whole(strategies[best.strategy]) else best.strategy,
    reason=reasons | join('; '),
  )) }}
{%- endmacro -%}

{#
  A smaller table takes less time with a join, unless hashes have no fixed costs: landing what they have found has, and
  reading a dump once more.
#}
{%- macro default___quick_bytes() -%}{{ return(100000000) }}{%- endmacro -%}

{%- macro _bytes_text(size) -%}
  {{ return('%.1f GB' | format(size / 1e9) if size >= 1e9 else '%.0f MB' | format(size / 1e6)) }}
{%- endmacro -%}
