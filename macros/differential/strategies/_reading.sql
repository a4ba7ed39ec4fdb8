{#
  What a strategy's reader returns.

    incoming       the rows read, as a relation or a select in parentheses, with the log's columns (for a whole dump:
                   the dump's) and key_hash
    old            the previous rows to compare them with; none for a first batch, or if the reader computes the changes
    changes        a select of the changes, if the reader computes them
    pairs          the view from which `changes` is computed, if a library may write them to the log itself, see
                   _written_changes
    counted        the counts of _count_landed, and previous_rows, if a library has counted the rows
    progress       where the strategy's next batch resumes
    checksums      how many checksums were compared
    rotation       for ranges: {ranges, read, fetched}: all of them, those that this run read at the source, and those
                   whose rows were fetched
    state          the dump as it landed, if it was read as a whole; of a first dump that is_whole, the state after it
    is_whole       the whole dump was landed, by a strategy that otherwise lands a part
    unlanded       a select of the source itself, which is all rows of files and must not change until the state is
                   written
    is_idle        there is nothing to compare
    expected       how many changes of each kind there have to be: {insert, delete, update, backfill}; none if any will do
#}
{%- macro _reading(
    incoming, old=none, changes=none, pairs=none, counted=none, progress={}, checksums=0, rotation=none, state=none,
    is_whole=false,
    unlanded=none, is_idle=false, expected=none
) -%}
  {{ return({
    'incoming': incoming, 'old': old, 'changes': changes, 'pairs': pairs, 'counted': counted, 'progress': progress,
    'checksums': checksums, 'rotation': rotation, 'state': state, 'is_whole': is_whole, 'unlanded': unlanded,
    'is_idle': is_idle, 'expected': expected,
  }) }}
{%- endmacro -%}
