{#
  Each strategy with its reason for or against: [{strategy, covering_copy, usable, why, reads, rows_sent}], plainest first. A join
  has no price where there is none.
#}
{%- macro _weighed_strategies(table) -%}
  {%- set pages = deltawave._predicted_reads(table) -%}
  {%- set changed_rows = table.change_fraction * table.rows -%}
  {%- set fetched = pages.changed_ranges * table.rows -%}
  {%- set sent = {
    'timestamp': changed_rows, 'timestamp_delete_flag': changed_rows, 'covering_copy': changed_rows, 'range_checksum': fetched, 'view': 0,
  } -%}
  {%- set weighed = [] -%}
  {%- for name in [
    'outer_join', 'union', 'timestamp', 'timestamp_delete_flag', 'covering_copy', 'row_checksum', 'ranges', 'range_checksum', 'view',
  ] -%}
    {%- set is_priced = name != 'view' or table.is_join -%}
    {%- set against = deltawave._reason_against(name, table, pages.changed_ranges) -%}
    {%- do weighed.append({
      'strategy': 'timestamp_delete_flag' if name == 'covering_copy' else name,
      'covering_copy': name == 'covering_copy',
      'usable': not against,
      'why': against or deltawave._reason_for(name, table, pages.changed_ranges),
      'ranges_per_run': deltawave._advised_ranges(name, table),
      'reads': pages[name] / pages.table if is_priced else none,
      'rows_sent': (sent.get(name, table.rows) | round(0, 'ceil') | int if table.is_remote else 0) if is_priced else none,
    }) -%}
  {%- endfor -%}
  {{ return(weighed) }}
{%- endmacro -%}

{# Why a strategy can't be used, else none. #}
{%- macro _reason_against(name, table, changed_ranges) -%}
  {%- if name in ['outer_join', 'union', 'timestamp', 'row_checksum'] and not table.can_be_locked -%}
    {{ return('reads the source whole, which may not be locked') }}
  {%- elif name in ['timestamp', 'timestamp_delete_flag', 'covering_copy'] and not (table.has_timestamps or table.schema_can_change) -%}
    {{ return("the source has no time-stamps, and can't get them") }}
  {%- elif name == 'timestamp' and table.has_deletes -%}
    {{ return('does not see deletes') }}
  {%- elif name in ['timestamp_delete_flag', 'covering_copy'] and not (table.flags_deletes or table.schema_can_change) -%}
    {{ return("the source does not flag deletes, and can't be made to") }}
  {%- elif name == 'covering_copy' and table.compared_fraction > 0.5 -%}
    {{ return('compares more than half of a row: the copy would not be narrow') }}
  {%- elif name == 'range_checksum' and changed_ranges > 0.5 -%}
    {{ return('changes fall into ' ~ deltawave._percent(changed_ranges) ~ ' of the key ranges: few can be left out') }}
  {%- elif name == 'view' and not table.is_join -%}
    {{ return('the model is no join of relations with change logs') }}
  {%- endif -%}
  {{ return(none) }}
{%- endmacro -%}

{# How many key ranges a run reads of a source that may not be locked, whose sums alone are a reading too: a tenth; none where all of them. #}
{%- macro _advised_ranges(name, table) -%}
  {%- if table.can_be_locked or name not in ['ranges', 'range_checksum'] -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set ranges = table.rows / deltawave._range_rows({'settings': {'strategy': name}}, table.rows) -%}
  {{ return([(ranges / 10) | round(0, 'ceil') | int, 1] | max) }}
{%- endmacro -%}

{%- macro _reason_for(name, table, changed_ranges) -%}
  {%- set added = '' if table.has_timestamps else ', once the source has them' -%}
  {{ return({
    'outer_join': 'always right, with before images, and asks nothing of the source',
    'union': 'as outer_join, where full outer joins are slow or missing',
    'timestamp': 'takes rows with newer time-stamps' ~ added,
    'timestamp_delete_flag': 'finds time-stamps and delete flags by an index' ~ (added or (
      '' if table.flags_deletes else ', once the source has the flag')),
    'covering_copy': 'finds them in a narrow copy, which the select reads' ~ (added or (
      '' if table.flags_deletes else ', once the source has the flag')),
    'row_checksum': 'keeps a checksum a row, no copy; before images come from the log',
    'ranges': 'reads a few key ranges a run; sees a change when its turn comes',
    'range_checksum': (
      'reads by range, fetches the ' ~ deltawave._percent(changed_ranges) ~ ' of the ranges that changed'
      ~ ('' if table.can_be_locked else '; sees a change when its turn comes')
    ),
    'view': 'takes the change logs of the joined relations, and reads no source',
  }[name]) }}
{%- endmacro -%}
