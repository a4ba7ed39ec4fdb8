{#
  What the next batch compares with. A dump that was compared whole is kept as it landed, or as it was accepted of rows that were set
  aside; the first of slices is kept in the strategy's own form; later ones are patches, which the log holds, and ranges follow them.
#}
{%- macro _keep(job, batch, last) -%}
  {%- if not batch.is_slice -%}
    {%- do batch.update(kept_side=dict(batch.kept_side, kind='held' if batch.quarantined else 'copy', rows=batch.rows_new)) -%}
  {%- elif batch.is_first -%}
    {%- do deltawave._keep_first_slice(job, batch) -%}
  {%- else -%}
    {%- if batch.counts['insert'] + batch.counts['delete'] + batch.counts['update'] > 0 -%}
      {%- do deltawave._renew_kept(job, batch, last) -%}
    {%- endif -%}
    {%- if batch.turn -%}
      {%- do deltawave._renew_ranges(job, batch, batch.turn.ranges, batch.turn.read, batch.turn.fetched) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}
