"""The window algorithm (LG96 4, Algorithm 3.3): two snapshots are read once, block by block, in their physical order.

Rows of a block that find no match wait in an aging buffer. The oldest give way when it is full.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltawave.differencing.batches import combined
from deltawave.differencing.dictionaries import plain
from deltawave.differencing.hashing import Hashes, places_of

# Rows that wait are put together to parts of at most so many bytes, unless a single block has more.
_PART_BYTES = 1 << 30

Places = npt.NDArray[np.intp]
Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Block:
    """Rows of a snapshot: the hashes of their keys, their positions in it, and their columns."""

    hashes: Hashes
    positions: Positions
    rows: pa.RecordBatch

    def __len__(self) -> int:
        return len(self.hashes)

    @property
    def size(self) -> int:
        """Bytes of the rows."""
        return int(self.rows.nbytes)

    def take(self, at: Places) -> Block:
        """The rows at these places, in this order; without a copy if they follow each other."""
        if len(at) and at[-1] - at[0] == len(at) - 1 and bool(np.all(np.diff(at) == 1)):
            return self.slice(int(at[0]), len(at))
        return Block(self.hashes[at], self.positions[at], self.rows.take(pa.array(at)))

    def slice(self, begin: int, count: int) -> Block:
        """So many rows from ``begin`` on, without a copy."""
        end = begin + count
        return Block(self.hashes[begin:end], self.positions[begin:end], self.rows.slice(begin, count))

    def without(self, at: Places) -> Block:
        """The other rows."""
        stays = np.ones(len(self), dtype=bool)
        stays[at] = False
        return self.take(np.flatnonzero(stays))

    def copied(self) -> Block:
        """The rows alone, without the memory of a block that they were taken from, and without dictionaries.

        Each file has dictionaries of its own, and rows of several files wait together.
        """
        rows = self.rows.take(pa.array(np.arange(len(self))))
        cells = [plain(cell) for cell in rows.columns]
        return Block(self.hashes.copy(), self.positions.copy(), pa.RecordBatch.from_arrays(cells, rows.schema.names))

    @classmethod
    def concat(cls, parts: list[Block]) -> Block:
        """The rows of several blocks, of which there is at least one."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            np.concatenate([part.hashes for part in parts]),
            np.concatenate([part.positions for part in parts]),
            combined([part.rows for part in parts], "Rows that wait together take more than 2 GB in a column."),
        )

    @classmethod
    def packed(cls, parts: Iterable[Block]) -> list[Block]:
        """The rows of several blocks in their order, in as few as a column of texts can hold."""
        packs: list[list[Block]] = []
        size = 0
        for part in parts:
            size += part.size
            if not packs or size > _PART_BYTES:
                packs.append([])
                size = part.size
            packs[-1].append(part)
        return [cls.concat(pack) for pack in packs]


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
    old: Iterable[Block], new: Iterable[Block], capacity: int, capacity_bytes: int | None = None
) -> Iterator[Matched | Aged]:
    """Match the blocks of two snapshots. An aging buffer holds ``capacity`` rows, and so many bytes.

    The loop goes on while either snapshot has a block. Of several rows with one key hash, each matches one of the
    other side.
    """
    old_aging, new_aging = (AgingBuffer(capacity, capacity_bytes) for _ in range(2))
    for old_block, new_block in in_step(iter(old), iter(new)):
        old_rest, new_rest = old_block, new_block
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
    """Blocks of both snapshots, or of the one of which fewer rows were read: blocks need not have the same size."""
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

    def __init__(self, capacity: int, capacity_bytes: int | None = None) -> None:
        self.capacity = capacity
        self.capacity_bytes = capacity_bytes or sys.maxsize
        self._rows: list[Block] = []

    def __len__(self) -> int:
        return sum(map(len, self._rows))

    def match(self, block: Block) -> tuple[list[Matched], Block]:
        """Take out the rows that match the block's: pairs of (waiting, arriving) rows, and the block's other rows."""
        pairs: list[Matched] = []
        for number, waiting in enumerate(self._rows):
            if not len(block):
                break
            pair, self._rows[number], block = match(waiting, block)
            pairs += pair
        self._rows = [waiting for waiting in self._rows if len(waiting)]
        return pairs, block

    def push(self, block: Block) -> list[Block]:
        """Let the rows wait, and return those that give way to them."""
        if len(block):
            self._rows.append(block.copied())
        # Few parts, so that a row is copied few times and a match looks at few parts.
        while len(self._rows) > 1 and len(self._rows[-2]) < 2 * len(self._rows[-1]) and self._fit_together():
            self._rows[-2:] = [Block.concat(self._rows[-2:])]
        aged = []
        while len(self) > self.capacity:
            oldest = self._rows.pop(0)
            surplus = len(self) + len(oldest) - self.capacity
            if len(oldest) > surplus:
                self._rows.insert(0, oldest.slice(surplus, len(oldest) - surplus))
                oldest = oldest.slice(0, surplus)
            aged.append(oldest)
        while len(self._rows) > 1 and sum(rows.size for rows in self._rows) > self.capacity_bytes:
            aged.append(self._rows.pop(0))
        return aged

    def _fit_together(self) -> bool:
        """Whether the last two parts become one: a column of texts holds 2 GB, and few large parts give way at once."""
        return sum(rows.size for rows in self._rows[-2:]) <= min(_PART_BYTES, self.capacity_bytes // 4)

    def drain(self) -> list[Block]:
        """The rows that still wait."""
        rows, self._rows = self._rows, []
        return rows


def match(left: Block, right: Block) -> tuple[list[Matched], Block, Block]:
    """The pairs of rows with equal hashes, and what is left of both blocks."""
    pairs: list[Matched] = []
    are_repeated = True
    while are_repeated:
        at_left, at_right, are_repeated = _equal_hashes(left.hashes, right.hashes)
        if len(at_left):
            pairs.append(Matched(left.take(at_left), right.take(at_right)))
            left, right = left.without(at_left), right.without(at_right)
    return pairs, left, right


def _equal_hashes(left: Hashes, right: Hashes) -> tuple[Places, Places, bool]:
    """Places of equal hashes in both, each place at most once, and whether others of these hashes are left."""
    if len(left) < len(right):
        at_right, at_left, are_repeated = _equal_hashes(right, left)
        return at_left, at_right, are_repeated
    met = places_of(left, right)
    at_left = np.flatnonzero(met >= 0)
    at_right = met[at_left]
    are_repeated = len(at_right) > 0 and int(np.bincount(at_right).max()) > 1
    if are_repeated:
        first = np.unique(at_right, return_index=True)[1]
        at_left, at_right = at_left[first], at_right[first]
    return at_left, at_right, are_repeated
