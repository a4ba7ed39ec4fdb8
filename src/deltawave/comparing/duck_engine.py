"""Tables that DuckDB reads, compared by DuckDB."""

from collections.abc import Callable, Sequence
from typing import Any

import duckdb

from deltawave.comparing.columns import Column, Fields, compared, keys_of
from deltawave.comparing.dialects import DuckDialect, quoted
from deltawave.comparing.engine import Engine
from deltawave.comparing.equality import cell, differs, is_equal
from deltawave.comparing.kinds import Kind, array, map_of, struct
from deltawave.sides import SIDES, Side

# By DuckDB's names; other names are the same.
_IN_SPARK = {
    "bit": "bit",
    "blob": "binary",
    "enum": "string",
    "integer": "int",
    "interval": "interval",
    "null": "void",
    "timestamp": "timestamp_ntz",
    "timestamp with time zone": "timestamp",
    "timestamp_ms": "timestamp_ntz",
    "timestamp_s": "timestamp_ntz",
    "uinteger": "uint",
    "varchar": "string",
}
# A column with more values among so many rows has more in the table. An estimate may be a quarter too large.
_SAMPLE = 20_000
_MARGIN = 1.25
_MOST_EXACT = 60


def kind_of(type_: Any) -> Kind:
    """DuckDB's type by its name in Spark."""
    identity = type_.id
    if identity == "decimal":
        (_, precision), (_, scale) = type_.children
        return Kind(f"decimal({precision},{scale})")
    if identity in ("list", "array"):
        return array(kind_of(type_.children[0][1]))
    if identity == "map":
        return map_of(*(kind_of(each) for _, each in type_.children))
    if identity == "struct":
        return struct((name, kind_of(each)) for name, each in type_.children)
    return Kind(_IN_SPARK.get(identity, identity))


def _comparable(value: str, type_: Any, depth: int = 0) -> str:
    """A value that is the same for equal ones: the entries of a map have an order."""
    identity = type_.id
    if "map<" not in kind_of(type_).name:
        return value
    each = f"e{depth}"
    if identity in ("list", "array"):
        return f"list_transform({value}, lambda {each}: {_comparable(each, type_.children[0][1], depth + 1)})"
    if identity == "map":
        (_, key), (_, of_key) = type_.children
        parts = (_comparable(f"{each}.{name}", part, depth + 1) for name, part in (("key", key), ("value", of_key)))
        key_part, value_part = parts
        entry = f"struct_pack(key := {key_part}, value := {value_part})"
        return f"list_sort(list_transform(map_entries({value}), lambda {each}: {entry}))"
    fields = ", ".join(
        f"{quoted(name)} := {_comparable(f'struct_extract({value}, {DuckEngine.dialect.literal(name)})', part, depth)}"
        for name, part in type_.children
    )
    return f"case when {value} is null then null else struct_pack({fields}) end"


