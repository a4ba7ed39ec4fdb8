{#
  Each strategy that has advice, with the reason for or against it: [{strategy, covering_copy, usable, reason, pages,
  rows_sent}], plainest first. If the model is no join, a strategy that reads change logs has no price. table: see
  _usual_table.
#}
{%- macro _weighed_strategies(table) -%}
  {%- set pages = deltawave._predicted_pages(table) -%}
  {%- set advice = deltawave._advice(table, pages.changed_ranges) -%}
  {%- set weighed = [] -%}
  {%- for name, strategy in deltawave._strategies().items() if not table.only or name in table.only -%}
    {#- ATDI is the same strategy over a covering copy. -#}
    {%- for way in [name, 'covering_copy'] if way in advice and (way == name or name == 'timestamp_delete_flag') -%}
      {%- set is_priced = strategy.reads != 'logs' or table.is_join -%}
      {%- set against = deltawave._reason_against(strategy, advice[way], table) -%}
      {#- A tenth of the ranges of a source that must not be locked: computing their checksums is a read, too. -#}
      {%- set is_cut = strategy.ranges == 'compared' and not table.can_be_locked -%}
      {%- do weighed.append({
        'strategy': name, 'covering_copy': way != name, 'usable': not against, 'reason': against or advice[way].reason,
        'ranges_per_run': -(-deltawave._default_ranges(strategy, table.rows) // 10) if is_cut else none,
        'pages': pages[way] / pages.table if is_priced else none,
        'rows_sent': (advice[way].get('sent', table.rows) | round(0, 'ceil') | int if table.is_remote else 0)
          if is_priced else none,
      }) -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(weighed) }}
{%- endmacro -%}

{#
  A table of which nothing is known but that it can be read whole. Besides what advise takes:

    quick_bytes         a smaller one is read whole
    only                the strategies that come into question; none: all
    settings            a model's options; none if they are not known
    is_reached          DuckDB reaches the rows
    has_fixed_costs     hashes take longer than a join of few rows
    lacks_rows          the log does not have the last row of each key, or must not be read for it
    has_other_columns   the dump has other columns than the log
#}
{%- macro _usual_table() -%}
  {{ return({
    'compared_fraction': 1, 'change_fraction': 0.01, 'schema_can_change': false, 'has_timestamps': false,
    'flags_deletes': false, 'has_deletes': true, 'is_remote': false, 'can_be_locked': true, 'is_clustered': false,
    'is_join': false, 'relations': 2, 'key_bytes': 8, 'snapshot_date': none,
    'quick_bytes': adapter.dispatch('_quick_bytes', 'deltawave')(), 'only': none, 'settings': none,
    'is_reached': true, 'has_fixed_costs': true, 'lacks_rows': false, 'has_other_columns': false,
  }) }}
{%- endmacro -%}

{#
  The advice for each strategy, and for a covering copy. reason: for it; locks: whether it reads the whole source at
  once; against: a reason of its own against it; sent: the rows that cross the network, by default all. Its price is in
  _predicted_pages.
#}
{%- macro _advice(table, changed_ranges) -%}
  {%- set changed_rows = table.change_fraction * table.rows -%}
  {%- set once_added = '' if table.has_timestamps else ', once the source has them' -%}
  {%- set once_flagged = once_added or ('' if table.flags_deletes else ', once the source has the flag') -%}
  {%- set in_rotation = '' if table.can_be_locked else '; sees a change when its turn comes' -%}
  {%- set share = deltawave._percent(changed_ranges) -%}
  {{ return({
    'outer_join': {'reason': 'always right, with before images, and asks nothing of the source', 'locks': true},
    'union': {'reason': 'as outer_join, where full outer joins are slow or missing', 'locks': true},
    'sort_merge': {'reason': 'as outer_join, in an order that takes no hash table in memory, whatever the session prefers', 'locks': true},
    'timestamp': {'reason': 'takes rows with newer timestamps' ~ once_added, 'locks': true, 'sent': changed_rows},
    'timestamp_delete_flag': {'reason': 'finds timestamps and delete flags by an index' ~ once_flagged, 'sent': changed_rows},
    'covering_copy': {
      'reason': 'finds them in a narrow copy, which the select reads' ~ once_flagged,
      'sent': changed_rows,
      'against': 'compares more than half of a row: the copy would not be narrow' if table.compared_fraction > 0.5,
    },
    'row_checksum': {
      'reason': 'keeps one checksum per row, no copy, and reads the source twice; before images come from the log',
      'locks': true,
      'sent': 2 * table.rows,
    },
    'hash_compressed': {
      'reason': 'keeps key and hash of each row, and reads the source once where the hashes fit in memory; before images come from the log',
      'locks': true,
    },
    'ranges': {'reason': 'reads a few key ranges per run; sees a change when its turn comes'},
    'range_checksum': {
      'reason': 'reads by range, fetches the ' ~ share ~ ' of the ranges that changed' ~ in_rotation,
      'sent': changed_ranges * table.rows,
      'against': 'changes fall into ' ~ share ~ ' of the key ranges: few can be left out' if changed_ranges > 0.5,
    },
    'view': {'reason': 'takes the change logs of the joined relations, and reads no source', 'sent': 0},
  }) }}
{%- endmacro -%}

{# The reason for which a strategy cannot be used; none where it can. #}
{%- macro _reason_against(strategy, advice, table) -%}
  {%- set against_hashes = deltawave._reason_against_hashes(strategy, table)
      if strategy.checksums == 'rows' else none -%}
  {%- if table.snapshot_date and 'snapshot_date' in strategy.allows and (strategy.reads != 'logs' or table.is_join) -%}
    {{ return('compares no dumps of several dates: it takes no snapshot_date') }}
  {%- elif against_hashes -%}
    {{ return(against_hashes) }}
  {%- elif (strategy.library or strategy.compares == 'python') and not deltawave._runs_python() -%}
    {{ return('compares in Python, which takes a profile of type: deltawave') }}
  {%- elif strategy.elsewhere and not table.is_reached -%}
    {{ return('DuckDB does not reach the rows') }}
  {%- elif advice.locks and not table.can_be_locked -%}
    {{ return('reads the source whole, which may not be locked') }}
  {%- elif 'updated_at' in strategy.requires and not (table.has_timestamps or table.schema_can_change) -%}
    {{ return("the source has no timestamps, and can't get them") }}
  {%- elif strategy.sees_deletes == 'none' and table.has_deletes -%}
    {{ return('does not see deletes') }}
  {%- elif strategy.sees_deletes == 'flagged' and not (table.flags_deletes or table.schema_can_change) -%}
    {{ return("the source does not flag deletes, and can't be made to") }}
  {%- elif strategy.reads == 'logs' and not table.is_join -%}
    {{ return('the model is no join of relations with change logs') }}
  {%- endif -%}
  {{ return(advice.against or none) }}
{%- endmacro -%}

{# Why rows cannot, or should not, be compared by hashes, which the state keeps instead of them; none if they can. #}
{%- macro _reason_against_hashes(strategy, table) -%}
  {%- for option, allowed in strategy.allows.items() if table.settings and table.settings[option] not in allowed -%}
    {{ return("'" ~ option ~ "' can't be " ~ table.settings[option] ~ ' with hashes') }}
  {%- endfor -%}
  {%- if table.settings and table.settings.tolerance -%}
    {{ return('rows that differ within a tolerance would be read again in each run') }}
  {%- elif table.lacks_rows -%}
    {{ return('hashes hold no rows, and the log lacks rows of the first dump, or is not read (before_image: none)') }}
  {%- elif table.has_other_columns -%}
    {{ return('the dump has other columns than the log') }}
  {%- elif table.change_fraction > 0.2
      and table.rows * table.row_bytes >= adapter.dispatch('_quick_bytes', 'deltawave')() -%}
    {{ return('more than a fifth of the rows change, whose hashes are written again in each run') }}
  {%- endif -%}
{%- endmacro -%}
