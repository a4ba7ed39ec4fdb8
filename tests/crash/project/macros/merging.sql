{# Each batch merges the partitions of those before it, so that kills meet merges; readers need what was merged. #}
{%- macro default___merging() -%}{{ return({'partitions': 0, 'days': 1}) }}{%- endmacro -%}
