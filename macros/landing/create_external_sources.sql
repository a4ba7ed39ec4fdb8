{#
  Tables over files in place: one for each source table whose yml has an external block. Run it before the models that
  read those
  sources: `dbt run-operation create_external_sources`. A differential model finds newer files by itself.

    tables:
      - name: accounts
        external:
          location: dumps/accounts            # from the project's folder, or /absolute, or s3a://...
          file_format: csv                    # or using: csv
          options: {sep: ';'}                 # Spark's options of that format, in addition to those of _safe_options
          partitions:
            - {name: dump_date, data_type: date}   # folders dump_date=2026-01-31/
          checksums: '*.sha256'               # checksum files next to the data
        columns:
          - {name: account_id, data_type: string}

  A table whose definition has changed is recreated, which leaves the files alone. A relation of that name that this
  macro did not make is never dropped.

  select: `source`, `source.table`, or a list of them; by default all external sources of the project and its packages.
#}
{%- macro create_external_sources(select=none) -%}
  {%- if not execute -%}{{ return(none) }}{%- endif -%}
  {%- set definitions = [] -%}
  {%- for node in deltawave._external_sources(select) -%}
    {%- do definitions.append(deltawave._external_definition(node)) -%}
  {%- endfor -%}
  {%- set version = run_query('select version()').rows[0][0] if definitions else '' -%}
  {%- if version.startswith('3.') -%}
    {#- It lacks statements and functions. -#}
    {%- do deltawave._fail('needs_spark_4', {'what': 'external sources', 'version': version.split(' ')[0]}) -%}
  {%- endif -%}
  {%- for definition in definitions -%}{%- do deltawave._create_external_table(definition) -%}{%- endfor -%}
{%- endmacro -%}
