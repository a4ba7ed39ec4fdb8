{#
  The dates that are not after the last compared one: {late, again, seen}. late: those that came too late; again: compared ones that were delivered again
  with other rows; seen: what was read of both and has to be remembered. settled: dates that were not read, as their files are known; read: the others.
#}
{%- macro _skipped_dates(known, settled, read) -%}
  {%- set late = [] -%}
  {%- set again = [] -%}
  {%- set seen = [] -%}
  {%- for date in settled -%}
    {%- if not known[date].is_compared -%}{%- do late.append(date) -%}{%- elif known[date].is_other -%}{%- do again.append(date) -%}{%- endif -%}
  {%- endfor -%}
  {%- for found in read -%}
    {%- set before = known.get(found.snapshot_date, {'is_compared': false}) -%}
    {%- set is_other = before.is_compared and deltawave._is_delivered_again(before, found) -%}
    {%- if not before.is_compared -%}{%- do late.append(found.snapshot_date) -%}{%- elif is_other -%}{%- do again.append(found.snapshot_date) -%}{%- endif -%}
    {%- set is_new = found.checksum[:8] not in [(before.checksum or '')[:8], (before.seen_checksum or '')[:8]] -%}
    {%- if found.files or (before.is_compared and is_new) -%}{%- do seen.append(dict(found, is_other=is_other)) -%}{%- endif -%}
  {%- endfor -%}
  {{ return({'late': late, 'again': again, 'seen': seen}) }}
{%- endmacro -%}

{#
  Are these other rows than those that were compared? If the checksums can't be compared, because the select was edited since, the number of rows
  decides, and changed files count as other rows: a correction must not be lost in silence.
#}
{%- macro _is_delivered_again(before, found) -%}
  {%- if found.rows != before.rows -%}
    {{ return(true) }}
  {%- elif before.checksum and before.checksum[:8] == found.checksum[:8] -%}
    {{ return(before.checksum != found.checksum) }}
  {%- elif before.seen_checksum and before.seen_checksum[:8] == found.checksum[:8] -%}
    {{ return(before.is_other or before.seen_checksum != found.checksum) }}
  {%- endif -%}
  {{ return(before.is_other or (before.files is not none and found.files is not none)) }}
{%- endmacro -%}
