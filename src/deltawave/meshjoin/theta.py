"""Other conditions than equality: ranges, inequalities, distances, and any other function of two rows (MJ08 3.4).

For a range the window's tuples are sorted by their values, so that a row finds its matches by two searches. Any other
condition checks all pairs, some at a time.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from deltawave.meshjoin.conditions import Mask, Matcher, column_type
from deltawave.meshjoin.relation import Pages
from deltawave.meshjoin.stream_hash_table import Candidates, Numbers

Values = npt.NDArray[Any]

# Pairs that are proposed at a time.
_PAIRS = 1 << 16
# Sorted runs of the window; more are merged.
_RUNS = 8


@dataclass(frozen=True)
class _Range:
    """Conditions of which a row's matches are a range of the tuples' values."""

    value: str

    @property
    def stream_columns(self) -> Sequence[str]:
        return (self.value,)

    def row_bytes(self, capacity: int) -> int:
        # A value and a number, twice while runs are merged.
        return 32 * capacity

    def matcher(self, capacity: int) -> Matcher:
        return _Sorted(self.value, self._ends)

    def _ends(self, rows: pa.Table) -> tuple[Values | None, Values | None]:
        """The lowest and the highest value that each of these rows may match; none where the range is open."""
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

    def _ends(self, rows: pa.Table) -> tuple[Values | None, Values | None]:
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

    def _ends(self, rows: pa.Table) -> tuple[Values, Values]:
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

    def matcher(self, capacity: int) -> Matcher:
        return _All()

    def holds(self, tuples: pa.Table, rows: pa.Table) -> Mask:
        found = self.holds_for(tuples.select(self.stream_columns), rows.select(self.relation_columns))
        return _mask(found) if isinstance(found, (pa.Array, pa.ChunkedArray)) else np.asarray(found, dtype=bool)


class _All:
    """All tuples of the window are compared with all rows."""

    def __init__(self) -> None:
        self._begin = self._end = 0

    def add(self, rows: pa.RecordBatch) -> None:
        self._end += rows.num_rows

    def remove(self, count: int) -> None:
        self._begin += count

    def candidates(self, pages: Pages) -> Iterator[Candidates]:
        count = self._end - self._begin
        rows = pages.rows.num_rows
        for first in range(0, rows * count, _PAIRS):
            pairs = np.arange(first, min(first + _PAIRS, rows * count))
            yield pairs // count, pairs % count + self._begin


class _Sorted:
    """Runs of the window's tuples in the order of their values."""

    def __init__(self, column: str, ends: Callable[[pa.Table], tuple[Values | None, Values | None]]) -> None:
        self._column, self._ends = column, ends
        # Values, their tuples' numbers, and the last of these numbers.
        self._runs: list[tuple[Values, Numbers, int]] = []
        self._begin = self._end = 0

    def add(self, rows: pa.RecordBatch) -> None:
        column = rows.column(self._column)
        numbers = np.arange(self._end, self._end + rows.num_rows)
        self._end += rows.num_rows
        is_there = np.asarray(column.is_valid())
        self._add_run(_values(column)[is_there], numbers[is_there])

    def _add_run(self, values: Values, numbers: Numbers) -> None:
        if not len(numbers):
            return
        order = np.argsort(values, kind="stable")
        self._runs.append((values[order], numbers[order], int(numbers.max())))
        if len(self._runs) > _RUNS:
            # Later runs are usually smaller.
            values, numbers = (np.concatenate([run[at] for run in self._runs[_RUNS // 2 :]]) for at in (0, 1))
            del self._runs[_RUNS // 2 :]
            is_left = numbers >= self._begin
            self._add_run(values[is_left], numbers[is_left])
            if len(self._runs) > _RUNS // 2 and len(self._runs[-1][0]) > len(self._runs[0][0]):
                self._runs.sort(key=lambda run: -len(run[0]))

    def remove(self, count: int) -> None:
        self._begin += count
        self._runs = [run for run in self._runs if run[2] >= self._begin]

    def candidates(self, pages: Pages) -> Iterator[Candidates]:
        low, high = self._ends(pages.rows)
        rows = np.arange(pages.rows.num_rows)
        for values, numbers, _ in self._runs:
            first = np.zeros(len(rows), dtype=np.intp) if low is None else np.searchsorted(values, low, "left")
            last = np.full(len(rows), len(values)) if high is None else np.searchsorted(values, high, "right")
            sizes = np.maximum(last - first, 0)
            for at, places in _expanded(first, sizes):
                found = numbers[places]
                is_left = found >= self._begin
                if is_left.any():
                    yield rows[at[is_left]], found[is_left]


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


def _mask(mask: Any) -> Mask:
    return np.asarray(mask.fill_null(False), dtype=bool)
