"""The versions of a row as a table: a line for each value that a batch has brought, changed or deleted."""

from collections.abc import Iterator, Sequence

from deltawave.pages.texts import Table, beside, lines, plain, short
from deltawave.reporting.batches import Batch, began_with_baseline, begins_with_state, dumps_of, is_cut, labels
from deltawave.reporting.changes import UNKNOWN, Change, times, value_in


def history_text(
    name: str,
    key: Sequence[tuple[str, str | None]],
    changes: Sequence[Change],
    batches: Sequence[Batch],
    *,
    first_batch: int | None,
    column: str | None = None,
) -> str:
    """Describe a row's changes, which are in order.

    - ``batches``: those of the log, by which it says up to when there was no such row
    - ``first_batch``: the one with which the log's rows begin; ``None`` for a log without rows
    """
    title = f"{plain(name)}: {', '.join(f'{plain(each)} = {plain(value)}' for each, value in key)}"
    keys = {each.lower() for each, _ in key}
    dumps = dumps_of(batches)
    heads = ("batch", *(("dump",) if dumps else ()), "at", "change", "column", "before", "after")
    rows = []
    previous = None
    for change, day in zip(changes, times(change.at for change in changes), strict=True):
        values = [
            each for each in _values(change, previous, keys) if column is None or each[0].lower() == column.lower()
        ]
        if column is None and not values:
            # A table may have no other columns than its key.
            values = [("", "", "")]
        for place, (each, old, new) in enumerate(values):
            dump = (dumps.get(change.batch, ""),) if dumps else ()
            head = (str(change.batch), *dump, day, _kind(change, batches, first_batch))
            rows.append((*([""] * len(head) if place else head), plain(each) if each else "", old, new))
        previous = None if change.kind == "delete" else change
    if not rows:
        of_others = f"Its changes ({len(changes):,}) are of other columns than {plain(column)}."
        nothing = of_others if changes else _nothing(batches, first_batch)
        return f"{title}\n\n  {nothing}\n"
    return "\n".join([title, "", *lines(Table(title, heads, rows)), ""])


def _values(change: Change, previous: Change | None, keys: set[str]) -> Iterator[tuple[str, str, str]]:
    """The columns that a change is about, with their values before and after it."""
    values = change.values(keys)
    if change.kind == "insert":
        yield from ((name, "", short(value)) for name, value in values.items())
        return
    if change.kind == "delete":
        is_unknown = change.is_unrecorded(keys)
        last = previous.values(keys) if previous and is_unknown else values
        yield from ((name, UNKNOWN if is_unknown and not previous else short(last.get(name)), "") for name in values)
        return
    # Where the log has no before image, the version before may still be in it.
    before = change.before if change.before is not None or previous is None else previous.row
    for name in change.changed or values:
        old, new = value_in(before, name), value_in(change.row, name)
        if before is None:
            yield name, UNKNOWN, short(new)
        elif change.changed or old != new:
            yield name, *beside(old, new)


def _kind(change: Change, batches: Sequence[Batch], first_batch: int | None) -> str:
    """What a change is called: the rows with which a shortened log begins may have been inserted long before."""
    if change.kind == "insert" and change.batch == first_batch and begins_with_state(batches, first_batch):
        return "state"
    return "backfill" if change.is_backfill else change.kind


def _nothing(batches: Sequence[Batch], first_batch: int | None) -> str:
    last = f"up to batch {batches[-1].number} ({labels(batches[-1:])[0]})" if batches else "yet"
    found = f"No change of such a row {last}"
    if began_with_baseline(batches):
        return f"{found}. The log lacks the rows of its first dump (initial_load: baseline): it may be one of them."
    if is_cut(batches, first_batch):
        since = "no rows any more" if first_batch is None else f"only what was changed since batch {first_batch}"
        return f"{found}: the log has {since}."
    return f"{found}: the log never had this key."
