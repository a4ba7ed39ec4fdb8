"""The sliding window over the stream: the queue Q of MESHJOIN and the tuples it points to (MJ08 3.1, Figures 3, 6).

Tuples are numbered as they come in. A packet is the tuples that one iteration added: it expires when it was
joined with all pages of the relation. Tuples are stored in blocks of several packets, which are released whole.
"""

from __future__ import annotations

import mmap
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltawave.meshjoin.batches import Places, has_one_width, pieces, row_sizes
from deltawave.meshjoin.ring import IS_SUPPORTED, SPARE_PLACES, BitRing, Bits, Ring
from deltawave.meshjoin.stream_hash_table import Numbers

# Texts of one array take up to 2 GiB.
_LARGEST_PART = 1 << 30
# Rings are worth their pages where a column has as many bytes on average, and no value is larger than a page.
_LEAST_COLUMN_BYTES, _MOST_VALUE_BYTES = 16 * mmap.PAGESIZE, mmap.PAGESIZE


class Tuples(Protocol):
    """Tuples, numbered as they are added.

    ``copies``: how often a packet is in memory, alongside what was added before, while it is added.
    """

    copies: int

    @property
    def nbytes(self) -> int:
        """The bytes of all tuples that are not released."""
        ...

    def begin_block(self) -> None:
        """Put the next tuples into a new block."""
        ...

    def add(self, rows: pa.RecordBatch, free_bytes: int) -> None:
        """Add tuples to the newest block. ``free_bytes``: memory that this may use in addition."""
        ...

    def release_block(self, count: int) -> None:
        """Release the oldest block, which has so many tuples."""
        ...

    def take(self, numbers: Numbers, columns: Sequence[str] | None = None) -> pa.Table:
        """The tuples with these numbers, in this order; all columns or only these."""
        ...

    def pieces(
        self, numbers: Numbers, most_bytes: int, columns: Sequence[str] | None = None
    ) -> Iterator[tuple[int, int]]:
        """Where to cut these numbers, so that each piece takes up to so many bytes, or is one tuple."""
        ...


