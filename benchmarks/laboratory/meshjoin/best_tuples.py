"""The tuples of the highest priorities that fit in memory: the buffer of w tuples of TOPW (MJ08 4.2).

Tuples are added until the memory is full. Then those of the lowest priorities are removed, many at once: the bound
between the two is found digit by digit of the priorities, so that nothing as long as the buffer is sorted or copied.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltawave.meshjoin.batches import Places, Sizes, copied, row_sizes
from deltawave.meshjoin.shedding import Keys

# Tuples are added in pieces of up to this part of the memory, and a part of them is copied at a time.
PIECES = 16
# Where the memory is full, this part of it is made free, for those that come next.
_FREED = 8
# Parts of up to this many rows are put together.
_FEW_ROWS = 1 << 13
# Of the key of a priority: (bits to the right, bits) of each digit.
_DIGITS = ((21, 11), (10, 11), (0, 10))
_KEY_BYTES = 4
# The most bytes per column by which a part exceeds its rows' sizes.
_PART_BYTES = 8


@dataclass(frozen=True)
class Limits:
    """How many tuples may wait.

    - ``rows``, ``kept_bytes``: of the tuples that wait, with their keys, when all new ones were looked at
    - ``most_bytes``: of the tuples and their keys until then
    """

    rows: int
    kept_bytes: int
    most_bytes: int

    @property
    def piece_bytes(self) -> int:
        """The most bytes of a piece of several tuples."""
        return self.kept_bytes // PIECES

    def fit(self, rows: Sizes | int, sizes: Sizes | int) -> npt.NDArray[np.bool_]:
        """Whether so many rows of these sizes, in all, may wait."""
        needed = sizes + _KEY_BYTES * rows
        return np.asarray((rows <= self.rows) & (needed <= min(self.kept_bytes, self.most_bytes)))


@dataclass(frozen=True)
class _Part:
    rows: pa.RecordBatch
    keys: Keys

    @cached_property
    def row_bytes(self) -> int:
        return int(self.rows.nbytes)

    @property
    def nbytes(self) -> int:
        return self.row_bytes + self.keys.nbytes

    def take(self, places: Places) -> _Part:
        return _Part(self.rows.take(pa.array(places)), self.keys[places])


class BestTuples:
    """Waiting tuples, in their order. ``peak_bytes``: the most that they have needed, with copies."""

    def __init__(self, schema: pa.Schema) -> None:
        self._null_bytes = -(-len(schema) // 8)
        self._part_bytes = _PART_BYTES * len(schema)
        self._parts: list[_Part] = []
        # How many tuples of the first part are consumed. It stays in memory until all of it is.
        self._consumed = 0
        self.peak_bytes = 0

    @property
    def nbytes(self) -> int:
        """Their bytes, with keys."""
        return sum(part.nbytes for part in self._parts)

    def sizes(self, rows: pa.RecordBatch, places: Places) -> Sizes:
        """The bytes of the tuples at these places, with one bit per column for nulls."""
        return row_sizes(rows, places) + self._null_bytes

    def has_room(self, rows: pa.RecordBatch, most_bytes: int) -> bool:
        """Whether these fit in ``most_bytes`` bytes together with all that wait."""
        added = rows.nbytes + _KEY_BYTES * rows.num_rows
        return bool(self.nbytes + added + max(self._largest, added) <= most_bytes)

    @property
    def _largest(self) -> int:
        return max((part.nbytes for part in self._parts), default=0)

    def add(self, rows: pa.RecordBatch, keys: Keys, places: Places, limits: Limits) -> None:
        is_whole = len(places) == rows.num_rows
        self._append(_Part(copied([rows]), keys) if is_whole else _Part(rows, keys).take(places), limits)

    def _append(self, part: _Part, limits: Limits) -> None:
        """Add a part, together with small ones before it: each tuple is copied few times."""
        first = 1 if self._consumed else 0
        while len(self._parts) > first:
            last = self._parts[-1]
            is_small = last.rows.num_rows + part.rows.num_rows <= _FEW_ROWS
            if not is_small or last.rows.num_rows > 2 * part.rows.num_rows:
                break
            if last.nbytes + part.nbytes > limits.piece_bytes:
                break
            part = _Part(copied([last.rows, part.rows]), np.concatenate([last.keys, part.keys]))
            self.peak_bytes = max(self.peak_bytes, self.nbytes + part.nbytes)
            self._parts.pop()
        self._parts.append(part)
        self.peak_bytes = max(self.peak_bytes, self.nbytes)

    def is_within(self, limits: Limits) -> bool:
        """Whether all of them may stay."""
        rows = sum(part.rows.num_rows for part in self._parts) - self._consumed
        return rows <= limits.rows and self.nbytes + max(self._largest, limits.piece_bytes) <= limits.kept_bytes

    def keep_best(self, limits: Limits, shed: Callable[[pa.RecordBatch], None]) -> int | None:
        """Keep the tuples of the highest priorities that fit; of equal ones, those that came first.

        The others are handed to ``shed``. Returns the highest of their keys; none if all fit.
        """
        if self._consumed:
            first = self._parts[0]
            self._parts[0], self._consumed = first.take(np.arange(self._consumed, first.rows.num_rows)), 0
        self.peak_bytes = max(self.peak_bytes, self.nbytes + self._largest)
        copies = max(self._largest, limits.piece_bytes) + self._part_bytes * len(self._parts)
        most = limits.most_bytes - limits.most_bytes // _FREED - copies
        limits = replace(limits, kept_bytes=limits.kept_bytes - copies, most_bytes=most)
        found = self._bound(limits)
        if found is None:
            return None
        bound, rows, size = found
        for at, part in enumerate(self._parts):
            is_kept = part.keys > bound
            ties = np.flatnonzero(part.keys == bound)
            sizes = np.cumsum(self.sizes(part.rows, ties)) + size
            fitting = int(limits.fit(rows + np.arange(1, len(ties) + 1), sizes).sum())
            is_kept[ties[:fitting]] = True
            if fitting:
                rows, size = rows + fitting, int(sizes[fitting - 1])
            if fitting < len(ties):
                # Not even a narrower one that came later.
                limits = replace(limits, rows=0)
            if not is_kept.all():
                shed(part.rows.filter(pa.array(~is_kept)))
                self._parts[at] = part.take(np.flatnonzero(is_kept))
        parts, self._parts = self._parts, []
        for part in parts:
            if part.rows.num_rows:
                self._append(part, limits)
        return bound

    def _bound(self, limits: Limits) -> tuple[int, int, int] | None:
        """The highest key of which not all tuples fit; how many tuples have higher ones, and their bytes."""
        bound = rows = size = 0
        for shift, bits in _DIGITS:
            counts, sizes = np.zeros(1 << bits, dtype=np.int64), np.zeros(1 << bits, dtype=np.int64)
            for part in self._parts:
                # Shifted by all of its bits, a key is 0, as the bound is at first.
                places = np.flatnonzero(part.keys >> np.uint32(shift + bits) == bound)
                digits = part.keys[places] >> np.uint32(shift) & np.uint32((1 << bits) - 1)
                counts += np.bincount(digits, minlength=1 << bits)
                sizes += np.bincount(digits, self.sizes(part.rows, places), 1 << bits).astype(np.int64)
            # From the highest digit on.
            rows_from, sizes_from = rows + np.cumsum(counts[::-1]), size + np.cumsum(sizes[::-1])
            fits = limits.fit(rows_from, sizes_from)
            if fits.all():
                return None
            at = int(fits.argmin())
            if at:
                rows, size = int(rows_from[at - 1]), int(sizes_from[at - 1])
            bound = bound << bits | (1 << bits) - 1 - at
        return bound, rows, size

    def forget_keys(self) -> None:
        """Give up the keys: nothing more comes that these tuples could be compared with."""
        self._parts = [_Part(part.rows, part.keys[:0].copy()) for part in self._parts]

    @property
    def held(self) -> pa.RecordBatch | None:
        """The first ones."""
        return self._parts[0].rows.slice(self._consumed) if self._parts else None

    def advance(self, count: int) -> None:
        self._consumed += count
        if self._consumed == self._parts[0].rows.num_rows:
            self._consumed = 0
            del self._parts[0]
