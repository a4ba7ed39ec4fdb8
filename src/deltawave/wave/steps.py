"""What a run does to a wave index: which days are to be taken, and the step of each.

A step is one transition: its statements write where no reader looks, and the view's text shows what they wrote.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from deltawave.wave.day_checksum import changed_days
from deltawave.wave.execution import Naming, Writer, drops, superseded
from deltawave.wave.operations import NO_DAYS, AddToIndex, DeleteFromIndex, Operation
from deltawave.wave.planner import start, transition
from deltawave.wave.statements import view_select
from deltawave.wave.tables import Day, WaveRecord, WaveSpec

_REBUILD = "build the wave index anew, or set it back."
# With gaps: empty, a wrong date far ahead would be preceded by as many days without rows.
MOST_WINDOWS = 10
GAPS = ("skip", "empty", "fail")


@dataclass(frozen=True)
class Work:
    """One transition to be made.

    - ``kind``: ``prepare`` (what the last day left to do), ``start`` (the first days, up to W, at once), ``take`` (a
      new day) or ``replace`` (a day that was delivered again)
    - ``days``: what the source has of these days
    """

    kind: str
    days: tuple[Day, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As values of JSON."""
        return {"kind": self.kind, "days": [vars(day) for day in self.days]}

    @staticmethod
    def from_json(told: Mapping[str, Any]) -> Work:
        """What :meth:`to_json` gave."""
        return Work(told["kind"], tuple(Day(**day) for day in told["days"]))


@dataclass(frozen=True)
class Step:
    """A transition: what writes it, what it leads to, and what it made superfluous.

    - ``statements``: they write tables and parts that no reader looks at
    - ``record``: the wave index after it
    - ``changed_days``: a query for new days that were written otherwise than they were counted; none if it takes none
    - ``drops``: statements for afterwards, when readers have the new view: they remove what was replaced before
    """

    statements: tuple[str, ...]
    record: WaveRecord
    drops: tuple[str, ...]
    changed_days: str | None

    def view(self, mark: Mapping[str, Any]) -> str:
        """The text of the view that shows it."""
        return view_select(self.record, dict(mark))


def pending(
    record: WaveRecord | None, spec: WaveSpec, delivered: Sequence[Day], gaps: str = "skip"
) -> tuple[list[Work], list[Day]]:
    """The transitions that a run has to make, in order, and the days that come too late for any.

    - ``record``: none for a new wave index
    - ``delivered``: the days that the source has, with their checksums
    - ``gaps``: whether days without a batch count as days of the window: ``skip`` (no), ``empty`` (yes, as days without
      rows) or ``fail``

    A day of the index whose checksum differs is replaced; one that lies between its days, or before them while the
    window grows, comes too late; older ones have left the window. Raises ``ValueError`` for ``gaps`` that can't be,
    gaps where they are not allowed, and a specification that does not continue the record's.
    """
    if gaps not in GAPS:
        raise ValueError(f"gaps {gaps!r}: take one of {', '.join(GAPS)}.")
    ordered = sorted(delivered, key=lambda day: in_order(spec, day.value))
    if record is None:
        days = _with_gaps(spec, ordered, None, gaps)
        window = spec.index.window
        # Days before the window would have left it by now.
        return _begun(days[-window:], spec), []
    _check_same(record.spec, spec)
    indexed = _indexed(record)
    known = {day.value: day for number, day in record.days.items() if number in indexed}
    oldest, newest = (in_order(spec, record.days[number].value) for number in (min(indexed), record.state_day))
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
    work += [Work("replace", (day,)) for day in again]
    work += _taken(_with_gaps(spec, new, record.days[record.state_day].value, gaps), spec)
    return work, late


def shrunken(record: WaveRecord | None, works: Iterable[Work]) -> list[str]:
    """The days that would be replaced by less than half their rows: a part of a day looks like a day that changed."""
    known = {day.value: day.rows for day in record.days.values()} if record else {}
    return [
        f"{day.value} ({known[day.value]} rows, now {day.rows})"
        for work in works
        if work.kind == "replace"
        for day in work.days
        if day.rows < known[day.value] / 2
    ]


def in_order(spec: WaveSpec, value: str) -> Any:
    """A value of the day column as it is ordered."""
    return int(value) if spec.day_type not in ("date", "string") else value


