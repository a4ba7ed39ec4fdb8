"""Wave indexes of the unit tests: a specification, days that a source delivers, and the record after them."""

from collections.abc import Collection, Iterable, Sequence
from datetime import date, timedelta
from itertools import count

from deltawave.wave import WaveIndex
from deltawave.wave.operations import AddToIndex, BuildIndex, Operation
from deltawave.wave.run_plan import Work, plan_run
from deltawave.wave.steps import Naming, step
from deltawave.wave.tables import Day, WaveRecord, WaveSpec

COLUMNS = (("day", "date"), ("supplier", "int"), ("words", "array<string>"))
SPEC = WaveSpec(WaveIndex("del", 4, 2), "in_place", "day", "supplier", COLUMNS)
_BATCHES = count(1)


def days(low: int, high: int, checksum: str = "") -> list[Day]:
    first = date(2026, 1, 1)
    return [
        Day(str(first + timedelta(days=number - 1)), 1_000_000, checksum or f"{number:016x}")
        for number in range(low, high + 1)
    ]


def days_indexed(operations: Iterable[Operation]) -> int:
    """How many days operations index, by BuildIndex or AddToIndex; a day counts each time."""
    return sum(len(each.days) for each in operations if isinstance(each, BuildIndex | AddToIndex))


def naming(run: str = "0123456789ab") -> Naming:
    """Names of a batch that no other has."""
    return Naming("shop", "sales", next(_BATCHES), run)


def pending(
    record: WaveRecord | None, spec: WaveSpec, delivered: Sequence[Day], gaps: str = "skip", drop: Collection[str] = ()
) -> tuple[list[Work], list[Day]]:
    """The transitions of a run that accepts each day, and the days that come too late for it."""
    plan = plan_run(record, spec, delivered, gaps, drop, accept=True)
    return plan.works, plan.late


def carried_out(
    record: WaveRecord | None, spec: WaveSpec, works: Sequence[Work], run: str = "0123456789ab"
) -> tuple[WaveRecord, list[str]]:
    """The record after these transitions, and their statements."""
    statements: list[str] = []
    for work in works:
        if work.kind != "prepare" or (record is not None and record.pending):
            made = step(record, spec, work, "(source)", naming(run))
            record, statements = made.record, [*statements, *made.statements, *made.drops]
    assert record is not None
    return record, statements


def loaded(
    record: WaveRecord | None, spec: WaveSpec, delivered: Sequence[Day], gaps: str = "skip", drop: Collection[str] = ()
) -> WaveRecord:
    """The record after a run that accepts each day."""
    return carried_out(record, spec, pending(record, spec, delivered, gaps, drop)[0])[0]


def after(spec: WaveSpec, last: int, first_load: int = 1) -> tuple[WaveRecord, list[str]]:
    """The record after so many days, and all statements until then."""
    record, statements = carried_out(None, spec, pending(None, spec, days(1, first_load))[0])
    for number in range(first_load + 1, last + 1):
        record, more = carried_out(record, spec, pending(record, spec, days(number, number))[0])
        statements += more
    return record, statements
