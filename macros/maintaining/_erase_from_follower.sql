{#
  Writes a table that follows a log again, without the rows, as a batch of its own. What it has read of the log stays.
  The select is in following/_rewrite_follower.sql. Both older tables are dropped at once, since the oldest may have
  rows that the log has deleted: queries that still read them fail. Delta and Iceberg keep older files as long as the
  table. log: the log's record.
#}
{%- macro _erase_from_follower(follower, place, subject, log) -%}
  {%- set job, last = follower.job, follower.record -%}
  {%- if place.rows or deltawave._is_merged(last.file_format) -%}
    {%- do deltawave._refresh(job, last.file_format, [deltawave._attempt_relation(job, last.rows)]) -%}
    {%- set record = deltawave._rewrite_follower(
      job, last, 'erase', 'erased rows', deltawave._no_subject(subject), log.rows_new
    ) -%}
    {%- do deltawave._drop_leftovers(job, record) -%}
  {%- endif -%}
{%- endmacro -%}
