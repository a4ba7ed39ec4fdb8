{# Where all rows were read, those that are gone show. A strategy by timestamps can't take them for deleted at one run and not at others. #}
{%- macro _warn_of_unselected(job, batch, last, old) -%}
  {%- set unselected -%}
(
    select kept.*
    from {{ deltawave._indented(deltawave._kept_slice(job, batch, last)) }} as kept
    left anti join {{ deltawave._indented(old) }} as old
        on {{ deltawave._same_key(job.settings.unique_key, 'kept', 'old') }}
)
  {%- endset -%}
  {%- set count = deltawave._row_count(job, unselected) -%}
  {%- if count -%}
    {%- do exceptions.warn(deltawave._message('unselected', {
      'model': job.name, 'batch': batch.label, 'count': count, 'strategy': job.strategy.name,
    })) -%}
  {%- endif -%}
{%- endmacro -%}
