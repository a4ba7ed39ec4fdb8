"""Objections to the transitions of a run, unless a user accepts them: days that look wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise

from deltawave.wave.pending import Work, distance, emptied, in_order
from deltawave.wave.tables import Day, WaveRecord, WaveSpec

# All days before a wrong date far ahead would come too late, until it is reached.
MOST_WINDOWS = 10
# Where nothing tells the usual distance, it may be a month.
_MONTH = 31


def objections(
    record: WaveRecord | None, spec: WaveSpec, delivered: Iterable[Day], works: Iterable[Work], gaps: str = "skip"
) -> list[str]:
    """Sentences about days that come far after the one before, are missing under ``gaps: fail``, or lose most rows.

    ``works``: the result of :func:`deltawave.wave.pending.pending` for the other arguments.
    """
    works = list(works)
    new = [day for work in works if work.kind in ("start", "take") for day in work.days]
    dropped = [day.value for work in works if work.kind == "drop" for day in work.days]
    days = emptied(record, dropped).days if record else {}
    known = [day.value for _, day in sorted(days.items())]
    values = sorted((day.value for day in delivered), key=partial(in_order, spec))
    if known:
        values = [value for value in values if in_order(spec, value) > in_order(spec, known[-1])]
    else:
        # Days before the window are not taken.
        values = values[-max(spec.index.window, 2) :]
    # The place of a dropped day tells no usual distance.
    taken = [day.value for _, day in sorted(days.items()) if day.rows] or known
    found = [*_far(spec, taken if gaps == "skip" else known, values, gaps)]
    if gaps == "fail":
        found += _missing(new)
    if less := list(_shrunken(record, works)):
        found.append(f"day(s) that would lose more than half their rows: {', '.join(less)}: parts of days?")
    return found


def _far(spec: WaveSpec, known: list[str], new: list[str], gaps: str) -> Iterator[str]:
    # Whole numbers may be years and months: their distance means something only if none may be missing.
    if spec.day_type == "string" or (gaps == "skip" and spec.day_type != "date"):
        return
    # If only days with a batch count, the days of an index of months are 31 dates apart.
    usual = 0 if gaps == "skip" else 1
    # A whole number may be a date: 20260131 is followed by 20260201.
    most = MOST_WINDOWS if spec.day_type == "date" else 1
    for place, (last, value) in enumerate(pairwise([*known, *new]), 1):
        days = distance(spec, last, value)
        if place >= len(known) and days > spec.index.window * (most * usual or _MONTH):
            windows = f"{most} windows" if most > 1 else "a window"
            yield f"{value} comes {days:,} days after {last}, more than {windows}: a wrong date?"
        if gaps == "skip":
            usual = max(usual, days)


def _missing(new: list[Day]) -> Iterator[str]:
    first = None
    for day in new:
        if not day.checksum:
            first = first or day
        elif first:
            yield f"there is no batch of {first.value}, which comes before {day.value}; gaps: fail asks for all."
            first = None


def _shrunken(record: WaveRecord | None, works: list[Work]) -> Iterator[str]:
    """A part of a day looks like a day that changed."""
    known = {day.value: day.rows for day in record.days.values()} if record else {}
    for work in works:
        for day in work.days if work.kind == "replace" else ():
            # A day that is dropped in this run has no former rows.
            if day.rows < known.get(day.value, 0) / 2:
                yield f"{day.value} ({known[day.value]} rows, now {day.rows})"
