{# The output of advise: its input, every strategy, and the choice with its configuration. #}
{%- macro _advice_lines(table, weighed, choice) -%}
  {%- set heads = ['strategy', 'usable', 'pages'] + (['rows sent'] if table.is_remote else []) + ['why'] -%}
  {%- set rows = [heads] -%}
  {%- for one in weighed -%}
    {%- set name = one.strategy ~ (' (covering)' if one.covering_copy else '') -%}
    {%- set pages = '-' if one.pages is none else deltawave._percent(one.pages) -%}
    {%- set sent = ['-' if one.rows_sent is none else deltawave._with_commas(one.rows_sent)] if table.is_remote
        else [] -%}
    {%- do rows.append([name, 'yes' if one.usable else 'no', pages] + sent + [one.reason]) -%}
  {%- endfor -%}

  {%- set lines = [
    '',
    'Strategies for ' ~ deltawave._with_commas(table.rows) ~ ' rows of ' ~ deltawave._with_commas(table.row_bytes)
      ~ ' bytes, '
    ~ deltawave._with_commas(table.key_bytes) ~ ' of them key' ~ (' (' ~ table.note ~ ')' if table.note else ''),
    deltawave._percent(table.compared_fraction) ~ ' of a row is compared, ' ~ deltawave._percent(table.change_fraction)
    ~ ' of the rows change from run to run',
  ] -%}
  {%- if table.snapshot_date -%}
    {%- do lines.append(
      'The source keeps a dump for each ' ~ table.snapshot_date ~ '; each is compared with the one before'
    ) -%}
  {%- endif -%}
  {%- if table.timestamps and not table.has_timestamps -%}
    {%- set use = 'strategies by timestamp take no snapshot_date' if table.snapshot_date
        else 'add has_timestamps: true if every change of a row sets it' -%}
    {%- do lines.append('Timestamps: ' ~ table.timestamps | join(', ') ~ '; ' ~ use) -%}
  {%- endif -%}
  {%- do lines.append('') -%}
  {%- do lines.extend(deltawave._aligned(rows, 'llrrl' if table.is_remote else 'llrl')) -%}
  {%- do lines.extend(['', "  pages: those that a run reads and writes, its previous state and the log included, in per cent of the table's pages"]) -%}
  {%- do lines.extend(['', 'Take ' ~ choice.named ~ (
    ' with a covering copy' if choice.covering_copy else ''
  ) ~ ': ' ~ choice.reason ~ '.' ~ deltawave._first_needed(table, choice), '']) -%}
  {{ return(lines + deltawave._advised_config(table, choice)) }}
{%- endmacro -%}

{# The choice as a config block for the head of a model. #}
{%- macro _advised_config(table, choice) -%}
  {%- set keys = [] -%}
  {%- for key in table.unique_key -%}
    {%- do keys.append("'" ~ key | replace('\\', '\\\\') | replace("'", "\\'") ~ "'") -%}
  {%- endfor -%}
  {%- set options = ["'strategy': '" ~ choice.named ~ "'"] -%}
  {%- set strategy = deltawave._strategy_named('advise', choice.strategy) -%}
  {#- Change logs are local, wherever their sources are. -#}
  {%- if table.is_remote and strategy.reads != 'logs' -%}
    {%- do options.append("'remote': '" ~ table.remote ~ "'") -%}
  {%- endif -%}
  {%- if table.snapshot_date and 'snapshot_date' not in strategy.allows -%}
    {%- do options.append("'snapshot_date': '" ~ table.snapshot_date ~ "'") -%}
  {%- endif -%}
  {%- if choice.ranges_per_run -%}{%- do options.append("'ranges_per_run': " ~ choice.ranges_per_run) -%}{%- endif -%}
  {%- set values = {
    'updated_at': "'<timestamp>'",
    'delete_flag': "'<flag>'",
    'root': "'<change log>'",
    'relations': "{'<change log>': {'<its key>': " ~ keys[0] ~ '}}',
  } -%}
  {%- for option, example in strategy.requires.items() -%}
    {%- do options.append("'" ~ option ~ "': " ~ values.get(option, example)) -%}
  {%- endfor -%}
  {%- set lines = [
    '  {' ~ '{ config(', "      materialized='differential',", '      unique_key=[' ~ keys | join(', ') ~ '],',
    '      meta={',
  ] -%}
  {%- for option in options -%}{%- do lines.append('          ' ~ option ~ ',') -%}{%- endfor -%}
  {{ return(lines + ['      },', '  ) }' ~ '}'] + (['  select ... from <covering copy>'] if choice.covering_copy else [])) }}
{%- endmacro -%}

{# What the source lacks for the choice, as a sentence. #}
{%- macro _first_needed(table, choice) -%}
  {%- set missing = [] -%}
  {%- set requires = deltawave._strategy_named('advise', choice.strategy).requires -%}
  {%- if 'updated_at' in requires and not table.has_timestamps -%}{%- do missing.append('a timestamp') -%}{%- endif -%}
  {%- if 'delete_flag' in requires and not table.flags_deletes -%}
    {%- do missing.append('a delete flag') -%}
  {%- endif -%}
  {{ return(' Before that, add ' ~ missing | join(' and ')
    ~ ' to the source, and have every change set what it adds.' if missing else '') }}
{%- endmacro -%}
