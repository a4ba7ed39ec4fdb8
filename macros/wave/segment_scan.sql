{# A select of all rows of a wave index (SegmentScan, WI 2.2). #}
{%- macro segment_scan(relation) -%}{{ return(deltawave.timed_segment_scan(relation)) }}{%- endmacro -%}
