{# Partitions of few batches are merged, and dropped by the next merge: kills come between. #}
{%- macro default___merging() -%}{{ return({'partitions': 2, 'days': 0}) }}{%- endmacro -%}
