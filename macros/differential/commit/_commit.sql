{# From written to visible: decides the batch, then brings everything up to the decision. `last` is the decision before. #}
{%- macro _commit(job, batch, record, last) -%}
  {%- do deltawave._step(job, batch, 'decide') -%}
  {%- do deltawave._decide(job, batch, record) -%}
  {%- do deltawave._step(job, batch, 'place') -%}
  {%- do deltawave._place(job, record) -%}
  {%- do deltawave._step(job, batch, 'record') -%}
  {#- Another run may have finished this batch meanwhile, and recorded it. -#}
  {%- if not deltawave._is_decided(job, record.batch_id, record.attempt) -%}
    {%- do deltawave._record_batch(job, record) -%}
  {%- endif -%}
  {%- do deltawave._step(job, batch, 'publish') -%}
  {%- do deltawave._refuse_overtaken(job, record, deltawave._last_commit(job)) -%}
  {%- do deltawave._refuse_overtaken(job, record, deltawave._publish(job, record)) -%}
  {%- do deltawave._step(job, batch, 'clean') -%}
  {%- do deltawave._clean(job, batch, last, record) -%}
  {%- do deltawave._step(job, batch, 'end') -%}
{%- endmacro -%}
