{# What auto chooses from; the first one has no assumptions. #}
{%- macro _auto_strategies() -%}{{ return(['outer_join', 'hash_compressed', 'window']) }}{%- endmacro -%}
