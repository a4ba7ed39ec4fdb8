{# The sums of the rows' checksums, as text. #}
{%- macro _sum_of_checksums(column, bits) -%}
  {%- set hashes = [] -%}
  {%- for part in range(1 if bits == 64 else 2) -%}{%- do hashes.append('cast(get(split(' ~ column ~ ", ':'), " ~ part ~ ') as bigint)') -%}{%- endfor -%}
  {{ return(deltawave._exact_sums(hashes)) }}
{%- endmacro -%}

{# Sums that do not overflow, as text. Summed in halves, since Spark adds bigints far faster than decimals; correct up to 2^31 rows. #}
{%- macro _exact_sums(hashes) -%}
  {%- set sums = [] -%}
  {%- for hash in hashes -%}
    {%- set high = 'cast(sum(shiftright(' ~ hash ~ ', 32)) as decimal(38, 0))' -%}
    {%- do sums.append('cast(' ~ high ~ ' * 4294967296 + sum(' ~ hash ~ ' & 4294967295) as string)') -%}
  {%- endfor -%}
  {{ return("concat_ws(':', " ~ sums | join(', ') ~ ')') }}
{%- endmacro -%}

{%- macro _empty_sum(bits) -%}{{ return('0' if bits == 64 else '0:0') }}{%- endmacro -%}
