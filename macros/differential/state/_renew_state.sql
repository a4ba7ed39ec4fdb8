{# Rewrites the state once it has many patches; this batch's own changes are the first patches of the new one. #}
{%- macro _renew_state(job, batch, last) -%}
  {%- if not deltawave._is_own(batch, last.state) and deltawave._is_patched_much(last) -%}
    {%- set rows = deltawave._macro_named(deltawave._form_of(last.state).patched)(job, batch, last) -%}
    {%- set columns = last.columns | selectattr('in_copy') | list -%}
    {%- set state = deltawave._counted(
      job, deltawave._write_state(job, batch, rows, columns, last.batch_id, is_formed=true)
    ) -%}
    {%- do deltawave._update(batch.result, state=state) -%}
    {%- if job.strategy.ranges == 'lookup' and not deltawave._is_own(batch, last.ranges) -%}
      {#- If this batch has already cut ranges, because the previous ones were lost, they stay. -#}
      {%- do deltawave._update(batch.result, ranges=deltawave._cut_ranges(job, batch, state, last.rows_new)) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{#
  Do the log's changes since the state was written amount to more than a fifth of the rows? A few patches cost less to
  read than a new state costs to write, so the state of a small table is rewritten only after several batches.
#}
{%- macro _is_patched_much(last) -%}
  {%- set patches, few = deltawave._patches_of(last.state), adapter.dispatch('_few_patches', 'deltawave')() -%}
  {{ return(patches.rows * 5 > last.rows_new and (patches.rows > few.patches or patches.batches > few.batches)) }}
{%- endmacro -%}

{# The changes that the log has since a state was written: {rows, batches}. Not all forms count them. #}
{%- macro _patches_of(state) -%}{{ return(state.get('patches') or {'rows': 0, 'batches': 0}) }}{%- endmacro -%}

{# The state is not rewritten for up to this many patches from up to this many batches. #}
{%- macro default___few_patches() -%}{{ return({'patches': 10000, 'batches': 7}) }}{%- endmacro -%}
