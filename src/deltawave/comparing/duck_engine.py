"""Tables that DuckDB reads, compared by DuckDB."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
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
# A column with more values among so many rows has more in the table.
_SAMPLE = 20_000
# What DuckDB 2 and 1 call measures of an operator.
_MEASURES = {"type": ("type", "operator_type"), "rows": ("intermediate_rows", "operator_cardinality")}


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

    Not those that are read by columns as fast as a copy; nor, as long as once is enough, those of ``read_by``, whose
    copies take longer than the reading.
    """

    dialect = DuckDialect()
    pairs = "pairs"

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self.fields: dict[Side, Fields] = {}
        self._values: dict[Side, list[str]] = {}
        self._unread: dict[Side, Callable[[], object]] = {}
        # How many rows the join of the tables gave, and how many it took, if DuckDB has measured it.
        self._joined: tuple[int, int] | None = None
        self.columns: Sequence[Column] = ()

    def load(
        self,
        side: Side,
        select: str,
        names: Sequence[str] | None = None,
        *,
        is_columnar: bool = False,
        read_by: Callable[[], object] | None = None,
    ) -> None:
        """Take the rows of a select for a table.

        - ``names``: what its columns are called, where it can't have these names
        - ``is_columnar``: whether it is read each time, instead of copied
        - ``read_by``: loads the table again, as a copy; until then it is read each time

        Raises ``ValueError`` if two columns have one name.
        """
        described = self._connection.execute(f"select * from ({select}) limit 0").description or []
        own = [each[0] for each in described]
        if names and len(names) != len(own):
            names = None
        cells = ", ".join(f"{quoted(name)} as c{place}" for place, name in enumerate(own))
        kind = "view" if is_columnar or read_by else "table"
        if side in self._unread:
            self._connection.execute(f"drop view {self.table(side)}")
            del self._unread[side]
        self._connection.execute(f"create or replace temp {kind} {self.table(side)} as select {cells} from ({select})")
        if read_by:
            self._unread[side] = read_by
        types = [each[1] for each in described]
        self.fields[side] = dict(zip(names or own, map(kind_of, types), strict=True))
        if len(self.fields[side]) < len(own):
            raise ValueError(f"The {side} table has two columns of the same name: rename one.")
        self._values[side] = [_comparable(f"c{place}", each) for place, each in enumerate(types)]

    def read(self) -> None:
        for read in list(self._unread.values()):
            read()

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
        marked = f"select {', '.join(['*', *marks])} from {self._side_by_side('full')}"
        kind = "case when is_new is null then 'only_old' when is_old is null then 'only_new' else 'changed' end"
        is_unlike = " or ".join(["is_old is null", "is_new is null", *map(differs, compared(columns))])
        create = (
            f"create or replace temp table {self.pairs} as "
            f"select * exclude (is_old, is_new), {kind} as kind from ({marked}) where {is_unlike}"
        )
        try:
            self._joined = self._measured(create)
        except duckdb.Error:
            if not self._unread:
                raise
            # Tables that are read one by one tell what is wrong with which file.
            self.read()
            self._joined = self._measured(create)

    def _measured(self, statement: str) -> tuple[int, int] | None:
        """Execute a statement with a join; return how many rows this gave and took, None where DuckDB does not say."""
        self._connection.execute("set enable_profiling = 'no_output'")
        try:
            self._connection.execute(statement)
            profile = json.loads(self._connection.get_profiling_information())
        finally:
            self._connection.execute("reset enable_profiling")
        joins = [each for each in _operators(profile) if _measure(each, "type", "").endswith("JOIN")]
        if len(joins) != 1 or len(joins[0].get("children", ())) != 2:
            return None
        given, *taken = (_measure(each, "rows", None) for each in (joins[0], *joins[0]["children"]))
        return None if given is None or None in taken else (given, sum(taken))

    def _side_by_side(self, kind: str) -> str:
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
            return {side: (self._number(self.table(side)), 0) for side in SIDES}
        alone = {side: f"(select * from {self.pairs} where kind = 'only_{side}')" for side in SIDES}
        only = {side: self._number(relation) for side, relation in alone.items()}
        if self._joined:
            given, taken = self._joined
            pairs = given - sum(only.values())
            # Of each table, no more rows than pairs have a partner. As many of both: no key of a pair is repeated.
            if taken == 2 * pairs + sum(only.values()):
                return {
                    side: (pairs + only[side], self._number(self._repeated(side, columns, alone[side])))
                    for side in SIDES
                }
        return {side: (self._number(self.table(side)), self._number(self.repeated(side, columns))) for side in SIDES}

    def _number(self, relation: str) -> int:
        ((number,),) = self.rows(f"select count(*) from {relation}")
        return int(number)

    def repeated(self, side: Side, columns: Sequence[Column]) -> str:
        return self._repeated(side, columns, self.cells(side))

    @staticmethod
    def _repeated(side: Side, columns: Sequence[Column], cells: str) -> str:
        keys = ", ".join(cell(column, side) for column in keys_of(columns))
        return f"(select {keys} from {cells} group by {keys} having count(*) > 1)"

    def cells(self, side: Side) -> str:
        return f"({self.source(self.columns, side)})"

    def matched(self) -> str:
        return self._side_by_side("inner")

    def estimated_values(self, columns: Sequence[Column]) -> dict[int, int]:
        found: dict[int, int] = {}
        for side in SIDES if columns else ():
            counts = ", ".join(f"approx_count_distinct({cell(column, side)})" for column in columns)
            (values,) = self.rows(f"select {counts} from (select * from {self.cells(side)} limit {_SAMPLE})")
            for column, number in zip(columns, values, strict=True):
                found[column.number] = max(found.get(column.number, 0), number)
        return found


def _measure(operator: Mapping[str, Any], what: str, otherwise: Any) -> Any:
    """What an operator's profile says, by its name in any version of DuckDB."""
    return next((operator[name] for name in _MEASURES[what] if name in operator), otherwise)


def _operators(profile: Any) -> Iterator[dict[str, Any]]:
    """The operators of a statement's profile, each before those that it takes rows from."""
    for each in profile.get("operator") or profile.get("children") or ():
        yield each
        yield from _operators(each)