def step(
    record: WaveRecord | None,
    spec: WaveSpec,
    work: Work,
    source: str,
    naming: Naming,
    former: WaveRecord | None = None,
) -> Step:
    """A transition; ``source`` is the relation that has the rows of the work's days.

    ``former``: what readers see until then, if ``record`` is none because the wave index is built anew.
    """
    before = record or WaveRecord(spec)
    seen = record or former or before
    index = spec.index
    operations: tuple[Operation, ...]
    left: tuple[Operation, ...] = ()
    new, number = NO_DAYS, before.state_day
    if work.kind == "prepare":
        operations = before.pending
    elif work.kind == "replace":
        changed = work.days[0]
        number_of = next(each for each, day in before.days.items() if day.value == changed.value)
        new = frozenset({number_of})
        operations = tuple(
            operation
            for name, table in before.tables.items()
            if new <= table.days
            for operation in (DeleteFromIndex(name, new), AddToIndex(name, new))
        )
        left = before.pending
    else:
        plan = start(index, len(work.days)) if work.kind == "start" else transition(index, before.state)
        operations, left, number = plan.transition, plan.preparation, plan.day
        new = frozenset(range(number - len(work.days) + 1, number + 1))
    days = {**before.days, **dict(zip(sorted(new), work.days, strict=True))}
    after = replace(before, spec=spec, state_day=number, days=days, pending=left, run=naming.attempt)
    writer = Writer(before, after, source, new, naming)
    tables = writer.write(operations)
    after = replace(after, tables=tables, replaced=superseded(seen, tables, naming, work.kind == "prepare"))
    indexed = _indexed(after)
    after = replace(after, days={each: day for each, day in days.items() if each in indexed or each == number})
    asked = changed_days(after, new, writer.written) if new else None
    return Step(tuple(writer.statements), after, tuple(drops(seen, after)), asked)


def _check_same(was: WaveSpec, now: WaveSpec) -> None:
    for name in ("scheme", "window", "constituents"):
        if getattr(was.index, name) != getattr(now.index, name):
            raise ValueError(f"{name} was {getattr(was.index, name)} and is {getattr(now.index, name)}: {_REBUILD}")
    for name in ("day_column", "search_field", "columns"):
        if getattr(was, name) != getattr(now, name):
            raise ValueError(f"{name}: was {getattr(was, name)!r} and is {getattr(now, name)!r}: {_REBUILD}")


def _begun(days: Sequence[Day], spec: WaveSpec) -> list[Work]:
    """One transition, so that readers of an index that is built anew never see a part of its days."""
    if not days:
        return []
    return _prepared([Work("start", tuple(days))], spec)


def _taken(days: Sequence[Day], spec: WaveSpec) -> list[Work]:
    return _prepared([Work("take", (day,)) for day in days], spec)


def _prepared(works: Sequence[Work], spec: WaveSpec) -> list[Work]:
    """Each with the preparation that may follow it; one that has nothing to do is left out when its turn comes."""
    if not spec.index.rules.has_temporaries:
        return list(works)
    return [each for work in works for each in (work, Work("prepare"))]


def _indexed(record: WaveRecord) -> frozenset[int]:
    return frozenset().union(*(table.days for table in record.tables.values()))


def _differs(day: Day, known: Day) -> bool:
    return (day.rows, day.checksum) != (known.rows, known.checksum)


def _with_gaps(spec: WaveSpec, days: Sequence[Day], last: str | None, gaps: str) -> list[Day]:
    """The days with those that are missing before each, as far as they count."""
    if gaps == "skip":
        return list(days)
    if spec.day_type == "string":
        raise ValueError(f"gaps: {gaps} needs a day_column of dates or whole numbers; {spec.day_column} is a text.")
    found: list[Day] = []
    for day in days:
        count = 0 if last is None else _distance(spec, last, day.value) - 1
        if count > MOST_WINDOWS * spec.index.window:
            raise ValueError(
                f"{day.value} comes {count + 1:,} days after {last}, more than {MOST_WINDOWS} windows: a wrong date? "
                "Correct it at the source, or leave it out of the select."
            )
        missing = _between(spec, str(last), count)
        if missing and gaps == "fail":
            raise ValueError(
                f"There is no batch of {missing[0]}, which comes before {day.value}; gaps: fail asks for all."
            )
        found += [Day(value) for value in missing]
        found.append(day)
        last = day.value
    return found


def _distance(spec: WaveSpec, low: str, high: str) -> int:
    if spec.day_type == "date":
        return (date.fromisoformat(high) - date.fromisoformat(low)).days
    return int(high) - int(low)


def _between(spec: WaveSpec, low: str, count: int) -> list[str]:
    if spec.day_type == "date":
        return [str(date.fromisoformat(low) + timedelta(days=number)) for number in range(1, count + 1)]
    return [str(int(low) + number) for number in range(1, count + 1)]
