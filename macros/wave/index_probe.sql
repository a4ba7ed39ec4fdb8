{# A select of all rows of a wave index with a search value (IndexProbe, WI 2.2). #}
{%- macro index_probe(relation, value) -%}{{ return(deltawave.timed_index_probe(relation, value)) }}{%- endmacro -%}
