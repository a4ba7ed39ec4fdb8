{#
  The rows of committed batches, as a relation: the log's columns, and the batch of each row as _batch_id. Readers see
  these alone: a row counts if its partition, (batch_id, attempt), is one of the last decision's. The select does not
  name the columns, since a metastore limits the length of a view's text.
#}
{%- macro _rows_of_partitions(table, partitions) -%}
  {%- set merged = partitions | selectattr('batch_id', 'lt', 0) | list -%}
(
    select
        *,
        batch_id as `_batch_id`
    from {{ table }}
    where {{ deltawave._are_partitions(partitions | selectattr('batch_id', 'gt', 0)) }}
    {%- if merged %}
    union all
    select
        *,
        of_batch as `_batch_id`
    from {{ table }}
    where {{ deltawave._are_partitions(merged) }}
    {%- endif %}
)
{%- endmacro -%}

{# Is a row in one of these partitions? #}
{%- macro _are_partitions(partitions) -%}
  {%- set each = [] -%}
  {%- for partition in partitions -%}
    {%- do each.append('(' ~ deltawave._partition_of(partition, ' and ') ~ ')') -%}
  {%- endfor -%}
  {{ return(each | join(' or ') or 'false') }}
{%- endmacro -%}

{# A partition, as a condition or in a list. #}
{%- macro _partition_of(partition, separator=', ') -%}
  {{ return('batch_id = ' ~ partition.batch_id ~ separator ~ 'attempt = ' ~ deltawave._literal(partition.attempt)) }}
{%- endmacro -%}
