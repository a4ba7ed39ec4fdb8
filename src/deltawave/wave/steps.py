"""A transition: its statements write where no reader looks, then the view's text names the new tables and parts."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from pyspark.sql import Row

from deltawave.sql_text import literal
from deltawave.wave.day_checksum import changed_days
from deltawave.wave.execution import Naming, Writer, drops, superseded
from deltawave.wave.operations import NO_DAYS, AddToIndex, DeleteFromIndex, Operation
from deltawave.wave.planner import start, transition
from deltawave.wave.run_plan import Work, check_same, emptied
from deltawave.wave.statements import view_select
from deltawave.wave.tables import Day, WaveRecord, WaveSpec, as_comment

# A metastore in Derby, like Spark's embedded one, keeps 32,700; a decision's own record takes some hundred of them.
MOST_TEXT = 32_000
_ATTEMPT = "0" * 12


@dataclass(frozen=True)
class Step:
    """A transition.

    - ``statements``: they write tables and parts that no reader looks at
    - ``record``: the wave index after it
    - ``drops``: statements to run once readers have the new view: they remove what was replaced before
    - ``changed_days``: the query of :func:`deltawave.wave.day_checksum.changed_days`; none if nothing is written
    - ``select``: the text of the view that readers see from then on, with the record
    """

    statements: tuple[str, ...]
    record: WaveRecord
    drops: tuple[str, ...]
    changed_days: str | None
    select: str

    @property
    def part_drops(self) -> list[str]:
        """Those of ``drops`` that remove parts of tables that stay."""
        return [text for text in self.drops if text.startswith("alter table")]


def step(
    record: WaveRecord | None, spec: WaveSpec, work: Work, source: str, naming: Naming, shown: WaveRecord | None = None
) -> Step:
    """A transition; ``source`` is the relation that has the rows of the work's days.

    ``shown``: the wave index that readers see until then, if ``record`` is none because it is rebuilt. Raises
    ``ValueError`` for a specification that does not continue the record's.
    """
    if record is not None:
        # The source may have changed since the run was planned.
        check_same(record.spec, spec)
    before = record or WaveRecord(spec)
    seen = record or shown or before
    operations: tuple[Operation, ...] = ()
    left, new, number, days = before.pending, NO_DAYS, before.state_day, dict(before.days)
    if work.kind == "prepare":
        operations, left = before.pending, ()
    elif work.kind in ("replace", "drop"):
        changed = next(each for each, day in before.days.items() if day.value == work.days[0].value)
        new = frozenset({changed})
        days[changed] = work.days[0]
        if work.kind == "drop":
            days = dict(emptied(before, work.days[0].value).days)
            source = f"(select * from {source} limit 0)"
        operations = tuple(
            operation
            for name, table in before.tables.items()
            if new <= table.days
            for operation in (DeleteFromIndex(name, new), AddToIndex(name, new))
        )
    elif work.kind != "show":
        plan = start(spec.index, len(work.days)) if work.kind == "start" else transition(spec.index, before.state)
        operations, left, number = plan.transition, plan.preparation, plan.day
        new = frozenset(range(number - len(work.days) + 1, number + 1))
        days |= dict(zip(sorted(new), work.days, strict=True))
    after = replace(before, spec=spec, state_day=number, days=days, pending=left, run=naming.attempt)
    writer = Writer(before, after, source, new, naming)
    tables = writer.write(operations)
    after = replace(after, tables=tables, replaced=superseded(seen, tables, naming, work.kind in ("prepare", "show")))
    # The days that some index has, temporary ones included.
    indexed = frozenset({number}).union(*(table.days for table in tables.values()))
    after = replace(after, days={each: day for each, day in days.items() if each in indexed})
    query = changed_days(after, new, writer.first, writer.written) if writer.written else None
    select = view_select(after, {"batch_id": naming.batch, "attempt": naming.attempt})
    return Step(tuple(writer.statements), after, tuple(drops(seen, after)), query, select)


def written_days(rows: Iterable[Row]) -> dict[str, Any]:
    """The days whose written rows are not those that were expected, from the result of ``Step.changed_days``.

    - ``changed``: new days with another number of rows
    - ``damaged``: days that were copied within the index, and are not those that were recorded
    - ``checksums``: new days, with the checksums of the written rows
    """
    found = sorted(rows, key=lambda row: str(row["day"]))
    new = [row for row in found if not row["is_copied"]]
    return {
        "changed": [row["day"] for row in new if row["has_other_count"]],
        "damaged": list(dict.fromkeys(row["day"] for row in found if row["is_copied"])),
        "checksums": {row["day"]: row["checksum"] for row in new},
    }


def full_length(spec: WaveSpec, schema: str, model: str) -> int:
    """The characters of a decision when the window has grown to its W days, for names and days of usual lengths."""
    record, longest = WaveRecord(spec), 0
    for number in range(1, spec.index.window + 1):
        value = str(date(2000, 1, 1) + timedelta(days=number)) if spec.day_type == "date" else f"{number:08}"
        works = [Work("load", (Day(value, 1_000_000, "0" * 16),)), Work("prepare")]
        for batch, work in enumerate(works, 2 * number - 1):
            if work.kind == "load" or record.pending:
                made = step(record, spec, work, "", Naming(schema, model, batch, _ATTEMPT))
                record = made.record
                if number == spec.index.window:
                    # The decision's record has it as SQL text within JSON text.
                    longest = max(longest, len(literal(as_comment({"select": made.select}))))
    return longest
