{#
  What a slice is compared with, and patched onto: the last kept side where it is what the strategy keeps, otherwise one that is written
  now. Likewise the ranges of its keys.
#}
{%- macro _open_kept(job, batch, last) -%}
  {%- do deltawave._check_known_rows(job, batch, last) -%}
  {%- set has_checksums = job.strategy.keeps == 'checksums' -%}
  {%- set is_kept = last.kept.kind == job.strategy.keeps and (not has_checksums or last.checksum_fingerprint == batch.checksum_fingerprint) -%}
  {%- if is_kept -%}
    {%- do deltawave._update(batch, kept=last.kept, kept_as_of=last.kept_as_of) -%}
  {%- else -%}
    {%- do deltawave._write_last_state(job, batch, last) -%}
  {%- endif -%}
  {%- if job.strategy.ranges -%}
    {#- What a strategy knows of the ranges that it compares holds for their rows, wherever these are kept. -#}
    {%- set is_going_on = last.progress_strategy == job.strategy.name if job.strategy.ranges == 'compared' else is_kept -%}
    {#- Ranges that are lost can be cut again, of the kept rows. -#}
    {%- if last.ranges and is_going_on and deltawave._is_there(job, deltawave._attempt_relation(job, last.ranges)) -%}
      {%- do deltawave._update(batch, ranges=last.ranges) -%}
    {%- else -%}
      {%- do deltawave._cut_ranges(job, batch, last.rows_new) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{#
  Checksums that can't be compared are made anew of the rows that the log holds. A log that began without the rows of its first dump does not
  hold them all, so it goes on only as it began.
#}
{%- macro _check_known_rows(job, batch, last) -%}
  {%- if last.is_baseline and last.kept.kind == 'checksums' and last.checksum_fingerprint != batch.checksum_fingerprint -%}
    {%- do deltawave._fail('checksums_alone', {'model': job.name}) -%}
  {%- endif -%}
{%- endmacro -%}
