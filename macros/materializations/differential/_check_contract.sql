{# An enforced contract speaks of the columns that readers see: the view's, before anything is written for it. #}
{%- macro _check_contract(job, batch) -%}
  {%- if config.get('contract').enforced -%}
    {%- do get_assert_columns_equivalent(deltawave._log_view(job, {
      'batch_id': batch.batch_id,
      'attempt': batch.attempt,
      'generation': batch.generation,
      'columns': batch.columns,
      'has_before': job.settings.before_image != 'none',
    })) -%}
  {%- endif -%}
{%- endmacro -%}
