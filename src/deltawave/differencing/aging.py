"""The window algorithm (LG96 4, Algorithm 3.3): two snapshots are read once, block by block, in their physical order.

Rows of a block that find no match wait in an aging buffer. When it is full, the oldest are given up.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import pyarrow as pa

from deltawave.rows.batches import Places, Positions, combined, plain, plain_bytes
from deltawave.rows.hashing import Hashes, places_of

# Rows that wait are combined into parts of at most this many bytes, unless a single block has more.
PART_BYTES = 1 << 30
# Waiting rows stay in their decoded batch while they are at least so many, and at least this share of its memory.
# Fewer rows are copied, so that the batch can be released.
_LEFT_ROWS, _LEFT_SHARE = 1 << 13, 0.25
# By how many bytes the buffers of a copy may exceed its values.
_SPARE_BYTES = 1 << 10

# Bytes of a row's hash and position.
ROW_BYTES = 16


@dataclass(frozen=True, eq=False)
class Block:
    """Rows of a snapshot: the hashes of their keys, their positions in it, and their columns.

    ``at``: the rows' places in the batch ``stored``; without it they are all of its rows. Columns are taken out of the
    batch only when they are asked for. ``stored_bytes``: the ``size`` if it is known.
    """

    hashes: Hashes
    positions: Positions
    stored: pa.RecordBatch
    at: Places | None = None
    stored_bytes: int | None = None

    def __len__(self) -> int:
        return len(self.hashes)

    @property
    def rows(self) -> pa.RecordBatch:
        """The columns of these rows."""
        columns = [self.column(number) for number in range(self.stored.num_columns)]
        return pa.RecordBatch.from_arrays(columns, self.stored.schema.names)

    def column(self, name: str | int) -> pa.Array:
        """The values of one column, by its name or number; without a copy if the rows are adjacent."""
        column = self.stored.column(name)
        if self.at is None:
            return column
        return column.slice(int(self.at[0]), len(self)) if self._are_adjacent else column.take(pa.array(self.at))

    @cached_property
    def _are_adjacent(self) -> bool:
        if self.at is None or not len(self) or self.at[-1] - self.at[0] != len(self) - 1:
            return False
        return bool(np.all(np.diff(self.at) == 1))

    @cached_property
    def size(self) -> int:
        """Bytes of the whole batch that holds the rows, or of a plain copy of it if that takes more.

        Hashes and positions are not included.
        """
        if self.stored_bytes is not None:
            return self.stored_bytes
        return max(int(self.stored.get_total_buffer_size()), plain_bytes(self.stored))

    @property
    def is_copy(self) -> bool:
        """Whether these are all rows of a batch that has its own memory and no dictionaries."""
        if self.at is not None or any(isinstance(column, pa.DictionaryArray) for column in self.stored.columns):
            return False
        return self.size <= 2 * int(self.stored.nbytes) + _SPARE_BYTES

    @property
    def is_dense(self) -> bool:
        """Whether few other rows are in the memory that holds these."""
        own = self.stored.nbytes * len(self) / max(1, self.stored.num_rows)
        return len(self) >= _LEFT_ROWS and own >= _LEFT_SHARE * self.size

    def take(self, at: Places) -> Block:
        """The rows at these places, in this order."""
        places = at if self.at is None else self.at[at]
        return Block(self.hashes[at], self.positions[at], self.stored, places, self.size)

    def slice(self, begin: int, count: int) -> Block:
        """``count`` rows from ``begin`` on."""
        return self.take(np.arange(begin, begin + count))

    def without(self, at: Places) -> Block:
        """The other rows."""
        stays = np.ones(len(self), dtype=bool)
        stays[at] = False
        return self.take(np.flatnonzero(stays))

    def copied(self) -> Block:
        """A copy of the rows alone, without dictionaries, which differ between the files whose rows wait together."""
        at = pa.array(np.arange(len(self)) if self.at is None else self.at)
        cells = [plain(cell.take(at)) for cell in self.stored.columns]
        rows = pa.RecordBatch.from_arrays(cells, self.stored.schema.names)
        return Block(self.hashes.copy(), self.positions.copy(), rows)

    @classmethod
    def concat(cls, parts: list[Block]) -> Block:
        """The rows of one or more blocks."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            np.concatenate([part.hashes for part in parts]),
            np.concatenate([part.positions for part in parts]),
            combined([part.rows for part in parts], "Rows that wait together take more than 2 GB in a column."),
        )


