"""The sliding window over the stream: the queue Q of MESHJOIN and the tuples it points to (MJ08 3.1, Figures 3, 6).

Tuples are numbered as they arrive. A packet is the tuples that one iteration added: it expires when it has met all
pages of the relation. Tuples are stored in blocks of several packets, which are released whole.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltawave.meshjoin.hash_table import Numbers
from deltawave.meshjoin.tuples import tuples_of

# A window is cut into this many blocks; memory is released one block at a time.
BLOCKS = 16
# Tuples are added to the window in packets of this part of it.
PACKETS = 32
# The most bytes of tuples that are fetched at a time.
FETCHED_BYTES = 2 << 20


@dataclass(frozen=True)
class Packet:
    """Tuples up to the number ``end`` that were added at once; ``start_page`` is the first page that they met."""

    end: int
    start_page: int


@dataclass
class Block:
    """Tuples from the number ``begin`` on, and which of them met a row of the relation, if that is recorded."""

    begin: int
    count: int = 0
    is_met: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))

    @property
    def end(self) -> int:
        """The number after the last tuple."""
        return self.begin + self.count

    def meet(self, numbers: Numbers) -> None:
        """Record that these tuples of this block met a row."""
        self._grow_notes()
        self.is_met[numbers - self.begin] = True

    def chosen(self, met: bool) -> Numbers:
        """The numbers of the tuples that met a row, or of the others."""
        self._grow_notes()
        return np.flatnonzero(self.is_met == met) + self.begin

    def _grow_notes(self) -> None:
        """A note for each tuple: tuples that were added since the last call have met no row."""
        if len(self.is_met) < self.count:
            self.is_met = np.concatenate([self.is_met, np.zeros(self.count - len(self.is_met), dtype=bool)])


class Window:
    """Packets and blocks of the tuples that have not met all pages yet.

    - ``capacity``: the most tuples, besides a block that has not been released yet
    - ``notes_met``: whether it is recorded which tuples met a row
    """

    def __init__(self, schema: pa.Schema, capacity: int, notes_met: bool) -> None:
        self._block_rows, self._notes_met = -(-capacity // BLOCKS), notes_met
        self._tuples = tuples_of(schema, capacity, self._block_rows)
        self._packets: deque[Packet] = deque()
        self._blocks: deque[Block] = deque()
        self.begin = self.end = 0

    @property
    def is_empty(self) -> bool:
        """Whether every packet has expired."""
        return not self._packets

    @property
    def nbytes(self) -> int:
        """The bytes of the tuples and of the notes."""
        return self._tuples.nbytes + self._notes_met * sum(block.count for block in self._blocks)

    @property
    def copies(self) -> int:
        """How often a packet is in memory while it is added."""
        return self._tuples.copies

    def add(self, rows: pa.RecordBatch, start_page: int, free_bytes: int) -> None:
        """Add a packet. ``free_bytes``: memory that this may use in addition."""
        if not rows.num_rows:
            return
        if not self._blocks or self._blocks[-1].count >= self._block_rows:
            self._blocks.append(Block(self.end))
            self._tuples.begin_block()
        self._tuples.add(rows, free_bytes)
        self._blocks[-1].count += rows.num_rows
        self.end += rows.num_rows
        self._packets.append(Packet(self.end, start_page))

    def pages_until_expiry(self, page: int, pages: int) -> int:
        """How many pages, from this one on, the oldest packet still has to meet."""
        return (self._packets[0].start_page - page - 1) % pages + 1 if self._packets else pages

    def expire(self, page: int) -> int:
        """Drop the packets that began with the next page; return how many tuples they had."""
        begin = self.begin
        while self._packets and self._packets[0].start_page == page:
            self.begin = self._packets.popleft().end
        return self.begin - begin

    def expired_blocks(self) -> list[Block]:
        """Blocks without packets, which can be released."""
        return [block for block in self._blocks if block.end <= self.begin]

    @property
    def begins(self) -> Numbers:
        """The first number of each block."""
        return np.array([block.begin for block in self._blocks], dtype=np.int64)

    def give_up(self, block: Block) -> None:
        """Release the oldest block."""
        assert self._blocks[0] is block
        self._blocks.popleft()
        self._tuples.release_block(block.count)

    def meet(self, numbers: Numbers) -> None:
        """Record that these tuples met a row."""
        for block in self._blocks:
            block.meet(numbers[(numbers >= block.begin) & (numbers < block.end)])

    def take(self, numbers: Numbers, columns: Sequence[str] | None = None) -> pa.Table:
        """The tuples with these numbers, in this order; all columns or only these."""
        return self._tuples.take(numbers, columns)

    def pieces(
        self, numbers: Numbers, most_bytes: int, columns: Sequence[str] | None = None
    ) -> Iterator[tuple[int, int]]:
        """Where to cut these numbers, so that each piece takes up to so many bytes, or is one tuple."""
        return self._tuples.pieces(numbers, most_bytes, columns)

    def chosen(self, block: Block, met: bool) -> Iterator[tuple[Numbers, pa.RecordBatch]]:
        """The block's tuples that met a row, or the others, with their numbers."""
        numbers = block.chosen(met)
        for begin, end in self.pieces(numbers, FETCHED_BYTES):
            own = numbers[begin:end]
            for rows in self.take(own).combine_chunks().to_batches():
                yield own, rows
