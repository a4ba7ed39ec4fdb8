"""The versions of a row as a table: a line for each value that a batch has brought, changed or deleted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deltawave.pages.tables import Table, lines
from deltawave.pages.texts import beside, plain, short
from deltawave.reporting.batches import Batch
from deltawave.reporting.changes import UNKNOWN, Change, times, value_in

_HEADS = ("batch", "at", "change", "column", "before", "after")


def history_text(
    name: str,
    key: Sequence[tuple[str, str | None]],
    changes: Sequence[Change],
    batches: Sequence[Batch],
    *,
    column: str | None = None,
    is_baseline: bool = False,
) -> str:
    """Describe a row's changes, which are in order.

    - ``key``: the key's columns with their values
    - ``batches``: those of the log, by which it says up to when there was no such row
    - ``column``: only changes of this column
    - ``is_baseline``: whether the log lacks the rows of its first dump
    """
    title = f"{plain(name)}: {', '.join(f'{plain(each)} = {plain(value)}' for each, value in key)}"
    keys = {each.lower() for each, _ in key}
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
            head = (str(change.batch), day, "backfill" if change.is_backfill else change.kind)
            rows.append((*(("", "", "") if place else head), plain(each) if each else "", old, new))
        previous = None if change.kind == "delete" else change
    if not rows:
        of_others = f"Its changes ({len(changes):,}) are of other columns than {plain(column)}."
        nothing = of_others if changes else _nothing(batches, is_baseline)
        return f"{title}\n\n  {nothing}\n"
    return "\n".join([title, "", *lines(Table(title, _HEADS, rows)), ""])


def _values(change: Change, previous: Change | None, keys: set[str]) -> Iterator[tuple[str, str, str]]:
    """The columns that a change is about, with their values before and after it."""
    values = {name: value for name, value in change.row.items() if name.lower() not in keys}
    if change.kind != "update":
        for name, value in values.items():
            yield (name, short(value), "") if change.kind == "delete" else (name, "", short(value))
        return
    # Where the log has no before image, the version before may still be in it.
    before = change.before if change.before is not None or previous is None else previous.row
    for name in change.changed or values:
        old, new = value_in(before, name), value_in(change.row, name)
        if before is None:
            yield name, UNKNOWN, short(new)
        elif change.changed or old != new:
            yield name, *beside(old, new)


def _nothing(batches: Sequence[Batch], is_baseline: bool) -> str:
    last = f"up to batch {batches[-1].number} ({times([batches[-1].at])[0]})" if batches else "yet"
    found = f"No change of such a row {last}"
    if is_baseline:
        return f"{found}. The log lacks the rows of its first dump (initial_load: baseline): it may be one of them."
    return f"{found}: the log never had this key."
