{#
  Refuses configuration keys that look meant for us but that nobody reads: a block with our name under meta, and what is
  nearly an option (_refuse_misspelt). Other keys are the user's own.
#}
{%- macro _refuse_unknown(name, config, options) -%}
  {%- set meta = config.get('meta') or {} -%}
  {%- for given in meta if meta[given] is iterable and meta[given] is not string
      and ('deltawave' in given | lower or deltawave._is_near(given, 'deltawave')) -%}
    {%- do deltawave._fail('option_block', {'model': name, 'given': given}) -%}
  {%- endfor -%}
  {%- do deltawave._refuse_misspelt(name, config, options) -%}
{%- endmacro -%}