@dataclass(frozen=True, eq=False)
class Matched:
    """Rows with equal key hashes, pairwise."""

    old: Block
    new: Block


@dataclass(frozen=True, eq=False)
class Aged:
    """Rows that found no match: reported as deletes if they are old, otherwise as inserts."""

    rows: Block
    is_old: bool


def windowed(
    old: Iterable[Block], new: Iterable[Block], capacity: int, capacity_bytes: int = sys.maxsize
) -> Iterator[Matched | Aged]:
    """Match the blocks of two snapshots. An aging buffer holds up to ``capacity`` rows and ``capacity_bytes``.

    The loop continues while either snapshot has a block. If several rows have the same key hash, each matches one row
    of the other side.
    """
    old_aging, new_aging = (AgingBuffer(capacity, capacity_bytes) for _ in range(2))
    for old_rest, new_rest in in_step(iter(old), iter(new)):
        if old_rest is not None and new_rest is not None:
            pairs, old_rest, new_rest = match(old_rest, new_rest)
            yield from pairs
        if old_rest is not None:
            pairs, old_rest = new_aging.match(old_rest)
            yield from (Matched(old=pair.new, new=pair.old) for pair in pairs)
        if new_rest is not None:
            pairs, new_rest = old_aging.match(new_rest)
            yield from pairs
        if old_rest is not None:
            yield from (Aged(rows, is_old=True) for rows in old_aging.push(old_rest))
        if new_rest is not None:
            yield from (Aged(rows, is_old=False) for rows in new_aging.push(new_rest))
    yield from (Aged(rows, is_old=True) for rows in old_aging.drain())
    yield from (Aged(rows, is_old=False) for rows in new_aging.drain())


def in_step(old: Iterator[Block], new: Iterator[Block]) -> Iterator[tuple[Block | None, Block | None]]:
    """The next block of both snapshots; if one is ahead by some rows, only the next block of the other."""
    ahead = 0
    old_ended = new_ended = False
    while not (old_ended and new_ended):
        old_block = new_block = None
        if not old_ended and (ahead <= 0 or new_ended):
            old_block = next(old, None)
            old_ended = old_block is None
        if not new_ended and (ahead >= 0 or old_ended):
            new_block = next(new, None)
            new_ended = new_block is None
        ahead += len(old_block or ()) - len(new_block or ())
        if old_block is not None or new_block is not None:
            yield old_block, new_block


