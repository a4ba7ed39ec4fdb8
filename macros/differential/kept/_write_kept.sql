{#
  What the next batch compares with. Whole dumps are kept as they landed (copy), or as they were accepted (held), placed by the hash of
  the key. For slices the rows are kept once in key order (base), or as checksums alone, and the log's batches since patch them: nothing
  is written for a batch but its changes. When the patches have grown to a fifth of the rows, the base is written anew.
#}
{%- macro _kept_kind(strategy) -%}
  {%- if strategy not in deltawave._slice_strategies() -%}
    {{ return('copy') }}
  {%- endif -%}
  {{ return('checksums' if strategy == 'row_checksum' else 'base') }}
{%- endmacro -%}

{# Writes the state that batch as_of left, in the strategy's form. columns: of the rows; none where they are checksums already. #}
{%- macro _write_kept(job, batch, rows, columns, as_of) -%}
  {%- set side = {'kind': deltawave._kept_kind(job.settings.strategy), 'batch_id': batch.batch_id, 'attempt': batch.attempt} -%}
  {%- set table = deltawave._attempt_relation(job, side) -%}
  {%- if side.kind == 'base' -%}
    {%- do deltawave._create_base(job, table, rows, columns) -%}
  {%- else -%}
    {%- do deltawave._create_checksums(job, batch, table, deltawave._summed_rows(job, batch, rows) if columns else rows) -%}
  {%- endif -%}
  {%- do batch.update(kept_side=dict(side, rows=deltawave._row_count(job, table)), kept_as_of=as_of) -%}
{%- endmacro -%}

{%- macro _write_last_state(job, batch, last) -%}
  {%- set columns = last.columns | selectattr('in_copy') | list -%}
  {%- do deltawave._write_kept(job, batch, deltawave._kept_rows(job, last, columns), columns, last.batch_id) -%}
{%- endmacro -%}
