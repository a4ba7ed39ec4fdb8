{#
  The incremental models that read the log, directly or through views and tables, and have rows of undone batches:
  their names, sorted. A model whose table has the log's _batch_id has only rows of the batches that it shows; any
  other may have rows of all batches.
#}
{%- macro _readers_of_undone(log_id, until) -%}
  {%- set readers = [] -%}
  {#-
    Another change log, or a wave index, does not follow a rewind: it reports that when it runs. Models of
    current_state and scd2 rebuild their tables.
  -#}
  {%- for node in deltawave._nodes_after(log_id, ends=['differential', 'wave_index']) -%}
    {%- if node.config.materialized == 'incremental' and deltawave._has_batches_after(node, until) -%}
      {%- do readers.append(node.name) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(readers | sort) }}
{%- endmacro -%}

{%- macro _has_batches_after(node, until) -%}
  {%- set relation = deltawave._relation(node.schema, node.alias) -%}
  {%- if not deltawave._in_catalog(relation) -%}{{ return(false) }}{%- endif -%}
  {%- if '_batch_id' not in deltawave._columns_of(relation) | map(attribute='name') | map('lower') -%}
    {{ return(true) }}
  {%- endif -%}
  {{ return(
    run_query('select 1 as is_there from ' ~ relation ~ ' where _batch_id > ' ~ until ~ ' limit 1').rows | length > 0
  ) }}
{%- endmacro -%}

{# Warns of these models, and gives the command that rebuilds them. #}
{%- macro _warn_of_readers(name, log_id, until) -%}
  {%- set readers = deltawave._readers_of_undone(log_id, until) -%}
  {%- if readers -%}
    {%- do exceptions.warn(deltawave._message('readers_of_undone', {'model': name, 'readers': readers | join(' ')})) -%}
  {%- endif -%}
{%- endmacro -%}
