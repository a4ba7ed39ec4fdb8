{#
  A fingerprint of how a row's checksum is computed, kept with the batch: its functions, bits and columns. Checksums with another one say
  nothing about each other. None where no checksums are kept.
#}
{%- macro _summed(job, batch) -%}
  {%- set bits = job.settings.checksum_bits -%}
  {%- if job.settings.strategy == 'row_checksum' -%}
    {{ return(local_md5(deltawave._checksum_of(batch, bits))) }}
  {%- elif job.settings.strategy == 'range_checksum' -%}
    {%- set at_source = deltawave._remote_row_hash(job, deltawave._keys_first(job, batch), bits) if job.remote else [] -%}
    {{ return(local_md5(job.remote.name ~ at_source | join(' ') if job.remote else deltawave._summand(batch, bits))) }}
  {%- endif -%}
  {{ return(none) }}
{%- endmacro -%}

{#
  Checksums that can't be compared are made anew of the rows that the log holds. A log that began without the rows of its first dump does not
  hold them all, so it goes on only as it began.
#}
{%- macro _require_known_rows(job, batch, last) -%}
  {%- if not batch.is_first and last.is_baseline and last.kept.kind == 'checksums' and last.summed != batch.summed -%}
    {%- do deltawave._fail('checksums_alone', {'model': job.name}) -%}
  {%- endif -%}
{%- endmacro -%}
