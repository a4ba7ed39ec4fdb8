"""A transition: its statements write where no reader looks, then the view's text names the new tables and parts.

A plan's operations become statements under an update technique (WI 2.1).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any

from pyspark.sql import Row

from deltawave.sql_text import literal, quoted
from deltawave.wave import statements as sql
from deltawave.wave.operations import NO_DAYS, AddToIndex, Days, DeleteFromIndex, Operation, walked
from deltawave.wave.planner import start, transition
from deltawave.wave.run_plan import Work, check_same, emptied
from deltawave.wave.statements import changed_days, view_select
from deltawave.wave.tables import PART, Day, Part, Table, WaveRecord, WaveSpec, as_comment, named_parts

EMPTY = Table()


@dataclass(frozen=True)
class Change:
    """The change of an index on a day: the table that it starts from, and the days that leave and come."""

    base: Table = EMPTY
    removed: Days = NO_DAYS
    added: Days = NO_DAYS

    @property
    def staying(self) -> list[tuple[Part, Days]]:
        return [(part, days) for part in self.base.parts if (days := part.days - self.removed)]

    @property
    def staying_days(self) -> Days:
        return self.base.days - self.removed


@dataclass(frozen=True)
class Naming:
    """Names of the tables and parts that a run writes for a batch; ``attempt`` is the run's own."""

    schema: str
    model: str
    batch: int
    attempt: str

    def table(self, number: int) -> str:
        return quoted(self.schema, f"{self.model}__index{number}_{self.batch}_{self.attempt}")

    def part(self, number: int) -> str:
        return f"{self.batch}_{self.attempt}_{number}"


@dataclass
class Writer:
    """Collects the ``statements`` that write the indexes of a batch, in order. None changes what readers see.

    - ``before``: the wave index until now; ``after``: its days and specification from now on
    - ``source``: the relation that has the rows of ``new`` days
    - ``first``: the table and part into which each new day was written first
    - ``written``: the tables and parts that are written
    """

    before: WaveRecord
    after: WaveRecord
    source: str
    new: Days
    naming: Naming
    statements: list[str] = field(default_factory=list)
    first: dict[int, tuple[str, Part]] = field(default_factory=dict)
    written: list[tuple[str, Part]] = field(default_factory=list)
    _tables: int = 0
    _parts: int = 0

    def write(self, operations: Iterable[Operation]) -> dict[str, Table]:
        """The table of each index after the operations."""
        changes = changed(operations, self.before.tables)
        done = {change: self._table(change) for change in dict.fromkeys(changes.values())}
        return {name: done[change] for name, change in changes.items()}

    def _table(self, change: Change) -> Table:
        if not change.removed and not change.added:
            return change.base
        if not change.staying_days and not change.added:
            return EMPTY
        if self.after.spec.technique == "packed_shadow":
            rows = [sql.part_rows(self.before, change.base.name, part, days) for part, days in change.staying]
            days = change.staying_days | change.added
            name = self._new_table()
            return Table(name, (self._insert(name, days, [*rows, *self._rows(change.added)]),))
        is_seen = change.base.name in {table.name for table in self.before.constituents}
        is_new = not change.staying_days or (is_seen and self.after.spec.technique == "simple_shadow")
        name = self._new_table() if is_new else change.base.name
        parts = []
        for part, days in change.staying:
            if days == part.days and not is_new:
                parts.append(part)
            else:
                parts.append(self._insert(name, days, [sql.part_rows(self.before, change.base.name, part, days)]))
        return Table(name, (*parts, *self._added(name, change.added)))

    def _added(self, table: str, days: Days) -> list[Part]:
        """Write these days into one part; under DEL, which deletes days one by one, into a part for each."""
        if not days:
            return []
        groups = [frozenset({day}) for day in sorted(days)] if self.after.spec.index.scheme == "del" else [days]
        return [self._insert(table, group, self._rows(group)) for group in groups]

    def _rows(self, days: Days) -> list[str]:
        """Selects of the entries of days. A new day is read from the source the first time, then from its part."""
        fresh = days & self.new - self.first.keys()
        selects = [sql.source_rows(self.after, self.source, fresh)] if fresh else []
        found: dict[tuple[str, Part], set[int]] = {}
        for day in sorted(days - fresh):
            found.setdefault(self.first.get(day) or self.before.holding(day), set()).add(day)
        selects += [
            sql.part_rows(self.after, table, part, frozenset(part_days)) for (table, part), part_days in found.items()
        ]
        return selects

    def _new_table(self) -> str:
        self._tables += 1
        name = self.naming.table(self._tables)
        self.statements.append(sql.create_table(self.after.spec, name))
        return name

    def _insert(self, table: str, days: Days, selects: list[str]) -> Part:
        self._parts += 1
        part = Part(self.naming.part(self._parts), days)
        self.statements.append(sql.reserve_part(table, part.name))
        self.statements.append(sql.insert_part(self.after.spec, table, part.name, "\nunion all\n".join(selects)))
        self.written.append((table, part))
        for day in days & self.new - self.first.keys():
            self.first[day] = (table, part)
        return part