class DuckEngine(Engine):
    """Tables are copied into temporary ones, which DuckDB writes to disk where its memory is short.

    Not those that are read by columns as fast as a copy. CSV is not: 2,000,000 rows of 12 columns took 9.1 s of CPU,
    and 8.9 s when they were paired as they were read, and only the columns that later statements need were copied then.
    Without any copy, 400,000 rows took 1.4 times the CPU.
    """

    dialect = DuckDialect()
    pairs = "pairs"

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self.fields: dict[Side, Fields] = {}
        self._values: dict[Side, list[str]] = {}
        self._numbers: dict[Side, int] = {}
        self.columns: Sequence[Column] = ()

    def load(self, side: Side, select: str, names: Sequence[str] | None = None, *, is_columnar: bool = False) -> None:
        """Take the rows of a select for a table.

        - ``names``: what its columns are called, where it can't have these names
        - ``is_columnar``: whether it is read each time, instead of copied

        Raises ``ValueError`` if two columns have one name.
        """
        described = self._connection.execute(f"select * from ({select}) limit 0").description or []
        own = [each[0] for each in described]
        if names and len(names) != len(own):
            names = None
        cells = ", ".join(f"{quoted(name)} as c{place}" for place, name in enumerate(own))
        kind = "view" if is_columnar else "table"
        self._connection.execute(f"create or replace temp {kind} {self.table(side)} as select {cells} from ({select})")
        ((self._numbers[side],),) = self.rows(f"select count(*) from {self.table(side)}")
        types = [each[1] for each in described]
        self.fields[side] = dict(zip(names or own, map(kind_of, types), strict=True))
        if len(self.fields[side]) < len(own):
            raise ValueError(f"The {side} table has two columns of the same name: rename one.")
        self._values[side] = [_comparable(f"c{place}", each) for place, each in enumerate(types)]

    def drop_empty(self, side: Side, may_drop: Callable[[str], bool]) -> list[str]:
        """Leave out the last columns, if they have no values, and return their names."""
        dropped: list[str] = []
        names = list(self.fields[side])
        while names and may_drop(names[-1]):
            ((filled,),) = self.rows(f"select count(c{len(names) - 1}) from {self.table(side)}")
            if filled:
                break
            dropped.append(names.pop())
        self.fields[side] = {name: self.fields[side][name] for name in names}
        return dropped

    def rows(self, select: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(select).fetchall()

    def table(self, side: Side) -> str:
        return f"{side}_table"

    def values(self, side: Side) -> list[str]:
        return self._values[side]

    def pair(self, columns: Sequence[Column]) -> None:
        self.columns = columns
        in_both = "(is_old is not null and is_new is not null)"
        marks = [f"{in_both} and not {is_equal(each, self.dialect)} as {differs(each)}" for each in compared(columns)]
        marked = f"select {', '.join(['*', *marks])} from {self._joined('full')}"
        kind = "case when is_new is null then 'only_old' when is_old is null then 'only_new' else 'changed' end"
        is_unlike = " or ".join(["is_old is null", "is_new is null", *map(differs, compared(columns))])
        self._connection.execute(
            f"create or replace temp table {self.pairs} as "
            f"select * exclude (is_old, is_new), {kind} as kind from ({marked}) where {is_unlike}"
        )

    def _joined(self, kind: str) -> str:
        """A relation of the cells of both tables, side by side."""
        keys = [cell(column, "old") for column in keys_of(self.columns)]
        same = " and ".join(f"old_side.{key} is not distinct from new_side.{key}" for key in keys)
        either = ", ".join(f"coalesce(old_side.{key}, new_side.{key}) as {key}" for key in keys)
        sides = {side: f"(select true as is_{side}, * from {self.cells(side)}) as {side}_side" for side in SIDES}
        hidden = f"exclude ({', '.join(keys)})"
        return (
            f"(select {either}, old_side.* {hidden}, new_side.* {hidden} "
            f"from {sides['old']} {kind} join {sides['new']} on {same})"
        )

    def counted(self, columns: Sequence[Column]) -> dict[Side, tuple[int, int]]:
        # Rows that are told apart by a number have no key to be repeated.
        if not all(column.places for column in keys_of(columns)):
            return {side: (self._numbers[side], 0) for side in SIDES}
        ((old,),) = self.rows(f"select count(*) from {self.repeated('old', columns)}")
        kinds = ", ".join(f"count(*) filter (kind = 'only_{side}')" for side in SIDES)
        ((only_old, only_new),) = self.rows(f"select {kinds} from {self.pairs}")
        matched = self._numbers["old"] - only_old, self._numbers["new"] - only_new
        # If each key of the old table is one row, and as many rows match it, no key that matches is repeated.
        is_one_to_one = not old and matched[0] == matched[1]
        alone = f"(select * from {self.pairs} where kind = 'only_new')"
        repeated = self._repeated("new", columns, alone if is_one_to_one else self.cells("new"))
        ((new,),) = self.rows(f"select count(*) from {repeated}")
        return {"old": (self._numbers["old"], old), "new": (self._numbers["new"], new)}

    def repeated(self, side: Side, columns: Sequence[Column]) -> str:
        return self._repeated(side, columns, self.cells(side))

    @staticmethod
    def _repeated(side: Side, columns: Sequence[Column], cells: str) -> str:
        keys = ", ".join(cell(column, side) for column in keys_of(columns))
        return f"(select {keys} from {cells} group by {keys} having count(*) > 1)"

    def cells(self, side: Side) -> str:
        return f"({self.source(self.columns, side)})"

    def matched(self) -> str:
        return self._joined("inner")

    def distinct_values(self, columns: Sequence[Column], most: int) -> dict[int, int]:
        # To count exactly takes long for hundreds of columns: few rows spare most of them.
        estimates = self._counted_values(columns, "approx_count_distinct(", f" limit {_SAMPLE}")
        few = sorted(
            (column for column in columns if estimates[column.number] <= _MARGIN * most),
            key=lambda column: estimates[column.number],
        )
        return {**estimates, **self._counted_values(few[:_MOST_EXACT], "count(distinct ", "")}

    def _counted_values(self, columns: Sequence[Column], function: str, limit: str) -> dict[int, int]:
        """How many values each column has, the more of both tables, by an aggregate function, up to its argument."""
        found: dict[int, int] = {}
        for side in SIDES if columns else ():
            counts = ", ".join(f"{function}{cell(column, side)})" for column in columns)
            (values,) = self.rows(f"select {counts} from (select * from {self.cells(side)}{limit})")
            for column, number in zip(columns, values, strict=True):
                found[column.number] = max(found.get(column.number, 0), number)
        return found
