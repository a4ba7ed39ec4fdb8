{# What x__batches calls the strategy of a batch that an operation has made. #}
{%- macro _operations() -%}{{ return(['rewind', 'expire', 'compact', 'purge', 'erase']) }}{%- endmacro -%}
