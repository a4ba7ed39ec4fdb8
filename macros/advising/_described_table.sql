{# The input for weighing strategies: the arguments of advise, checked, with sizes given, measured or assumed. #}
{%- macro _described_table(model, arguments, snapshot_date) -%}
  {%- do deltawave._check_description(arguments) -%}
  {%- set table = dict(deltawave._usual_table(), **arguments) -%}
  {%- do table.update(
    note=none, unique_key=['<key>'], remote='<remote>', snapshot_date=snapshot_date, timestamps=[],
  ) -%}
  {%- if model is not none -%}
    {%- set wanted = [] -%}
    {%- for name, value in arguments.items() if value is none -%}{%- do wanted.append(name) -%}{%- endfor -%}
    {%- do table.update(deltawave._measured_table(model, wanted, snapshot_date)) -%}
  {%- endif -%}
  {#- Dumps are copies: no reader of them waits for the application. -#}
  {%- if table.snapshot_date -%}{%- do table.update(can_be_locked=true) -%}{%- endif -%}
  {%- for name, assumed in {'rows': 1000000, 'row_bytes': 200, 'key_bytes': 8}.items() -%}
    {%- if table[name] is none -%}{%- do table.update({name: assumed}) -%}{%- endif -%}
  {%- endfor -%}
  {#- A row of a few bytes is assumed to be all key, unless a longer key is given. -#}
  {%- if arguments.key_bytes is none -%}
    {%- do table.update(key_bytes=[table.key_bytes, table.row_bytes] | min) -%}
  {%- endif -%}
  {%- if table.key_bytes > table.row_bytes -%}
    {%- do deltawave._refuse_option(
      'advise', 'key_bytes', table.key_bytes, 'a number up to the row_bytes, ' ~ table.row_bytes
    ) -%}
  {%- endif -%}
  {{ return(table) }}
{%- endmacro -%}

{%- macro _check_description(arguments) -%}
  {%- for name, value in arguments.items() -%}
    {%- set is_number = value is number and value is not boolean -%}
    {%- if name in ['rows', 'relations'] -%}
      {%- set least = 1 if name == 'rows' else 2 -%}
      {%- set allowed = none if value is none and name == 'rows' or is_number and value is integer and value >= least
        else 'a whole number from ' ~ least -%}
    {%- elif name in ['row_bytes', 'key_bytes'] -%}
      {%- set allowed = none if value is none or is_number and 0 < value and value < 1e12 else 'a number above 0' -%}
    {%- elif name in ['compared_fraction', 'change_fraction'] -%}
      {%- set allowed = none if is_number and 0 <= value and value <= 1 else 'a number from 0 to 1' -%}
    {%- else -%}
      {%- set allowed = none if value is boolean else 'true, false' -%}
    {%- endif -%}
    {%- if allowed -%}
      {%- do deltawave._refuse_option('advise', name, value, allowed) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}
