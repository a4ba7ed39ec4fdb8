"""Which tuples of the stream match which rows of the relation: the condition C of a mesh join (MJ08 2 and 3.4).

Equality, ranges, inequalities, distances, and any other function of two rows. The condition's matcher proposes pairs of
a row and a tuple of the window; ``holds`` selects the true matches. Null matches nothing, as in SQL.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from deltawave.meshjoin.relation import Pages, key_hashes
from deltawave.meshjoin.stream_hash_table import Candidates, HashTable, Numbers
from deltawave.rows.hashing import row_hashes

Mask = npt.NDArray[np.bool_]
Values = npt.NDArray[Any]
# The lowest and the highest values that rows may match; none where the range is open.
Ends = tuple[Values | None, Values | None]

# Pairs that are proposed at a time.
_PAIRS = 1 << 16


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

    def matcher(self, capacity: int) -> "_Hashed":
        return _Hashed(self, capacity)

    def holds(self, tuples: pa.Table, rows: pa.Table) -> Mask:
        matched = np.ones(tuples.num_rows, dtype=bool)
        for own, other in self.pairs:
            matched &= _same(tuples.column(own), rows.column(other))
        return matched


@dataclass(frozen=True)
class _Range:
    """Conditions of which a row's matches are a range of the tuples' values."""

    value: str

    @property
    def stream_columns(self) -> Sequence[str]:
        return (self.value,)

    def row_bytes(self, capacity: int) -> int:
        # A value and a number, twice while they are sorted, and their order.
        return 40 * capacity

    def matcher(self, capacity: int) -> "_Sorted":
        return _Sorted(self.value, self._ends)

    def _ends(self, rows: pa.Table) -> Ends:
        raise NotImplementedError


@dataclass(frozen=True)
class Between(_Range):
    """A tuple's ``value`` lies between two columns of the relation: ``low`` <= value <= ``high``.

    Without one of them the range is open on that side. ``is_strict``: < instead of <=. Numbers, dates and timestamps.
    NaN is in no range (IEEE 754), while Spark takes it for the greatest number.
    """

    low: str | None = None
    high: str | None = None
    is_strict: bool = False

    def __post_init__(self) -> None:
        if self.low is None and self.high is None:
            raise ValueError("A range needs a column of the relation at one end at least.")

    @property
    def relation_columns(self) -> Sequence[str]:
        return tuple(name for name in (self.low, self.high) if name is not None)

    def check(self, stream: pa.Schema, relation: pa.Schema) -> None:
        own = column_type(stream, self.value, "stream")
        for name in self.relation_columns:
            if (other := column_type(relation, name, "relation")) != own:
                raise ValueError(f"{self.value} is of type {own} in the stream, {name} in the relation of {other}.")
        is_number = pa.types.is_integer(own) or pa.types.is_floating(own)
        if not (is_number or (pa.types.is_temporal(own) and getattr(own, "bit_width", 0) in (32, 64))):
            raise ValueError(f"{self.value} is of type {own}: a range needs numbers, dates or timestamps.")

    def holds(self, tuples: pa.Table, rows: pa.Table) -> Mask:
        values, matched = tuples.column(self.value), np.ones(tuples.num_rows, dtype=bool)
        less = pc.less if self.is_strict else pc.less_equal
        if self.low is not None:
            matched &= _mask(less(rows.column(self.low), values))
        if self.high is not None:
            matched &= _mask(less(values, rows.column(self.high)))
        return matched

    def _ends(self, rows: pa.Table) -> Ends:
        low, high = (None if name is None else _values(rows.column(name)) for name in (self.low, self.high))
        return low, high


@dataclass(frozen=True)
class Near(_Range):
    """A tuple's number is at most ``distance`` away from one of the relation: similarity of numbers."""

    other: str
    distance: float

    def __post_init__(self) -> None:
        if not self.distance >= 0:
            raise ValueError("A distance is 0 or more.")

    @property
    def relation_columns(self) -> Sequence[str]:
        return (self.other,)

    def check(self, stream: pa.Schema, relation: pa.Schema) -> None:
        for name, schema, side in ((self.value, stream, "stream"), (self.other, relation, "relation")):
            kind = column_type(schema, name, side)
            if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
                raise ValueError(f"{name} is of type {kind} in the {side}, and has to be a number.")

    def _ends(self, rows: pa.Table) -> Ends:
        values = np.asarray(rows.column(self.other).cast(pa.float64(), safe=False))
        # A little more, since numbers are rounded; the exact distance is checked afterwards.
        more = self.distance + np.abs(values) * 1e-9
        return values - more, values + more

    def holds(self, tuples: pa.Table, rows: pa.Table) -> Mask:
        values, others = tuples.column(self.value), rows.column(self.other)
        is_floating = pa.types.is_floating(values.type) or pa.types.is_floating(others.type)
        kind = pa.float64() if is_floating else pa.decimal128(20, 0)
        away = pc.abs(pc.subtract(values.cast(kind, safe=False), others.cast(kind, safe=False)))
        return _mask(pc.less_equal(away.cast(pa.float64(), safe=False), self.distance))


