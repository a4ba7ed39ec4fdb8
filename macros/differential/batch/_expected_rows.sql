{#
  The number of rows that the dump must have, by the option expected_rows: a number, or a select of one, in which
  {snapshot_date} stands for the dump's date. Read before the dump. A select without a whole number is refused, unless
  the run is accepted: then no number is checked, and the select runs only without dates, to show whether the source
  has changed.
#}
{%- macro _expected_rows(job, state, dump) -%}
  {%- set given = job.settings.expected_rows -%}
  {%- if given is not string -%}
    {{ return(given) }}
  {%- elif job.settings.snapshot_date and deltawave._is_accepted(job) -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set date = 'cast(' ~ deltawave._literal(dump.snapshot_date) ~ ' as ' ~ job.snapshot_type ~ ')' -%}
  {#- dbt renders hooks likewise: source() and ref() within the text are resolved now. -#}
  {%- set select = render(given).replace('{snapshot_date}', date).strip().rstrip(';') -%}
  {%- set rows = deltawave._run(
    job, 'select *\nfrom (\n' ~ deltawave._indented('    ' ~ select) ~ '\n)\nlimit 2'
  ).rows -%}
  {%- set expected = deltawave._whole_number(rows[0][0]) if rows | length == 1 and rows[0] | length == 1 else none -%}
  {%- if expected is none and not deltawave._is_accepted(job) -%}
    {%- do deltawave._refuse(job, deltawave._attempt(job, state.record, dump.snapshot_date), 'no_expected_rows', {
      'found': deltawave._described_rows(rows), 'select': select,
    }) -%}
  {%- endif -%}
  {{ return(expected) }}
{%- endmacro -%}

{#
  A number from a table, also from a file of text; none for anything else. NaN, which is not equal to itself, and
  infinity can't be made whole.
#}
{%- macro _whole_number(value) -%}
  {%- set is_finite = value is number and value is not boolean and value == value and 0 <= value and value < 2 ** 63 -%}
  {%- set is_number = is_finite and value == value | int -%}
  {%- set is_text = value is string and deltawave._whole_match('\\s*\\d+\\s*', value) -%}
  {{ return(value | int if is_number or is_text else none) }}
{%- endmacro -%}

{%- macro _described_rows(rows) -%}
  {%- if rows | length != 1 -%}
    {{ return('more than one row' if rows | length else 'no row') }}
  {%- elif rows[0] | length != 1 -%}
    {{ return(rows[0] | length ~ ' columns') }}
  {%- endif -%}
  {{ return('null' if rows[0][0] is none else rows[0][0] | string) }}
{%- endmacro -%}
