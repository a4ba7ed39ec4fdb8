"""What a run of a wave index has to do: which days it loads, which it refuses, and which come too late."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from deltawave.wave.guards import Clock, checked
from deltawave.wave.tables import GAPS, Day, DayValues, WaveRecord, WaveSpec, day_values, in_order, values_of

_REBUILD = "rebuild the wave index, or set it back."
# Days that are so far apart may be weeks or months, of which each follows the one before.
_WEEK, _MONTH = 7, 31


@dataclass(frozen=True)
class Work:
    """One transition to be made.

    - ``kind``: ``prepare`` (the preparation left by the last day), ``start`` (the first days, up to W, at once),
      ``load`` (a new day), ``replace`` (a day that was delivered again), ``drop`` (a wrong day; see :func:`emptied`),
      ``show`` (only another clipping of the view) or ``erase`` (days of the index that lose rows)
    """

    kind: str
    days: tuple[Day, ...] = ()

    def as_written(self, checksums: Mapping[str, str]) -> "Work":
        """The same with other checksums of days whose rows differ each time they are read."""
        return Work(
            self.kind, tuple(replace(day, checksum=checksums.get(day.value, day.checksum)) for day in self.days)
        )

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "days": [vars(day) for day in self.days]}

    @staticmethod
    def from_json(values: Mapping[str, Any]) -> "Work":
        return Work(values["kind"], tuple(Day(**day) for day in values["days"]))


@dataclass(frozen=True)
class RunPlan:
    """The plan of a run.

    - ``late``: days that come too late to be loaded
    - ``late_because``: the reason: ``skip`` (the index has no places for missing days), ``text`` (for days that are
      texts, it cannot have any), ``before`` (the index begins later), or ``passed`` (later days are loaded already)
    - ``wrong``: the later day of the index that stands in their way, if the clock has not reached it
    - ``refused``: sentences about days that look wrong, and are not loaded (:func:`deltawave.wave.guards.checked`)
    - ``unknown``: days to drop that the index does not have
    """

    works: list[Work]
    late: list[Day]
    late_because: str
    wrong: str | None
    refused: list[str]
    unknown: list[str]

    @property
    def loads_days(self) -> bool:
        """Whether readers will see a change."""
        return any(work.kind != "prepare" for work in self.works)


def plan_run(
    record: WaveRecord | None,
    spec: WaveSpec,
    delivered: Sequence[Day],
    gaps: str | None = None,
    drop: Collection[str] = (),
    clock: Clock | None = None,
    accept: bool = False,
) -> RunPlan:
    """Plan a run.

    - ``record``: none for a new wave index
    - ``delivered``: the days that the source has, with their checksums
    - ``gaps``: whether days without a batch count as days of the window: ``skip`` (no), ``empty`` or ``fail`` (yes; at
      most W - 1 before a day). By default ``empty`` for dates, also for whole numbers that read as dates, else ``skip``
    - ``drop``: days of the index that are wrong, and that the source no longer has; unknown days are skipped
    - ``clock``: none accepts any date
    - ``accept``: also load days that look wrong

    A day between two indexed ones, or before them while the window grows, comes too late. An index of dates in which
    missing ones count begins with the whole window, so that days before its first one can still come. Raises
    ``ValueError`` for invalid ``gaps`` and ``drop``, if ``gaps`` has to be given, and for a specification that does not
    continue the record's.
    """
    if gaps is not None and gaps not in GAPS:
        raise ValueError(f"gaps {gaps!r}: take one of {', '.join(GAPS)}.")
    if gaps in ("empty", "fail") and spec.day_type == "string":
        raise ValueError(f"gaps: {gaps} needs a day_column of dates or whole numbers; {spec.day_column} is a text.")
    there = {day.value for day in delivered}
    for value in drop:
        # Also for days that the index does not have: otherwise the source's day would be loaded.
        if value in there:
            raise ValueError(
                f"{value} can't be dropped: the source still has it, and it would be loaded again. Correct it there, "
                "or leave it out of the select."
            )
    unknown = _unknown_days(record, drop)
    works: list[Work] = []
    base = record
    if base:
        check_same(base.spec, spec)
        works += [Work("prepare")] if base.pending else []
        for value in sorted(set(drop).difference(unknown), key=lambda value: in_order(spec, value)):
            # A place without rows may have moved already, with a day that is dropped before it.
            if any(day.value == value for day in base.days.values()):
                works.append(Work("drop", (Day(value),)))
                base = emptied(base, value)
    values = values_of(base) if base else day_values(spec, there)
    if gaps is None and values.are_dates:
        _require_gaps(base, spec, values, delivered, clock)
    gaps = gaps or ("empty" if values.are_dates else "skip")
    loaded, refused = checked(base, spec, values, delivered, gaps, clock, accept)
    if base is None:
        return RunPlan(_first_works(spec, values, loaded, gaps), [], "", None, refused, unknown)

    days = base.ordered
    known = {day.value: day for day in days}
    oldest, newest = in_order(spec, days[0].value), in_order(spec, days[-1].value)
    # What readers do not see is not replaced: expired days that a soft window still has.
    first_shown = replace(base, spec=spec).first_shown
    seen = {day.value: day for number, day in base.days.items() if number >= first_shown}
    works += [Work("replace", (day,)) for day in loaded if day != seen.get(day.value, day)]
    new = [day for day in loaded if in_order(spec, day.value) > newest]
    works += _prepared(spec, [Work("load", (day,)) for day in _with_gaps(spec, values, new, days[-1].value, gaps)])
    if not works and spec.clip != base.spec.clip and not spec.index.rules.is_hard:
        works = [Work("show")]
    # Days before the index count as late while the window grows. They also do if the newest day is ahead of the clock:
    # then nobody knows whether they expired.
    is_open = base.state_day < spec.index.window or (clock is not None and clock.is_ahead(values, days[-1].value))
    late = [
        day
        for day in loaded
        if day.value not in known and in_order(spec, day.value) < newest
        if is_open or oldest < in_order(spec, day.value)
    ]
    wrong = day_in_the_way(base, late)
    is_ahead = wrong is not None and clock is not None and clock.is_ahead(values, wrong)
    if spec.day_type == "string":
        because = "text"
    elif all(in_order(spec, day.value) < oldest for day in late):
        because = "before"
    else:
        because = "skip" if gaps == "skip" else "passed"
    return RunPlan(works, late, because, wrong if is_ahead else None, refused, unknown)


def _first_works(spec: WaveSpec, values: DayValues, days: Sequence[Day], gaps: str) -> list[Work]:
    """One transition, so that readers of an index that is rebuilt never see a part of its days."""
    # Days before the window have left it already.
    first = _with_gaps(spec, values, days, None, gaps)[-spec.index.window :]
    if first and gaps != "skip" and values.are_dates:
        first = [*map(Day, values.before(first[0].value, spec.index.window - len(first))), *first]
    return _prepared(spec, [Work("start", tuple(first))] if first else [])


def _prepared(spec: WaveSpec, works: list[Work]) -> list[Work]:
    """Each work with the preparation that may follow it; a preparation without operations is skipped later."""
    if not spec.index.rules.needs:
        return works
    return [each for work in works for each in (work, Work("prepare"))]


def _with_gaps(spec: WaveSpec, values: DayValues, days: Sequence[Day], last: str | None, gaps: str) -> list[Day]:
    """The days; if missing days count (``gaps``), each comes after the missing ones before it."""
    if gaps == "skip":
        return list(days)
    found: list[Day] = []
    for day in days:
        count = 0 if last is None else values.distance(last, day.value) - 1
        found += [*map(Day, values.before(day.value, min(count, spec.index.window - 1))), day]
        last = day.value
    return found


def emptied(record: WaveRecord, dropped: str) -> WaveRecord:
    """The wave index without a wrong day. A day without rows takes its place, since days are numbered without gaps.

    This day gets the value that follows the day before it, so that days up to the wrong one can still come. Days
    without rows that follow it get the next values: their old ones were counted from the wrong day.
    """
    days, values = dict(record.days), values_of(record)
    is_moved = False
    for number, day in sorted(days.items()):
        is_moved = day.value == dropped or (is_moved and not day.rows)
        if not is_moved:
            continue
        if number - 1 not in days:
            raise ValueError(
                f"{day.value} is the oldest day of the index, and can't be dropped: rebuild the wave index."
            )
        days[number] = Day(values.after(days[number - 1].value))
    return replace(record, days=days)


def _unknown_days(record: WaveRecord | None, drop: Collection[str]) -> list[str]:
    """Days to drop that the index does not have, or no longer, as in a run that is repeated."""
    if record is None:
        return list(drop)
    days, there, values = dict(record.days), set(), values_of(record)
    is_right_since = any(day.value not in drop for day in days.values())
    for number in sorted(number for number, day in days.items() if day.value in drop):
        day, before = days[number], days.get(number - 1)
        # The oldest day has none before it: it cannot be dropped, and leaves the index next.
        days[number] = Day(values.after(before.value) if before else day.value)
        if day != days[number] or not (before or is_right_since):
            there.add(day.value)
    return [value for value in drop if value not in there]


def day_in_the_way(record: WaveRecord, late: Sequence[Day]) -> str | None:
    """The day that a user has to drop, if it is wrong, so that the first late day can still be loaded.

    It is the newest later day that has rows. If none has rows, it is the first later day: dropping it moves the others.
    None if all late days precede the index, whose oldest day can't be dropped.
    """
    days = record.ordered
    oldest, *inside = (in_order(record.spec, day.value) for day in (days[0], *late))
    first = next((place for place in inside if place > oldest), None)
    if first is None:
        return None
    later = [day for day in days if in_order(record.spec, day.value) > first]
    return next((day for day in reversed(later) if day.rows), later[0]).value


def check_same(was: WaveSpec, now: WaveSpec) -> None:
    """Raise ``ValueError`` for a specification that does not continue another one."""
    for name in ("scheme", "window", "constituents"):
        if getattr(was.index, name) != getattr(now.index, name):
            raise ValueError(f"{name} was {getattr(was.index, name)} and is {getattr(now.index, name)}: {_REBUILD}")
    for name in ("day_column", "search_field", "columns"):
        if getattr(was, name) != getattr(now, name):
            raise ValueError(f"{name}: was {getattr(was, name)!r} and is {getattr(now, name)!r}: {_REBUILD}")


def _require_gaps(
    record: WaveRecord | None, spec: WaveSpec, values: DayValues, delivered: Sequence[Day], clock: Clock | None
) -> None:
    """Raise ``ValueError`` if days may be weeks or months: empty days between them would push them out."""
    known = record.ordered if record else []
    is_filled = all(values.distance(low.value, high.value) == 1 for low, high in pairwise(known))
    if is_filled and sum(day.rows > 0 for day in known) > 1:
        # The index already has places for the days between two with rows. After a single day, it was too early to ask.
        return
    new = [day for day in delivered if values.as_date(day.value) and not (clock and clock.is_ahead(values, day.value))]
    found = sorted({day.value for day in (*known, *new) if day.rows}, key=lambda value: in_order(spec, value))
    nearest = min((values.distance(*pair) for pair in pairwise(found)), default=0)
    # One of only two days may be a wrong date.
    if nearest >= _WEEK and (nearest <= _MONTH or len(found) > 2):
        raise ValueError(
            f"day_column {spec.day_column!r}: all days are {nearest} or more dates apart. Set gaps: skip if each "
            "follows the one before, as weeks and months do; gaps: empty if the dates between are days of the window."
        )
