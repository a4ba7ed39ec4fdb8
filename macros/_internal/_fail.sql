{#
  Stops with the message of that name. dbt itself would report a compilation error and all macros on the way there, so
  type: deltawave reports what has to be corrected instead.
#}
{%- macro _fail(code, values) -%}
  {%- do deltawave._stop(code, deltawave._message(code, values)) -%}
{%- endmacro -%}

{%- macro _stop(code, message) -%}
  {%- if adapter.fail is defined -%}{%- do adapter.fail(deltawave._declared_message(code)[0], message) -%}{%- endif -%}
  {%- do exceptions.raise_compiler_error(message) -%}
{%- endmacro -%}

{# Refuses the value of a model's option, or of a macro's argument. allowed: what it takes, as text. #}
{%- macro _refuse_option(name, option, value, allowed) -%}
  {%- do deltawave._fail('option_value', {'model': name, 'option': option, 'value': value, 'allowed': allowed}) -%}
{%- endmacro -%}

{%- macro _require_choice(name, option, value, allowed) -%}
  {%- if value not in allowed -%}
    {%- do deltawave._refuse_option(name, option, value, allowed | join(', ')) -%}
  {%- endif -%}
{%- endmacro -%}

{# A message of the folder messages/: what was wrong, where, and what to do. #}
{%- macro _message(code, values) -%}
  {{ return(deltawave._filled(deltawave._declared_message(code)[1], values)) }}
{%- endmacro -%}

{#
  A message's text and its kind, which is what has to be corrected: the configuration, the data, what a model keeps
  between runs, or the command or a macro's arguments.
#}
{%- macro _declared_message(code) -%}
  {%- for concern in deltawave._messages() -%}
    {%- for kind, texts in concern.items() if code in texts -%}{{ return([kind, texts[code]]) }}{%- endfor -%}
  {%- endfor -%}
{%- endmacro -%}

{# All messages, of each concern by their kind. #}
{%- macro _messages() -%}
  {{ return([
    deltawave._messages_about_options(), deltawave._messages_about_strategies(), deltawave._messages_about_views(),
    deltawave._messages_about_dumps(), deltawave._messages_about_sources(), deltawave._messages_about_formats(),
    deltawave._messages_about_state(), deltawave._messages_about_following(), deltawave._messages_about_waves(),
    deltawave._messages_about_macros(),
  ]) }}
{%- endmacro -%}

{%- macro _count(number, one, many) -%}
  {{ return(deltawave._with_commas(number) ~ ' ' ~ (one if number == 1 else many)) }}
{%- endmacro -%}
