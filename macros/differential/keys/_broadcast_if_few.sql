{#
  A hint by which each task gets all of these keys, so that the rows which they are joined with are not exchanged; none
  if they may not fit in its memory: more than a million, or a hundred thousand that may be wide texts.
#}
{%- macro _broadcast_if_few(job, count, alias) -%}
  {%- set types = deltawave._key_columns(job) | map(attribute='data_type') | join(' ') | lower -%}
  {%- set few = adapter.dispatch('_few_keys', 'deltawave')() -%}
  {%- set limit = few // 10 if modules.re.search('string|char|binary|<', types) else few -%}
  {{ return(' /*+ broadcast(' ~ alias ~ ') */' if count is not none and count <= limit else '') }}
{%- endmacro -%}

{%- macro default___few_keys() -%}{{ return(1000000) }}{%- endmacro -%}
