"""Wave indexes of the unit tests: a specification, days that a source delivers, and the record after them."""

from __future__ import annotations

from datetime import date, timedelta

from deltawave.wave import WaveIndex
from deltawave.wave.execution import Naming
from deltawave.wave.pending import pending
from deltawave.wave.steps import step
from deltawave.wave.tables import Day, WaveRecord, WaveSpec

COLUMNS = (("day", "date"), ("supplier", "int"), ("words", "array<string>"))
SPEC = WaveSpec(WaveIndex("del", 4, 2), "in_place", "day", "supplier", COLUMNS)


def days(low: int, high: int, checksum: str = "") -> list[Day]:
    first = date(2026, 1, 1)
    return [
        Day(str(first + timedelta(days=number - 1)), 1_000_000, checksum or f"{number:016x}")
        for number in range(low, high + 1)
    ]


def after(spec: WaveSpec, last: int, first_load: int = 0) -> tuple[WaveRecord, list[str]]:
    """The record after so many days, and all statements until then."""
    record, statements, batch = None, [], 0
    deliveries = [
        days(1, first_load or 1),
        *(days(number, number) for number in range((first_load or 1) + 1, last + 1)),
    ]
    for delivered in deliveries:
        for work in pending(record, spec, delivered)[0]:
            if work.kind != "prepare" or (record is not None and record.pending):
                batch += 1
                made = step(record, spec, work, "(source)", Naming("shop", "sales", batch, "0123456789ab"))
                record, statements = made.record, [*statements, *made.statements, *made.drops]
    assert record is not None
    return record, statements
