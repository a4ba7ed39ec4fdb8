{# Refuses a key, an argument of that macro, that lacks a column of the model's key, or has another one. #}
{%- macro _check_key(macro_name, model, key, unique_key) -%}
  {%- if key is not mapping or not key -%}
    {%- do deltawave._fail('history_key', {'macro': macro_name, 'value': deltawave._key_in_message(macro_name, key)}) -%}
  {%- endif -%}
  {%- set given = key.keys() | map('string') | map('lower') | list -%}
  {%- set known = unique_key | map('lower') | list -%}
  {%- set wrong = [] -%}
  {%- for name in unique_key if name | lower not in given -%}
    {%- do wrong.append('no value is given for ' ~ name) -%}
  {%- endfor -%}
  {%- for name in key.keys() if name | lower not in known -%}
    {%- do wrong.append(name ~ ' is not part of it') -%}
  {%- endfor -%}
  {%- if wrong -%}
    {%- do deltawave._fail('key_parts', {
      'macro': macro_name, 'model': model, 'keys': unique_key | join(', '), 'wrong': wrong | join(', '),
    }) -%}
  {%- endif -%}
{%- endmacro -%}

{# A value in a message. What is erased is not shown. #}
{%- macro _key_in_message(macro_name, value) -%}{{ return('***' if macro_name == 'erase' else value) }}{%- endmacro -%}

{# Refuses values that are none of their columns' types: Spark's own message would not name the column. #}
{%- macro _check_values(macro_name, keys, types) -%}
  {%- for name in keys[0].keys() -%}
    {%- set type = types[name | lower] -%}
    {%- set values, rows = [], [] -%}
    {%- for key in keys if key[name] is not none -%}
      {%- do rows.append('(' ~ values | length ~ ', ' ~ deltawave._literal(key[name]) ~ ')') -%}
      {%- do values.append(key[name]) -%}
    {%- endfor -%}
    {%- set typed = deltawave._text_of_type(type, 'value', 'try_cast') -%}
    {%- if rows and typed != 'value' -%}
      {%- set found = run_query(
        'select min(place) from values ' ~ rows | join(', ') ~ ' as given(place, value) where ' ~ typed ~ ' is null'
      ).rows[0][0] -%}
      {%- if found is not none -%}
        {%- do deltawave._fail('key_value', {
          'macro': macro_name, 'column': name, 'type': type,
          'value': deltawave._key_in_message(macro_name, values[found | int]),
        }) -%}
      {%- endif -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}