class AgingBuffer:
    """Rows that wait for a match, the oldest first."""

    def __init__(self, capacity: int, capacity_bytes: int = sys.maxsize) -> None:
        self.capacity = capacity
        self.capacity_bytes = capacity_bytes
        self._rows: list[Block] = []

    def __len__(self) -> int:
        return sum(map(len, self._rows))

    def match(self, block: Block) -> tuple[list[Matched], Block]:
        """Take out the rows that match the block's: pairs of (waiting, new) rows, and the block's other rows."""
        if not self._rows or not len(block):
            return [], block
        at_waiting, at_block = equal_hashes(np.concatenate([part.hashes for part in self._rows]), block.hashes)
        pairs: list[Matched] = []
        bounds = np.cumsum([0, *map(len, self._rows)])
        cuts = np.searchsorted(at_waiting, bounds).tolist()
        for number, (part, (begin, end)) in enumerate(zip(self._rows, pairwise(cuts), strict=True)):
            if begin < end:
                own = at_waiting[begin:end] - bounds[number]
                pairs.append(Matched(part.take(own), block.take(at_block[begin:end])))
                self._rows[number] = _waiting(part.without(own))
        self._rows = [part for part in self._rows if len(part)]
        return pairs, block.without(at_block)

    def push(self, block: Block) -> list[Block]:
        """Add rows that wait for a match, and return the oldest rows, for which there is no more memory."""
        if len(block):
            self._rows.append(_waiting(block))
        self._merge()
        aged = []
        while len(self) > self.capacity:
            oldest = self._rows.pop(0)
            surplus = len(self) + len(oldest) - self.capacity
            if len(oldest) > surplus:
                self._rows.insert(0, oldest.slice(surplus, len(oldest) - surplus))
                oldest = oldest.slice(0, surplus)
            aged.append(oldest)
        if self._size > self.capacity_bytes:
            self._rows = [part if part.is_copy else part.copied() for part in self._rows]
        while self._size > self.capacity_bytes:
            oldest = self._rows.pop(0)
            # The last part may be too large by itself: its newer half stays.
            half = 0 if self._rows else len(oldest) // 2
            if half:
                self._rows.append(oldest.slice(len(oldest) - half, half).copied())
                oldest = oldest.slice(0, len(oldest) - half)
            aged.append(oldest)
        return aged

    @property
    def _size(self) -> int:
        places = sum(part.at.nbytes for part in self._rows if part.at is not None)
        return places + sum(part.size + ROW_BYTES * len(part) for part in self._rows)

    def _merge(self) -> None:
        """Merge parts so that there are few of them, and a row is copied few times."""
        for number in range(len(self._rows) - 1, 0, -1):
            before, after = self._rows[number - 1 : number + 1]
            if len(before) < 2 * len(after) and self._fit_together(before, after):
                self._rows[number - 1 : number + 1] = [Block.concat([before, after])]

    def _fit_together(self, before: Block, after: Block) -> bool:
        """Whether two copies may be merged: a text column holds 2 GB, and full memory is freed part by part."""
        are_copies = before.is_copy and after.is_copy
        return are_copies and before.size + after.size <= min(PART_BYTES, self.capacity_bytes // 4)

    def drain(self) -> list[Block]:
        """The rows that still wait."""
        rows, self._rows = self._rows, []
        return rows


def _waiting(rows: Block) -> Block:
    """These rows where they are, or copied if their batch holds many others."""
    return rows if rows.is_copy or rows.is_dense else rows.copied()


def match(left: Block, right: Block) -> tuple[list[Matched], Block, Block]:
    """The pairs of rows with equal hashes, and the other rows of both blocks."""
    at_left, at_right = equal_hashes(left.hashes, right.hashes)
    if not len(at_left):
        return [], left, right
    pair = Matched(left.take(at_left), right.take(at_right))
    return [pair], left.without(at_left), right.without(at_right)


def equal_hashes(left: Hashes, right: Hashes) -> tuple[Places, Places]:
    """Pairs of places with equal hashes, as many as possible, no place twice; ordered by the left place."""
    matched, are_more = _first_matches(left, right)
    if are_more:
        rest_left = np.flatnonzero(matched < 0)
        rest_right = np.setdiff1d(np.arange(len(right)), matched)
        at_left, at_right = _pairs_of_repeated(left[rest_left], right[rest_right])
        matched[rest_left[at_left]] = rest_right[at_right]
    at_left = np.flatnonzero(matched >= 0)
    return at_left, matched[at_left]


def _pairs_of_repeated(left: Hashes, right: Hashes) -> tuple[Places, Places]:
    """Places of equal hashes: the first on one side with the first on the other, and so on."""
    orders = np.argsort(left, kind="stable"), np.argsort(right, kind="stable")
    (own, own_begins, own_counts), (other, other_begins, other_counts) = (
        np.unique(side[order], return_index=True, return_counts=True)
        for side, order in zip((left, right), orders, strict=True)
    )
    _, at_own, at_other = np.intersect1d(own, other, assume_unique=True, return_indices=True)
    counts = np.minimum(own_counts[at_own], other_counts[at_other])
    inside = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    places = (np.repeat(begins, counts) + inside for begins in (own_begins[at_own], other_begins[at_other]))
    at_left, at_right = (order[place] for order, place in zip(orders, places, strict=True))
    return at_left, at_right


def _first_matches(left: Hashes, right: Hashes) -> tuple[Places, bool]:
    """For each left place, a right place with the same hash, or -1; and whether there may be more pairs."""
    if len(left) < len(right):
        found = places_of(right, left)
        matched = _inverse(found, len(left))
    else:
        found = places_of(left, right)
        matched = _inverse(_inverse(found, len(right)), len(left))
    return matched, bool(np.count_nonzero(matched >= 0) < np.count_nonzero(found >= 0))


def _inverse(places: Places, count: int) -> Places:
    """Invert a mapping: for each of ``count`` targets, the first place that maps to it, or -1."""
    leading = np.flatnonzero(places >= 0)[::-1]
    found = np.full(count, -1)
    # The last of several is kept.
    found[places[leading]] = leading
    return found
