{# If all rows were read, missing ones are known. A strategy by timestamps must not delete them: it would not see them missing in other runs. #}
{%- macro _warn_of_unselected(job, batch, last, old) -%}
  {%- set unselected -%}
(
    select kept.*
    from {{ deltawave._indented(deltawave._previous_slice(job, batch, last)) }} as kept
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
