{#
  What a strategy's reader returns.

    arrived    the rows read, as a relation or a select in parentheses, with the log's columns (for a whole dump: the dump's) and key_hash
    old        the kept rows to compare them with; none for a first batch, or if the reader computes the changes
    changes    a select of the changes, if the reader computes them
    progress   where the strategy's next batch resumes
    checksums  how many checksums were compared
    turn       for ranges: {ranges, read, fetched}: all of them, those asked about at the source, and those whose rows were fetched
    is_idle    there is nothing to compare
#}
{%- macro _reading(arrived, old=none, changes=none, progress={}, checksums=0, turn=none, is_idle=false) -%}
  {{ return({
    'arrived': arrived, 'old': old, 'changes': changes, 'progress': progress, 'checksums': checksums, 'turn': turn, 'is_idle': is_idle,
  }) }}
{%- endmacro -%}
