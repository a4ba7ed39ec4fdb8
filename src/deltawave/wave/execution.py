"""From a plan's operations to the statements that write them, under an update technique (WI 2.1)."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from deltawave.sql_text import quoted
from deltawave.wave import statements as sql
from deltawave.wave.operations import NO_DAYS, AddToIndex, Days, DeleteFromIndex, Operation, walked
from deltawave.wave.tables import PART, Part, Table, WaveRecord, named_parts

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
            found.setdefault(self.first.get(day) or self._holding(day), set()).add(day)
        selects += [
            sql.part_rows(self.after, table, part, frozenset(part_days)) for (table, part), part_days in found.items()
        ]
        return selects

    def _holding(self, day: int) -> tuple[str, Part]:
        tables = [*self.before.constituents, *self.before.tables.values()]
        return next((table.name, part) for table in tables for part in table.parts if day in part.days)

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
