{#
  The match of a whole text, or none: dbt 2's re.fullmatch finds the first alternative alone, and returns no groups. A
  flag in the pattern has to be in a group, (?i:...).
#}
{%- macro _whole_match(pattern, text) -%}
  {{ return(modules.re.match('(?:' ~ pattern ~ ')(?![\\s\\S])', text)) }}
{%- endmacro -%}
