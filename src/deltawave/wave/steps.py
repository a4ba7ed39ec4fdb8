"""A transition: its statements write where no reader looks, then the view's text names the new tables and parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from deltawave.wave.day_checksum import changed_days
from deltawave.wave.execution import Naming, Writer, drops, superseded
from deltawave.wave.operations import NO_DAYS, AddToIndex, DeleteFromIndex, Operation
from deltawave.wave.pending import Work, check_same, emptied
from deltawave.wave.planner import start, transition
from deltawave.wave.statements import view_select
from deltawave.wave.tables import WaveRecord, WaveSpec


@dataclass(frozen=True)
class Step:
    """A transition: its statements, its result, and the cleaning after it.

    - ``statements``: they write tables and parts that no reader looks at
    - ``record``: the wave index after it
    - ``changed_days``: a query for days whose written rows differ from those that were expected (see
      :func:`deltawave.wave.day_checksum.changed_days`); none if nothing is written
    - ``drops``: statements to run once readers have the new view: they remove what was replaced before
    """

    statements: tuple[str, ...]
    record: WaveRecord
    drops: tuple[str, ...]
    changed_days: str | None

    def view(self, mark: Mapping[str, Any]) -> str:
        """The text of the view after it."""
        return view_select(self.record, dict(mark))


def step(
    record: WaveRecord | None,
    spec: WaveSpec,
    work: Work,
    source: str,
    naming: Naming,
    former: WaveRecord | None = None,
) -> Step:
    """A transition; ``source`` is the relation that has the rows of the work's days.

    ``former``: the wave index that readers see until then, if ``record`` is none because it is built anew. Raises
    ``ValueError`` for a specification that does not continue the record's.
    """
    if record is not None:
        # The source may have changed since the run asked for the pending work.
        check_same(record.spec, spec)
    before = record or WaveRecord(spec)
    seen = record or former or before
    index = spec.index
    operations: tuple[Operation, ...]
    left: tuple[Operation, ...] = ()
    new, number, days = NO_DAYS, before.state_day, dict(before.days)
    if work.kind == "show":
        operations, left = (), before.pending
    elif work.kind == "prepare":
        operations = before.pending
    elif work.kind in ("replace", "drop"):
        changed = next(each for each, day in before.days.items() if day.value == work.days[0].value)
        new = frozenset({changed})
        days[changed] = work.days[0]
        if work.kind == "drop":
            days = dict(emptied(before, [work.days[0].value]).days)
            source = f"(select * from {source} limit 0)"
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
        days |= dict(zip(sorted(new), work.days, strict=True))
    after = replace(before, spec=spec, state_day=number, days=days, pending=left, run=naming.attempt)
    writer = Writer(before, after, source, new, naming)
    tables = writer.write(operations)
    after = replace(after, tables=tables, replaced=superseded(seen, tables, naming, work.kind in ("prepare", "show")))
    indexed = after.indexed | {number}
    after = replace(after, days={each: day for each, day in days.items() if each in indexed})
    asked = changed_days(after, new, writer.first, writer.written) if writer.written else None
    return Step(tuple(writer.statements), after, tuple(drops(seen, after)), asked)
