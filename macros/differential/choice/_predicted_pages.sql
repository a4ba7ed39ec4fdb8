{#
  Pages that a run of each strategy reads and writes, and pages of the table itself, after CH98 and what was measured
  (docs/costs.md). benchmarks/laboratory/costs has the same formulas with their sources; a test compares the two.
#}
{%- macro _predicted_pages(table) -%}
  {%- set rows, change, flag, pointer, checksum, hashes = table.rows, table.change_fraction, 13, 4, 24, 28 -%}
  {%- set compared = table.compared_fraction * (table.row_bytes - table.key_bytes) -%}
  {%- set whole = deltawave._pages_of(rows, table.row_bytes) -%}
  {%- set flagged = deltawave._pages_of(rows, table.row_bytes + (0 if table.has_timestamps else flag)) -%}
  {%- set copy_pages = deltawave._pages_of(rows, table.key_bytes + compared) -%}
  {%- set index = deltawave._pages_of(rows, flag + pointer) -%}
  {%- set covering = 1 + deltawave._pages_of(rows, flag + pointer + table.key_bytes + compared) -%}
  {%- set strategies = deltawave.default___strategies() -%}
  {%- set ranges = deltawave._default_ranges(strategies.range_checksum, rows) -%}
  {%- set active = [0.2, change, 1 / ranges] | max if table.is_clustered else 1.0 -%}
  {%- set changed_ranges = active * (1 - (1 - change / active) ** (rows / ranges)) -%}
  {%- set landed = whole + 3 * copy_pages -%}
  {%- set kept_hashes = deltawave._pages_of(rows, table.key_bytes + hashes) -%}
  {%- set joined = table.relations -%}
  {{ return({
    'table': whole, 'changed_ranges': changed_ranges, 'outer_join': landed, 'union': 3 * whole + 4 * copy_pages,
    'sort_merge': landed, 'timestamp': flagged + change * whole,
    'timestamp_delete_flag': change * (flagged + whole + index) + 3,
    'covering_copy': change * (covering + copy_pages) + 3,
    'row_checksum': 2 * whole + copy_pages + deltawave._pages_of(rows, table.key_bytes + checksum),
    'hash_compressed': whole + copy_pages + kept_hashes,
    'ranges': landed + deltawave._bounds_pages(deltawave._default_ranges(strategies.ranges, rows), table.key_bytes),
    'range_checksum': whole + deltawave._bounds_pages(ranges, table.key_bytes) + changed_ranges * landed,
    'view': joined * (joined - 1) * change * flagged + change * table.compared_fraction * joined * whole,
  }) }}
{%- endmacro -%}

{# Pages of the auxiliary table: two keys and a counter of 4 bytes per range (CH98 3.5). #}
{%- macro _bounds_pages(ranges, key_bytes) -%}
  {{ return(deltawave._pages_of(ranges, 2 * key_bytes + 4)) }}
{%- endmacro -%}

{# Pages of 8 kB, as in PostgreSQL and SQL Server: whole rows on a page, or whole pages per row. #}
{%- macro _pages_of(rows, row_bytes) -%}
  {{ return((rows * -(-row_bytes // 8192) if row_bytes > 8192 else -(-rows // (8192 // row_bytes))) | int) }}
{%- endmacro -%}
