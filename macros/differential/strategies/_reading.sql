{#
  What a strategy's reader returns.

    arrived    what was read, as a relation or a select in parentheses, with the columns of the log (of a whole dump: of the dump) and key_hash
    old        the kept rows that it is compared with; none of a first batch, or where the reader makes the changes
    changes    a select of the changes, where the reader makes them itself
    progress   where the next batch of the strategy goes on
    checksums  how many checksums were compared
    turn       of ranges: {ranges, read, fetched}, all of them, those that the source was asked about, and those of which rows came
    is_idle    there is nothing to compare
#}
{%- macro _reading(arrived, old=none, changes=none, progress={}, checksums=0, turn=none, is_idle=false) -%}
  {{ return({
    'arrived': arrived, 'old': old, 'changes': changes, 'progress': progress, 'checksums': checksums, 'turn': turn, 'is_idle': is_idle,
  }) }}
{%- endmacro -%}
