{#
  The same dump again makes no batch. Exceptions: a dated dump, so that its date is recorded; quarantined rows; a slice after which the next run has
  to resume from a different place; and other files, or a copy instead of files, with which the next dump is compared.
#}
{%- macro _is_unchanged(job, batch, last) -%}
  {%- set changes = batch.result.counts['insert'] + batch.result.counts['delete'] + batch.result.counts['update'] -%}
  {%- if changes or batch.result.quarantined or batch.is_first or batch.snapshot_date -%}
    {{ return(false) }}
  {%- endif -%}
  {{ return(not deltawave._has_other_columns(batch, last) and not deltawave._has_moved(job, batch, last)) }}
{%- endmacro -%}

{# Does the next slice have to resume from a different place than this one, or the next dump be compared with other files? #}
{%- macro _has_moved(job, batch, last) -%}
  {%- if deltawave._form_of(last.state).in_place -%}
    {#- A copy replaces a list of files that may be deleted. -#}
    {{ return(batch.result.state.get('digest') != last.state.digest) }}
  {%- endif -%}
  {{ return(job.strategy.reads != 'dump' and (
    batch.reading.progress != deltawave._last_progress(job, last) or batch.fingerprint != last.fingerprint
    or batch.result.ranges != last.ranges or batch.result.state != last.state and not deltawave._has_drifted(job, batch, last)
  )) }}
{%- endmacro -%}