def changed(operations: Iterable[Operation], tables: Mapping[str, Table]) -> dict[str, Change]:
    """The changes that operations make to each index that exists after them."""

    def added(change: Change, operation: AddToIndex) -> Change:
        return replace(change, added=change.added | operation.days)

    def deleted(change: Change, operation: DeleteFromIndex) -> Change:
        removed = change.removed | (operation.days & change.base.days)
        return replace(change, removed=removed, added=change.added - operation.days)

    unchanged = {name: Change(table) for name, table in tables.items()}
    return walked(operations, unchanged, lambda operation: Change(added=operation.days), added, deleted)


def superseded(
    before: WaveRecord, tables: Mapping[str, Table], naming: Naming, prepares: bool = False
) -> tuple[Table, ...]:
    """Whole tables, and parts of tables, that were replaced and that readers may still read.

    Those that a run found stay until the next run. Those that it wrote itself stay only until it loads another day, so
    that a run of many days does not keep a copy for each.
    """
    held = named_parts(tables.values())
    is_same_run = before.run == naming.attempt
    found: dict[str, set[Part]] = {}
    for table in before.tables.values():
        found.setdefault(table.name, set()).update(part for part in table.parts if (table.name, part.name) not in held)
    for table in before.replaced:
        stay = (part for part in table.parts if is_same_run and (prepares or part.name.split("_")[1] != naming.attempt))
        found.setdefault(table.name, set()).update(stay)
    return tuple(
        Table(name, tuple(sorted(parts, key=lambda part: part.name))) for name, parts in sorted(found.items()) if parts
    )


def drops(before: WaveRecord, after: WaveRecord) -> list[str]:
    """Statements that drop tables and parts, with their files, that an earlier batch replaced and nobody reads now."""
    tables = set(after.table_names)
    readable = named_parts(after.replaced)
    found = []
    for table in before.replaced:
        if table.name in tables:
            dropped = [part.name for part in table.parts if (table.name, part.name) not in readable]
            found += [sql.drop_part(table.name, name) for name in dropped]
        else:
            found.append(f"drop table if exists {table.name}")
    return found


def leftover_tables(record: WaveRecord, schema: str, model: str, names: Iterable[str], batch: int) -> Iterator[str]:
    """Statements that drop tables of batches up to ``batch``; ``names``: of the tables in the catalog."""
    known = {name.lower() for name in record.table_names}
    for name in names:
        found = re.fullmatch(rf"{re.escape(model.lower())}__index\d+_(\d+)_[0-9a-f]{{12}}", name.lower())
        table = f"{quoted(schema)}.{quoted(name)}"
        if found and int(found.group(1)) <= batch and table.lower() not in known:
            yield f"drop table if exists {table}"


def leftover_parts(record: WaveRecord, partitions: Mapping[str, Iterable[str]], batch: int) -> Iterator[str]:
    """Statements that drop parts of batches up to ``batch``, since another run may be writing those of later ones.

    ``partitions``: of each table in the catalog.
    """
    known = named_parts((*record.tables.values(), *record.replaced))
    for table, names in partitions.items():
        for name in names:
            part = name.removeprefix(f"{PART}=")
            if (table, part) not in known and int(part.partition("_")[0]) <= batch:
                yield sql.drop_part(table, part)


# A metastore in Derby, like Spark's embedded one, keeps 32,700; a decision's own record takes some hundred of them.
MOST_TEXT = 32_000
_ATTEMPT = "0" * 12


@dataclass(frozen=True)
class Step:
    """A transition.

    - ``statements``: they write tables and parts that no reader looks at
    - ``record``: the wave index after it
    - ``drops``: statements to run once readers have the new view: they remove what was replaced before
    - ``changed_days``: the query of :func:`deltawave.wave.statements.changed_days`; none if nothing is written
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
    elif work.kind in ("replace", "drop", "erase"):
        numbers = {day.value: number for number, day in before.days.items()}
        days |= {numbers[day.value]: day for day in work.days}
        new = frozenset(numbers[day.value] for day in work.days)
        if work.kind == "drop":
            days = dict(emptied(before, work.days[0].value).days)
            source = f"(select * from {source} limit 0)"
        operations = tuple(
            operation
            for name, table in before.tables.items()
            if (own := new & table.days)
            for operation in (DeleteFromIndex(name, own), AddToIndex(name, own))
        )
    elif work.kind != "show":
        plan = start(spec.index, len(work.days)) if work.kind == "start" else transition(spec.index, before.state)
        operations, left, number = plan.transition, plan.preparation, plan.day
        new = frozenset(range(number - len(work.days) + 1, number + 1))
        days |= dict(zip(sorted(new), work.days, strict=True))
    after = replace(before, spec=spec, state_day=number, days=days, pending=left, run=naming.attempt)
    writer = Writer(before, after, source, new, naming)
    tables = writer.write(operations)
    replaced = superseded(seen, tables, naming, work.kind in ("prepare", "show"))
    if work.kind == "erase":
        # What was replaced goes at once, also if readers still have it.
        seen, replaced = replace(seen, replaced=(*seen.replaced, *replaced)), ()
    after = replace(after, tables=tables, replaced=replaced)
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
