"""Which tuples of the stream match which rows of the relation: the condition C of a mesh join (MJ08 2 and 3.4).

A matcher proposes pairs; ``holds`` selects the true matches. Null matches nothing, as in SQL.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from deltawave.differencing.hashing import row_hashes
from deltawave.meshjoin.relation import Pages, key_hashes
from deltawave.meshjoin.stream_hash_table import Candidates, HashTable

Mask = npt.NDArray[np.bool_]


class Matcher(Protocol):
    """The tuples of the window, indexed so that the tuples that rows of pages match are found."""

    def add(self, rows: pa.RecordBatch) -> None:
        """Add the next tuples."""

    def remove(self, count: int) -> None:
        """Remove the oldest tuples."""

    def candidates(self, pages: Pages) -> Iterator[Candidates]:
        """Pairs of places of rows and numbers of tuples that may match them, some at a time."""


class Condition(Protocol):
    """A condition between tuples and rows. ``stream_columns``, ``relation_columns``: the columns that it compares."""

    @property
    def stream_columns(self) -> Sequence[str]: ...

    @property
    def relation_columns(self) -> Sequence[str]: ...

    def check(self, stream: pa.Schema, relation: pa.Schema) -> None:
        """Raise ``ValueError`` for columns that are missing or of types that cannot be compared."""

    def row_bytes(self, capacity: int) -> int:
        """The bytes of its matcher for ``capacity`` tuples."""

    def matcher(self, capacity: int) -> Matcher:
        """The matcher of an empty window."""

    def holds(self, tuples: pa.Table, rows: pa.Table) -> Mask:
        """Which of these pairs the condition holds for."""


@dataclass(frozen=True)
class Equal:
    """Equal keys: columns of the stream, and of the relation in the same order."""

    stream_columns: tuple[str, ...]
    relation_columns: tuple[str, ...]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return list(zip(self.stream_columns, self.relation_columns, strict=True))

    @classmethod
    def on(cls, names: Sequence[str] | Mapping[str, str]) -> "Equal":
        """Columns with the same name, or a mapping of the stream's names to the relation's."""
        stream = (names,) if isinstance(names, str) else tuple(names)
        if not stream:
            raise ValueError("A mesh join needs at least one key column.")
        return cls(stream, tuple(names.values()) if isinstance(names, Mapping) else stream)

    def check(self, stream: pa.Schema, relation: pa.Schema) -> None:
        for own, other in self.pairs:
            left, right = column_type(stream, own, "stream"), column_type(relation, other, "relation")
            if left != right:
                raise ValueError(f"The key is of type {left} in the stream ({own}), {right} in the relation ({other}).")
            if not _can_be_key(left):
                raise ValueError(f"The key column {own} is of type {left}, which cannot be a key.")

    def row_bytes(self, capacity: int) -> int:
        return HashTable.bytes_for(capacity)

    def matcher(self, capacity: int) -> Matcher:
        return _Hashed(self, capacity)

    def holds(self, tuples: pa.Table, rows: pa.Table) -> Mask:
        matched = np.ones(tuples.num_rows, dtype=bool)
        for own, other in self.pairs:
            matched &= _same(tuples.column(own), rows.column(other))
        return matched


class _Hashed:
    def __init__(self, condition: Equal, capacity: int) -> None:
        self._condition, self._table = condition, HashTable(capacity)

    def add(self, rows: pa.RecordBatch) -> None:
        self._table.add(key_hashes(rows, self._condition.stream_columns))

    def remove(self, count: int) -> None:
        self._table.remove(count)

    def candidates(self, pages: Pages) -> Iterator[Candidates]:
        key = self._condition.relation_columns
        if (known := pages.known(key)) is None:
            return self._table.candidates(pages.hashes)
        # Null matches nothing: otherwise each row with a null would be compared with each such tuple.
        return ((known[rows], numbers) for rows, numbers in self._table.candidates(pages.hashes[known]))


def column_type(schema: pa.Schema, name: str, side: str) -> pa.DataType:
    """The type of a column of that side. Raises ``ValueError`` if there is none."""
    if name not in schema.names:
        raise ValueError(f"The {side} has no column {name}; it has {', '.join(schema.names)}.")
    return schema.field(name).type


def _can_be_key(kind: pa.DataType) -> bool:
    """Whether values of a type can be hashed and compared."""
    none = pa.array([], kind)
    try:
        row_hashes([none], 0, 0)
        _same(none, none)
    except (TypeError, pa.ArrowNotImplementedError):
        return False
    return not pa.types.is_nested(kind)


def _same(left: Any, right: Any) -> Mask:
    """Equality as Spark has it: NaN equals NaN, -0.0 equals 0.0, null equals nothing."""
    same = pc.equal(left, right)
    if pa.types.is_floating(left.type):
        same = pc.or_kleene(same, pc.and_kleene(pc.is_nan(left), pc.is_nan(right)))
    return np.asarray(same.fill_null(False), dtype=bool)