def tuples_of(schema: pa.Schema, capacity: int, block_rows: int) -> Tuples:
    """Storage for ``capacity`` tuples, in blocks of up to 2 ``block_rows``; as many may wait for their release."""
    if IS_SUPPORTED and all(map(_has_fixed_width, schema.types)):
        widths = [kind.bit_width for kind in schema.types]
        is_large = capacity * sum(widths) >= 8 * _LEAST_COLUMN_BYTES * len(widths)
        if is_large and max(widths) <= 8 * _MOST_VALUE_BYTES:
            return Columns(schema, capacity + 2 * block_rows)
    return Parts(schema, block_rows // 2)


def _has_fixed_width(kind: pa.DataType) -> bool:
    """Whether values lie at equal distances, alongside a bit for nulls."""
    is_plain = not (isinstance(kind, pa.BaseExtensionType) or pa.types.is_dictionary(kind) or kind.num_fields)
    return is_plain and kind.num_buffers == 2 and has_one_width(kind)


class Columns:
    """Tuples of fixed width, in a ring per column, with places for ``size`` of them."""

    # The packet, and its copy in the rings.
    copies = 2

    def __init__(self, schema: pa.Schema, size: int) -> None:
        self._schema = schema
        self._size = -(-(size + SPARE_PLACES) // 8) * 8
        self._columns = [_Column(kind, self._size) for kind in schema.types]
        # How many bits each block has.
        self._blocks: deque[int] = deque()
        self._begin = self._end = 0

    @property
    def nbytes(self) -> int:
        return sum(-(-bits // 8) for bits in self._blocks)

    def begin_block(self) -> None:
        self._blocks.append(0)

    def add(self, rows: pa.RecordBatch, free_bytes: int) -> None:
        bits = 0
        for column, added in zip(self._columns, rows.columns, strict=True):
            column.write(self._end, added)
            bits += added.type.bit_width + (added.null_count > 0)
        self._end += rows.num_rows
        self._blocks[-1] += rows.num_rows * bits

    def release_block(self, count: int) -> None:
        self._blocks.popleft()
        for column in self._columns:
            column.release(self._begin, self._begin + count)
        self._begin += count

    def take(self, numbers: Numbers, columns: Sequence[str] | None = None) -> pa.Table:
        wanted = self._wanted(columns)
        places = numbers - self._begin // self._size * self._size
        places -= self._size * (places >= self._size)
        cells = [self._columns[at].take(places) for at in wanted]
        return pa.Table.from_arrays(cells, schema=pa.schema([self._schema.field(at) for at in wanted]))

    def pieces(
        self, numbers: Numbers, most_bytes: int, columns: Sequence[str] | None = None
    ) -> Iterator[tuple[int, int]]:
        bits = sum(self._schema.field(at).type.bit_width for at in self._wanted(columns))
        step = max(1, 8 * most_bytes // max(1, bits))
        return ((begin, min(begin + step, len(numbers))) for begin in range(0, len(numbers), step))

    def _wanted(self, columns: Sequence[str] | None) -> list[int]:
        names = self._schema.names
        return list(range(len(names))) if columns is None else [names.index(name) for name in columns]


class _Column:
    """The values of a column, and which of them are null."""

    def __init__(self, kind: pa.DataType, size: int) -> None:
        self._kind, self._size = kind, size
        self._values: Ring | BitRing = BitRing(size) if kind == pa.bool_() else Ring(size, kind.bit_width // 8)
        self._nulls: BitRing | None = None

    def write(self, begin: int, added: pa.Array) -> None:
        if isinstance(self._values, BitRing):
            self._values.write(begin, np.asarray(added.fill_null(False), dtype=bool))
        elif len(added):
            values = np.frombuffer(added.buffers()[1], dtype=self._values.dtype)
            self._values.write(begin, values[added.offset : added.offset + len(added)])
        if added.null_count:
            self._nulls = self._nulls or BitRing(self._size)
            self._nulls.write(begin, np.asarray(added.is_null(), dtype=bool))

    def take(self, places: Places) -> pa.Array:
        validity = None if self._nulls is None else _packed(~self._nulls.take(places))
        values = self._values.take(places)
        data = _packed(values) if values.dtype == bool else pa.py_buffer(values)
        return pa.Array.from_buffers(self._kind, len(places), [validity, data])

    def release(self, begin: int, end: int) -> None:
        self._values.release(begin, end)
        if self._nulls is not None:
            self._nulls.release(begin, end)


def _packed(bits: Bits) -> pa.Buffer:
    return pa.py_buffer(np.packbits(bits, bitorder="little"))


@dataclass
class _Block:
    parts: list[pa.RecordBatch] = field(default_factory=list)
    nbytes: int = 0


class Parts:
    """Tuples of any types, in batches. As fetching from many takes long, small ones are put together.

    ``most_rows``: the most rows of a batch that is put together.
    """

    copies = 1

    def __init__(self, schema: pa.Schema, most_rows: int) -> None:
        self._schema, self._most_rows = schema, most_rows
        self._blocks: deque[_Block] = deque()
        self._begin = 0

    @property
    def nbytes(self) -> int:
        return sum(block.nbytes for block in self._blocks)

    def begin_block(self) -> None:
        self._blocks.append(_Block())

    def add(self, rows: pa.RecordBatch, free_bytes: int) -> None:
        block = self._blocks[-1]
        block.parts.append(rows)
        first, together, size = len(block.parts), 0, 0
        # As each part is at most as large as the later ones together, a tuple is copied few times.
        for part in reversed(block.parts):
            size += part.nbytes
            is_smaller = not together or part.num_rows <= together
            # Put together with rows that have nulls, a column may take twice as much.
            is_large = together + part.num_rows > self._most_rows or size > _LARGEST_PART
            if not is_smaller or is_large or 2 * size > free_bytes:
                break
            first, together = first - 1, together + part.num_rows
        if len(block.parts) - first > 1:
            block.parts[first:] = [pa.concat_batches(block.parts[first:])]
        block.nbytes = sum(part.nbytes for part in block.parts)

    def release_block(self, count: int) -> None:
        self._blocks.popleft()
        self._begin += count

    def take(self, numbers: Numbers, columns: Sequence[str] | None = None) -> pa.Table:
        found, places = [self._empty(columns)], np.empty(len(numbers), dtype=np.intp)
        # Arrow would put all parts together before it takes from them.
        for part, own, at in self._by_part(numbers, columns):
            places[at] = np.arange(len(at)) + sum(rows.num_rows for rows in found)
            found.append(pa.Table.from_batches([part.take(pa.array(own))]))
        if len(found) == 2:
            # All in one part: they are in order.
            return found[1]
        return pa.concat_tables(found).combine_chunks().take(pa.array(places))

    def pieces(
        self, numbers: Numbers, most_bytes: int, columns: Sequence[str] | None = None
    ) -> Iterator[tuple[int, int]]:
        sizes = np.zeros(len(numbers), dtype=np.int64)
        for part, own, at in self._by_part(numbers, columns):
            sizes[at] = row_sizes(part, own)
        return pieces(sizes, most_bytes)

    def _empty(self, columns: Sequence[str] | None) -> pa.Table:
        nothing = self._schema.empty_table()
        return nothing if columns is None else nothing.select(list(columns))

    def _by_part(
        self, numbers: Numbers, columns: Sequence[str] | None
    ) -> Iterator[tuple[pa.RecordBatch, Places, Places]]:
        """Each part with the places of its tuples among ``numbers``: in the part, and in ``numbers``."""
        parts = [part for block in self._blocks for part in block.parts]
        places = numbers - self._begin
        begins = np.cumsum([0, *(part.num_rows for part in parts)])
        # Small integers are sorted fastest.
        owners = (np.searchsorted(begins, places, "right") - 1).astype(np.min_scalar_type(len(parts)))
        order = np.argsort(owners, kind="stable")
        bounds = np.searchsorted(owners[order], np.arange(len(parts) + 1)).tolist()
        for part, begin, first, last in zip(parts, begins[:-1].tolist(), bounds[:-1], bounds[1:], strict=True):
            if first < last:
                at = order[first:last]
                yield part if columns is None else part.select(list(columns)), places[at] - begin, at


# A window is cut into this many blocks; memory is released one block at a time.
BLOCKS = 16
# Tuples are added to the window in packets of this part of it.
PACKETS = 32
# The most bytes of tuples that are fetched at a time.
FETCHED_BYTES = 2 << 20


@dataclass(frozen=True)
class Packet:
    """Tuples up to the number ``end`` that were added at once; ``start_page``: the first page of their cycle."""

    end: int
    start_page: int


@dataclass
class Block:
    """Tuples from the number ``begin`` on, and which of them matched a row of the relation, if that is recorded."""

    begin: int
    count: int = 0
    is_matched: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))

    @property
    def end(self) -> int:
        """The number after the last tuple."""
        return self.begin + self.count

    def mark_matched(self, numbers: Numbers) -> None:
        """Record that these tuples of this block matched a row."""
        self._grow_notes()
        self.is_matched[numbers - self.begin] = True

    def chosen(self, matched: bool) -> Numbers:
        """The numbers of the tuples that matched a row, or of the others."""
        self._grow_notes()
        return np.flatnonzero(self.is_matched == matched) + self.begin

    def _grow_notes(self) -> None:
        """A note for each tuple: tuples that were added since the last call have matched no row."""
        if len(self.is_matched) < self.count:
            self.is_matched = np.concatenate([self.is_matched, np.zeros(self.count - len(self.is_matched), dtype=bool)])


class Window:
    """Packets and blocks of the tuples that were not joined with all pages yet.

    - ``capacity``: the most tuples, except a block that has not been released yet
    - ``records_matches``: whether it is recorded which tuples matched a row
    """

    def __init__(self, schema: pa.Schema, capacity: int, records_matches: bool) -> None:
        self._block_rows, self._records_matches = -(-capacity // BLOCKS), records_matches
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
        return self._tuples.nbytes + self._records_matches * sum(block.count for block in self._blocks)

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
        """How many pages, from this one on, the oldest packet still has to be joined with."""
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

    def mark_matched(self, numbers: Numbers) -> None:
        """Record that these tuples matched a row."""
        for block in self._blocks:
            block.mark_matched(numbers[(numbers >= block.begin) & (numbers < block.end)])

    def take(self, numbers: Numbers, columns: Sequence[str] | None = None) -> pa.Table:
        """The tuples with these numbers, in this order; all columns or only these."""
        return self._tuples.take(numbers, columns)

    def pieces(
        self, numbers: Numbers, most_bytes: int, columns: Sequence[str] | None = None
    ) -> Iterator[tuple[int, int]]:
        """Where to cut these numbers, so that each piece takes up to so many bytes, or is one tuple."""
        return self._tuples.pieces(numbers, most_bytes, columns)

    def chosen(self, block: Block, matched: bool) -> Iterator[tuple[Numbers, pa.RecordBatch]]:
        """The block's tuples that matched a row, or the others, with their numbers."""
        numbers = block.chosen(matched)
        for begin, end in self.pieces(numbers, FETCHED_BYTES):
            own = numbers[begin:end]
            for rows in self.take(own).combine_chunks().to_batches():
                yield own, rows
