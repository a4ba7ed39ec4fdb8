"""The sliding window over the stream: the queue Q of MESHJOIN and the tuples it points to (MJ08 3.1, Figures 3, 6).

Tuples are numbered as they arrive. A packet is the tuples that one iteration added: it expires when it has met all
pages of the relation. Tuples are stored in blocks of several packets, which are released whole.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltawave.meshjoin.hash_table import Numbers
from deltawave.meshjoin.sizes import Places, has_one_width, pieces, row_sizes

# A window is cut into this many blocks; memory is released one block at a time.
BLOCKS = 16
# Tuples are added to the window in packets of this part of it.
PACKETS = 32
# Parts of up to this many bytes are put together before tuples are taken: faster than taking from each.
_TOGETHER = 8 << 20
# Texts of one array take up to 2 GiB.
_LARGEST_PART = 1 << 30

_Part = TypeVar("_Part", pa.RecordBatch, pa.Table)


@dataclass(frozen=True)
class Packet:
    """Tuples up to the number ``end`` that were added at once; ``start_page`` is the first page that they met."""

    end: int
    start_page: int


@dataclass
class Block:
    """Tuples from the number ``begin`` on, and which of them met a row of the relation, if that is recorded."""

    begin: int
    notes_met: bool
    parts: list[pa.RecordBatch] = field(default_factory=list)
    count: int = 0
    row_bytes: int = 0
    is_met: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))

    @property
    def end(self) -> int:
        """The number after the last tuple."""
        return self.begin + self.count

    @property
    def nbytes(self) -> int:
        """The bytes of the tuples and of the notes."""
        return self.row_bytes + self.count * self.notes_met

    def add(self, rows: pa.RecordBatch, most_rows: int, free_bytes: int) -> None:
        """Add tuples. As fetching from many parts takes long, parts of up to ``most_rows`` rows are put together.

        ``free_bytes``: memory that this may use meanwhile.
        """
        self.parts.append(rows)
        self.count += rows.num_rows
        first, together, size = len(self.parts), 0, 0
        # As each part is at most as large as the later ones together, a tuple is copied few times.
        for part in reversed(self.parts):
            size += part.nbytes
            is_smaller = not together or part.num_rows <= together
            # Put together with rows that have nulls, a column may take twice as much.
            if not is_smaller or together + part.num_rows > most_rows or 2 * size > free_bytes or size > _LARGEST_PART:
                break
            first, together = first - 1, together + part.num_rows
        if len(self.parts) - first > 1:
            self.parts[first:] = [pa.concat_batches(self.parts[first:])]
        self.row_bytes = sum(part.nbytes for part in self.parts)

    def meet(self, numbers: Numbers) -> None:
        """Record that these tuples of this block met a row."""
        self._grow_notes()
        self.is_met[numbers - self.begin] = True

    def unmet(self) -> Numbers:
        """The numbers of tuples that met no row."""
        self._grow_notes()
        return np.flatnonzero(~self.is_met) + self.begin

    def chosen(self, met: bool) -> Iterator[pa.RecordBatch]:
        """The tuples that met a row, or the others."""
        self._grow_notes()
        begin = 0
        for part in self.parts:
            places = np.flatnonzero(self.is_met[begin : begin + part.num_rows] == met)
            begin += part.num_rows
            if len(places):
                yield part.take(pa.array(places))

    def _grow_notes(self) -> None:
        """A note for each tuple: tuples that were added since the last call have met no row."""
        if len(self.is_met) < self.count:
            self.is_met = np.concatenate([self.is_met, np.zeros(self.count - len(self.is_met), dtype=bool)])


class Window:
    """Packets and blocks of the tuples that have not met all pages yet.

    - ``block_rows``: the least rows of a block
    - ``notes_met``: whether it is recorded which tuples met a row
    """

    def __init__(self, schema: pa.Schema, block_rows: int, notes_met: bool) -> None:
        self.schema, self._block_rows, self._notes_met = schema, block_rows, notes_met
        self._packets: deque[Packet] = deque()
        self._blocks: deque[Block] = deque()
        self.begin = self.end = 0

    @property
    def is_empty(self) -> bool:
        """Whether every packet has expired."""
        return not self._packets

    @property
    def nbytes(self) -> int:
        """The bytes of the tuples."""
        return sum(block.nbytes for block in self._blocks)

    def add(self, rows: pa.RecordBatch, start_page: int, free_bytes: int) -> None:
        """Add a packet. ``free_bytes``: memory that this may use in addition."""
        if not rows.num_rows:
            return
        if not self._blocks or self._blocks[-1].count >= self._block_rows:
            self._blocks.append(Block(self.end, self._notes_met))
        self._blocks[-1].add(rows, self._block_rows // 2, free_bytes)
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

    def meet(self, numbers: Numbers) -> None:
        """Record that these tuples met a row."""
        for block in self._blocks:
            block.meet(numbers[(numbers >= block.begin) & (numbers < block.end)])

    def take(self, numbers: Numbers, columns: list[str] | None = None) -> pa.Table:
        """The tuples with these numbers, in this order; all columns or only these."""
        tuples = self._tuples(columns)
        # Arrow would put all parts together before it takes from them.
        groups = _groups(tuples)
        if len(groups) == 1:
            return groups[0].take(pa.array(numbers - self._blocks[0].begin))
        found, places = [self.schema.empty_table().select(tuples.schema.names)], np.empty(len(numbers), dtype=np.intp)
        for group, own, at in self._by_part(groups, numbers):
            places[at] = np.arange(len(at)) + sum(rows.num_rows for rows in found)
            found.append(group.take(pa.array(own)))
        return pa.concat_tables(found).combine_chunks().take(pa.array(places))

    def pieces(self, numbers: Numbers, most_bytes: int, columns: list[str] | None = None) -> Iterator[tuple[int, int]]:
        """Where to cut these numbers, so that each piece takes up to so many bytes, or is one tuple."""
        tuples = self._tuples(columns)
        if all(map(has_one_width, tuples.schema.types)):
            step = max(1, 8 * most_bytes // max(1, sum(kind.bit_width for kind in tuples.schema.types)))
            return ((begin, min(begin + step, len(numbers))) for begin in range(0, len(numbers), step))
        sizes = np.zeros(len(numbers), dtype=np.int64)
        for part, own, at in self._by_part(tuples.to_batches(), numbers):
            sizes[at] = row_sizes(part, own)
        return pieces(sizes, most_bytes)

    def _tuples(self, columns: list[str] | None) -> pa.Table:
        parts = [part for block in self._blocks for part in block.parts]
        tuples = pa.Table.from_batches(parts, self.schema)
        return tuples if columns is None else tuples.select(columns)

    def _by_part(self, parts: Sequence[_Part], numbers: Numbers) -> Iterator[tuple[_Part, Places, Places]]:
        """Each part with the places of its tuples among ``numbers``: in the part, and in ``numbers``."""
        places = numbers - (self._blocks[0].begin if self._blocks else 0)
        begins = np.cumsum([0, *(part.num_rows for part in parts)])
        # Small integers are sorted fastest.
        owners = (np.searchsorted(begins, places, "right") - 1).astype(np.min_scalar_type(len(parts)))
        order = np.argsort(owners, kind="stable")
        bounds = np.searchsorted(owners[order], np.arange(len(parts) + 1)).tolist()
        for part, begin, first, last in zip(parts, begins[:-1].tolist(), bounds[:-1], bounds[1:], strict=True):
            if first < last:
                at = order[first:last]
                yield part, places[at] - begin, at


def _groups(tuples: pa.Table) -> list[pa.Table]:
    """The parts of tuples; parts with values of fixed width are put together, up to ``_TOGETHER`` bytes."""
    parts = tuples.to_batches()
    if not all(map(has_one_width, tuples.schema.types)):
        return [pa.Table.from_batches([part]) for part in parts]
    bits = sum(kind.bit_width for kind in tuples.schema.types)
    sizes = np.array([part.num_rows for part in parts], dtype=np.int64) * bits // 8
    return [pa.Table.from_batches(parts[begin:end]) for begin, end in pieces(sizes, _TOGETHER)]