@dataclass(frozen=True)
class Where:
    """Any condition: a function of two tables of these columns, of equal length, that returns the rows where it holds.

    Each tuple is compared with each row, so that the relation should be small or the stream slow.
    """

    holds_for: Callable[[pa.Table, pa.Table], Any]
    stream_columns: tuple[str, ...]
    relation_columns: tuple[str, ...]

    def check(self, stream: pa.Schema, relation: pa.Schema) -> None:
        for name in self.stream_columns:
            column_type(stream, name, "stream")
        for name in self.relation_columns:
            column_type(relation, name, "relation")

    def row_bytes(self, capacity: int) -> int:
        return 0

    def matcher(self, capacity: int) -> "_All":
        return _All()

    def holds(self, tuples: pa.Table, rows: pa.Table) -> Mask:
        found = self.holds_for(tuples.select(self.stream_columns), rows.select(self.relation_columns))
        return _mask(found) if isinstance(found, (pa.Array, pa.ChunkedArray)) else np.asarray(found, dtype=bool)


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


class _Sorted:
    """The window's tuples in the order of their values, in which they are put when rows are looked up."""

    def __init__(self, column: str, ends: Callable[[pa.Table], Ends]) -> None:
        self._column, self._ends = column, ends
        self._parts: list[tuple[Values, Numbers]] = []
        self._is_in_order = True
        self._begin = self._end = 0

    def add(self, rows: pa.RecordBatch) -> None:
        column = rows.column(self._column)
        places = np.flatnonzero(column.is_valid())
        self._parts.append((_values(column)[places], places + self._end))
        self._end += rows.num_rows
        self._is_in_order = False

    def remove(self, count: int) -> None:
        self._begin += count

    def _sorted(self) -> tuple[Values, Numbers]:
        if not self._is_in_order:
            left = [numbers >= self._begin for _, numbers in self._parts]
            values, numbers = (
                np.concatenate([part[at][kept] for part, kept in zip(self._parts, left, strict=True)]) for at in (0, 1)
            )
            # Their memory is needed for sorting.
            self._parts.clear()
            order = np.argsort(values, kind="stable")
            self._parts.append((values[order], numbers[order]))
            self._is_in_order = True
        return self._parts[0]

    def candidates(self, pages: Pages) -> Iterator[Candidates]:
        (values, numbers), (low, high) = self._sorted(), self._ends(pages.rows)
        count = pages.rows.num_rows
        first = np.zeros(count, dtype=np.intp) if low is None else np.searchsorted(values, low, "left")
        last = np.full(count, len(values)) if high is None else np.searchsorted(values, high, "right")
        for rows, places in _expanded(first, np.maximum(last - first, 0)):
            found = numbers[places]
            is_left = found >= self._begin
            if is_left.any():
                yield rows[is_left], found[is_left]


class _All:
    """All tuples of the window are compared with all rows."""

    def __init__(self) -> None:
        self._begin = self._end = 0

    def add(self, rows: pa.RecordBatch) -> None:
        self._end += rows.num_rows

    def remove(self, count: int) -> None:
        self._begin += count

    def candidates(self, pages: Pages) -> Iterator[Candidates]:
        rows = pages.rows.num_rows
        return _expanded(np.full(rows, self._begin), np.full(rows, self._end - self._begin))


# The conditions, and what finds the candidates of each in the window.
Condition = Equal | Between | Near | Where
Matcher = _Hashed | _Sorted | _All


def _expanded(first: Numbers, sizes: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
    """Each row with the places from ``first`` on, ``sizes`` of them, some at a time."""
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    for begin in range(0, total, _PAIRS):
        pairs = np.arange(begin, min(begin + _PAIRS, total))
        rows = np.searchsorted(ends, pairs, "right")
        yield rows, first[rows] + pairs - (ends[rows] - sizes[rows])


def _values(column: Any) -> Values:
    """Values as numbers in the same order; any number for null."""
    kind = column.type
    if pa.types.is_temporal(kind):
        column = column.cast(pa.int32() if kind.bit_width == 32 else pa.int64())
    return np.asarray(column.fill_null(0))


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
    return _mask(same)


def _mask(mask: Any) -> Mask:
    return np.asarray(mask.fill_null(False), dtype=bool)
