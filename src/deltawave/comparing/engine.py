"""What an engine gives to a comparison: rows of two tables, and pairs of them by their key."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from deltawave.comparing.columns import Column, Fields, keys_of
from deltawave.comparing.dialects import Dialect
from deltawave.comparing.equality import cell, cells
from deltawave.comparing.kinds import Kind
from deltawave.sides import Side

_BIGINT = Kind("bigint")


def occurrence(number: int) -> Column:
    """The part of a key that tells equal rows apart where a table has no key: the first, the second, ..."""
    return Column("", number, {"old": _BIGINT, "new": _BIGINT}, {}, is_key=True)


class Engine(ABC):
    """Two tables in one engine. Relations are names or selects in brackets, for a FROM clause.

    - ``fields``: the columns of each table, by their names
    - ``pairs``: once tables are paired, a relation with a row for each pair of rows with one key and for each row
      without a partner. It has cells (``deltawave.comparing.equality``), marks of compared columns that differ, and the
      ``kind`` of the row: changed, only_old or only_new. Equal pairs may be among them
    """

    dialect: Dialect
    fields: Mapping[Side, Fields]
    pairs: str

    @abstractmethod
    def rows(self, select: str) -> list[tuple[Any, ...]]:
        """The rows of a select."""

    @abstractmethod
    def table(self, side: Side) -> str:
        """A relation of a table's rows, with columns c0, c1, ..."""

    @abstractmethod
    def values(self, side: Side) -> list[str]:
        """For each of these columns what is compared: itself, but for types with parts in any order."""

    @abstractmethod
    def read(self) -> None:
        """Copy what takes long to read, before it is read several times."""

    @abstractmethod
    def pair(self, columns: Sequence[Column]) -> None:
        """Pair the rows."""

    @abstractmethod
    def counted(self, columns: Sequence[Column]) -> dict[Side, tuple[int, int]]:
        """The number of rows of each paired table, and that of keys of several rows."""

    @abstractmethod
    def repeated(self, side: Side, columns: Sequence[Column]) -> str:
        """A relation of the keys that several rows have."""

    @abstractmethod
    def cells(self, side: Side) -> str:
        """A relation of the cells of all rows of a table."""

    @abstractmethod
    def matched(self) -> str:
        """A relation of the cells of all pairs of rows that both tables have."""

    @abstractmethod
    def estimated_values(self, columns: Sequence[Column]) -> dict[int, int]:
        """About how many values columns have, the more of both tables, by their numbers."""

    def source(self, columns: Sequence[Column], side: Side) -> str:
        """A select of a table's cells."""
        select = f"select {cells(columns, side, self.values(side), self.dialect)} from {self.table(side)}"
        for column in keys_of(columns):
            if not column.places:
                parts = ", ".join(cell(each, side) for each in keys_of(columns) if each.places)
                number = f"row_number() over (partition by {parts} order by {parts})"
                return f"select *, {number} as {cell(column, side)} from ({select})"
        return select
