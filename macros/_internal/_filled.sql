{#
  A text with values in the places of {name}, or of {name!r} as Python writes them; what has another form in braces
  stays. dbt 2's str.format knows neither !r nor escaped braces.
#}
{%- macro _filled(text, values) -%}
  {%- set written = [] -%}
  {%- for part in modules.re.split('\\{([a-z_]+(?:!r)?)\\}', text) -%}
    {%- set name = part.split('!')[0] -%}
    {%- if loop.index is odd -%}
      {%- do written.append(part) -%}
    {%- elif name not in values -%}
      {%- do exceptions.raise_compiler_error('the message has no value for {' ~ part ~ '}: ' ~ text) -%}
    {%- elif name == part -%}
      {%- do written.append(values[name] | string) -%}
    {%- else -%}
      {%- do written.append(([values[name]] | string)[1:-1]) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(written | join) }}
{%- endmacro -%}

{# A number, or its digits, with commas between thousands. #}
{%- macro _with_commas(number) -%}
  {{ return(modules.re.sub('(?<=\\d)(?=(?:\\d{3})+(?!\\d))', ',', number | string)) }}
{%- endmacro -%}

{# A number from 0, as '%.1e' writes it, which dbt 2 does not have. #}
{%- macro _scientific(number) -%}
  {%- set scaled = namespace(value=number * 1.0, exponent=0) -%}
  {%- for _ in range(400) -%}
    {%- if scaled.value >= 9.95 -%}
      {%- set scaled.value = scaled.value / 10 -%}
      {%- set scaled.exponent = scaled.exponent + 1 -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return('%.1f' | format(scaled.value) ~ 'e+' ~ '%02d' | format(scaled.exponent)) }}
{%- endmacro -%}

{# A share for readers: 200%, 23%, 4.1%, <0.1%. #}
{%- macro _percent(share) -%}
  {%- if 0 < share and share < 0.001 -%}{{ return('<0.1%') }}{%- endif -%}
  {%- set percent = share * 100.0 -%}
  {{ return(('%.0f' if share >= 0.0995 or percent == percent | round else '%.1f') | format(percent) ~ '%') }}
{%- endmacro -%}
