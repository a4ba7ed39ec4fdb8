{#
  The kept side that a slice is compared with and patched onto: the last one if it has the form that the strategy keeps, otherwise one that is written
  now. The ranges of its keys are reused or cut in the same way.
#}
{%- macro _open_kept(job, batch, last) -%}
  {%- set is_kept = last.kept.kind == job.strategy.keeps and (job.strategy.checksums != 'rows' or last.checksum_fingerprint == batch.checksum_fingerprint) -%}
  {%- if is_kept -%}
    {%- do deltawave._update(batch, kept=last.kept, kept_as_of=last.kept_as_of) -%}
  {%- else -%}
    {%- do deltawave._write_last_state(job, batch, last) -%}
  {%- endif -%}
  {%- if job.strategy.ranges -%}
    {#- Compared ranges describe the source's keys, so they stay valid when the kept side is rewritten. -#}
    {%- set is_going_on = last.progress_strategy == job.strategy.name if job.strategy.ranges == 'compared' else is_kept -%}
    {#- Lost ranges can be cut again from the kept rows. -#}
    {%- if last.ranges and is_going_on and deltawave._is_there(job, deltawave._attempt_relation(job, last.ranges)) -%}
      {%- do deltawave._update(batch, ranges=last.ranges) -%}
    {%- else -%}
      {%- do deltawave._cut_ranges(job, batch, last.rows_new) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{#
  Checksums that cannot be compared are recomputed from the rows in the log. A log that began without the rows of its first dump does not hold
  them all, so it can only continue with the same checksums, or in place.
#}
{%- macro _check_known_rows(job, batch, last) -%}
  {%- if last.is_baseline and last.kept.kind in ['checksums', 'hashes'] and last.checksum_fingerprint != batch.checksum_fingerprint -%}
    {%- set able = [] -%}
    {%- for name, strategy in deltawave._strategies().items() if strategy.keeps == last.kept.kind -%}{%- do able.append(name) -%}{%- endfor -%}
    {%- do deltawave._fail('checksums_alone', {
      'model': job.name,
      'kind': last.kept.kind,
      'strategies': able | join(' or '),
      'options': ('checksum_bits, ' if last.kept.kind == 'checksums' else '') ~ 'compare_columns, ignore_columns and columns',
    }) -%}
  {%- elif last.is_baseline and last.kept.kind == 'files' and job.strategy.keeps != 'files' -%}
    {%- do deltawave._fail('files_alone', {'model': job.name, 'strategy': last.progress_strategy}) -%}
  {%- endif -%}
{%- endmacro -%}
