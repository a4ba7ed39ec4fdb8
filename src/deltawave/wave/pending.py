"""The transitions that a run has to make of a wave index, from the days of its source."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from deltawave.wave.day_values import DayValues, day_values, in_order, values_of
from deltawave.wave.tables import GAPS, Day, WaveRecord, WaveSpec

_REBUILD = "rebuild the wave index, or set it back."


@dataclass(frozen=True)
class Work:
    """One transition to be made.

    - ``kind``: ``prepare`` (the preparation left by the last day), ``start`` (the first days, up to W, at once),
      ``load`` (a new day), ``replace`` (a day that was delivered again), ``drop`` (a wrong day; see :func:`emptied`) or
      ``show`` (only another clipping of the view)
    - ``days``: these days, as the source has them
    """

    kind: str
    days: tuple[Day, ...] = ()

    def as_written(self, checksums: Mapping[str, str]) -> Work:
        """The same with other checksums of some days, by value, whose rows differ each time they are read."""
        return replace(
            self, days=tuple(replace(day, checksum=checksums.get(day.value, day.checksum)) for day in self.days)
        )

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {"kind": self.kind, "days": [vars(day) for day in self.days]}

    @staticmethod
    def from_json(values: Mapping[str, Any]) -> Work:
        """From the result of :meth:`to_json`."""
        return Work(values["kind"], tuple(Day(**day) for day in values["days"]))


def pending(
    record: WaveRecord | None,
    spec: WaveSpec,
    delivered: Sequence[Day],
    gaps: str = "skip",
    drop: Collection[str] = (),
) -> tuple[list[Work], list[Day]]:
    """The transitions that a run has to make, in order, and the days that come too late for any.

    - ``record``: none for a new wave index
    - ``delivered``: the days that the source has, with their checksums, as far as they may be loaded (see
      :func:`deltawave.wave.guards.checked`)
    - ``gaps``: whether days without a batch count as days of the window: ``skip`` (no), ``empty`` or ``fail`` (yes, as
      days without rows; before a day at most W of them, since others would leave the window at once)
    - ``drop``: days of the index that are wrong, and that the source no longer has; unknown days are skipped (see
      :func:`unknown_days`)

    An indexed day whose checksum differs is replaced. A day between two indexed ones, or before them while the window
    grows, comes too late; older days have left the window. An index of dates in which missing ones count begins with
    the whole window, so that days before its first one can still come. Raises ``ValueError`` for invalid ``gaps`` and
    ``drop``, and a specification that does not continue the record's.
    """
    if gaps not in GAPS:
        raise ValueError(f"gaps {gaps!r}: take one of {', '.join(GAPS)}.")
    if gaps != "skip" and spec.day_type == "string":
        raise ValueError(f"gaps: {gaps} needs a day_column of dates or whole numbers; {spec.day_column} is a text.")
    # Also for days that the index does not have: otherwise the source's day would be loaded.
    check_dropped(delivered, drop)
    ordered = sorted(delivered, key=lambda day: in_order(spec, day.value))
    if record is None:
        values, window = day_values(spec, (day.value for day in ordered)), spec.index.window
        # Days before the window have left it already.
        days = _with_gaps(values, ordered, None, gaps, window)[-window:]
        if days and gaps != "skip" and values.are_dates:
            days = [*map(Day, values.before(days[0].value, window - len(days))), *days]
        return _begun(days, spec), []
    check_same(record.spec, spec)
    drop = set(drop).difference(unknown_days(record, drop))
    drops = []
    for value in sorted(drop, key=lambda value: in_order(spec, value)):
        # A place without rows may have moved already, with a day that is dropped before it.
        if any(day.value == value for day in record.days.values()):
            drops.append(Work("drop", (Day(value),)))
            record = emptied(record, [value])
    known = {record.days[number].value: record.days[number] for number in record.indexed}
    oldest, newest = (in_order(spec, record.days[number].value) for number in (min(record.indexed), record.state_day))
    new = [day for day in ordered if in_order(spec, day.value) > newest]
    again = [day for day in ordered if day.value in known and _differs(day, known[day.value])]
    is_growing = record.state_day < spec.index.window
    late = [
        day
        for day in ordered
        if (is_growing or oldest < in_order(spec, day.value)) and in_order(spec, day.value) < newest
        if day.value not in known
    ]
    work = [Work("prepare")] if record.pending else []
    work += drops
    work += [Work("replace", (day,)) for day in again]
    last = record.days[record.state_day].value
    work += _loaded(_with_gaps(values_of(record), new, last, gaps, spec.index.window), spec)
    if not work and spec.clip != record.spec.clip and not spec.index.rules.is_hard:
        work = [Work("show")]
    return work, late


def emptied(record: WaveRecord, drop: Collection[str]) -> WaveRecord:
    """The wave index with other values for the days to drop: they stay as days without rows.

    Days are numbered consecutively, so none can be removed. A dropped day gets the value that follows the day before
    it, so that days up to the wrong one can still come, the first of them as this day. Days without rows that follow
    a dropped one move with it: their values followed that of a wrong day.
    """
    days, values = dict(record.days), values_of(record)
    is_moved = False
    for number, day in sorted(days.items()):
        is_moved = day.value in drop or (is_moved and not day.rows)
        if not is_moved:
            continue
        if number - 1 not in days:
            raise ValueError(
                f"{day.value} is the oldest day of the index, and can't be dropped: rebuild the wave index."
            )
        days[number] = _place_after(values, days[number - 1])
    return replace(record, days=days)


def day_in_the_way(record: WaveRecord, drop: Collection[str], late: Sequence[Day]) -> str | None:
    """The day to drop if it is wrong, so that the first of the days that came too late can still be loaded.

    It is the newest of the later days with rows; if there is none, the first without, which moves the others too. None
    if all days that came too late precede the index, whose oldest day can't be dropped. ``record``, ``drop``,
    ``late``: as :func:`pending` gets and returns them.
    """
    kept = emptied(record, set(drop).difference(unknown_days(record, drop)))
    days = [day for _, day in sorted(kept.days.items())]
    inside = [day for day in late if in_order(record.spec, day.value) > in_order(record.spec, days[0].value)]
    if not inside:
        return None
    later = [day for day in days if in_order(record.spec, day.value) > in_order(record.spec, inside[0].value)]
    return next((day for day in reversed(later) if day.rows), later[0]).value


def _place_after(values: DayValues, before: Day) -> Day:
    """What stays of a dropped day."""
    return Day(values.after(before.value))


def unknown_days(record: WaveRecord | None, drop: Collection[str]) -> list[str]:
    """Days to drop that the index does not have, or no longer: a run that is repeated may have dropped them."""
    if record is None:
        return list(drop)
    days, there, values = dict(record.days), set(), values_of(record)
    is_right_since = any(days[number].value not in drop for number in record.indexed)
    for number in sorted(number for number in record.indexed if days[number].value in drop):
        day, before = days[number], days.get(number - 1)
        # The oldest one leaves the index next.
        days[number] = _place_after(values, before) if before else Day(day.value)
        if day != days[number] or not (before or is_right_since):
            there.add(day.value)
    return [value for value in drop if value not in there]


def check_dropped(delivered: Sequence[Day], drop: Collection[str]) -> None:
    """Raise ``ValueError`` for days to drop that the source still has."""
    there = {day.value for day in delivered}
    for value in drop:
        if value in there:
            raise ValueError(
                f"{value} can't be dropped: the source still has it, and it would be loaded again. Correct it there, "
                "or leave it out of the select."
            )


def check_same(was: WaveSpec, now: WaveSpec) -> None:
    """Raise ``ValueError`` for a specification that does not continue another one."""
    for name in ("scheme", "window", "constituents"):
        if getattr(was.index, name) != getattr(now.index, name):
            raise ValueError(f"{name} was {getattr(was.index, name)} and is {getattr(now.index, name)}: {_REBUILD}")
    for name in ("day_column", "search_field", "columns"):
        if getattr(was, name) != getattr(now, name):
            raise ValueError(f"{name}: was {getattr(was, name)!r} and is {getattr(now, name)!r}: {_REBUILD}")


def _begun(days: Sequence[Day], spec: WaveSpec) -> list[Work]:
    """One transition, so that readers of an index that is rebuilt never see a part of its days."""
    if not days:
        return []
    return _prepared([Work("start", tuple(days))], spec)


def _loaded(days: Sequence[Day], spec: WaveSpec) -> list[Work]:
    return _prepared([Work("load", (day,)) for day in days], spec)


def _prepared(works: Sequence[Work], spec: WaveSpec) -> list[Work]:
    """Each work with the preparation that may follow it; a preparation without operations is skipped later."""
    if not spec.index.rules.has_temporaries:
        return list(works)
    return [each for work in works for each in (work, Work("prepare"))]


def _differs(day: Day, known: Day) -> bool:
    return (day.rows, day.checksum) != (known.rows, known.checksum)


def _with_gaps(values: DayValues, days: Sequence[Day], last: str | None, gaps: str, window: int) -> list[Day]:
    """The days, each after the missing days before it, as far as these count."""
    if gaps == "skip":
        return list(days)
    found: list[Day] = []
    for day in days:
        count = 0 if last is None else values.distance(last, day.value) - 1
        found += [*map(Day, values.before(day.value, min(count, window))), day]
        last = day.value
    return found
