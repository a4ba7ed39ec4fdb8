{%- macro _quoted(name) -%}{{ return('`' ~ name | replace('`', '``') ~ '`') }}{%- endmacro -%}
{%- macro _literal(value) -%}{{ return('null' if value is none else "'" ~ (value | string | replace('\\', '\\\\') | replace("'", "\\'") ) ~ "'") }}{%- endmacro -%}
{%- macro _comparable(e, t) -%}{{ return(e) }}{%- endmacro -%}
{%- macro _columns_of_query(sql) -%}
{%- set out = [] -%}
{%- for r in run_query('describe query ' ~ sql).rows -%}{%- do out.append({'name': r[0], 'data_type': r[1]}) -%}{%- endfor -%}
{{ return(out) }}
{%- endmacro -%}
