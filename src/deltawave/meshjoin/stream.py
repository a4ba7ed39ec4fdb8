"""The stream S of MESHJOIN, and the sliding window over it: the queue Q and its tuples (MJ08 3.1, Figures 3, 6).

Tuples are numbered as they come in. A packet is the tuples that one iteration added: it expires when it was
joined with all pages of the relation. Tuples are stored in blocks of several packets, which are released whole.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltawave.meshjoin.batches import Places, copied, pieces, row_sizes
from deltawave.meshjoin.stream_hash_table import Numbers


@dataclass
class Counts:
    """Counts of a join: iterations, pages read, tuples joined and shed, and the peak of accounted bytes.

    ``spared_seconds``: what shedding a micro-batch spared, by the time that its window took: negative if choosing and
    keeping the shed tuples took longer than joining them would have.
    """

    iterations: int = 0
    pages: int = 0
    tuples: int = 0
    shed: int = 0
    peak_bytes: int = 0
    spared_seconds: float = 0.0


class StreamBuffer:
    """A stream of record batches. None among them means that there is nothing new yet.

    One batch is held at a time, which does not count as the join's memory; the others wait at the stream's source.
    ``tuple_bytes``: the average size of the tuples; by default that of the first ones.
    """

    def __init__(
        self, batches: Iterable[pa.RecordBatch | None], schema: pa.Schema, tuple_bytes: int | None = None
    ) -> None:
        self._batches, self._schema, self.tuple_bytes = iter(batches), schema, tuple_bytes
        self._batch: pa.RecordBatch | None = None
        self._consumed = 0
        self.has_ended = False

    @property
    def held(self) -> pa.RecordBatch | None:
        """The rest of the current batch, perhaps no tuples; none if the stream had nothing new when last asked."""
        return self._batch.slice(self._consumed) if self._batch is not None else None

    def peek(self) -> pa.RecordBatch | None:
        """The next tuples, which are held together; none if there are no new ones."""
        while self._batch is None or self._consumed == self._batch.num_rows:
            self._batch, self._consumed = None, 0
            if self.has_ended:
                return None
            try:
                found = next(self._batches)
            except StopIteration:
                self.has_ended = True
                return None
            if found is None:
                return None
            if (names := found.schema.names) != self._schema.names:
                raise ValueError(
                    f"The stream has the columns {', '.join(names)}, and had {', '.join(self._schema.names)} before."
                )
            self._batch = found.cast(self._schema)
        return self._batch.slice(self._consumed)

    def take(self, count: int, most_bytes: int) -> pa.RecordBatch | None:
        """Take up to ``count`` tuples, copied into up to ``most_bytes`` bytes; none if none is new or fits."""
        parts: list[pa.RecordBatch] = []
        while count and (new := self._next_after(parts)) is not None:
            part = _fitting(new.slice(0, count), most_bytes)
            if not part.num_rows:
                break
            self._consumed += part.num_rows
            count -= part.num_rows
            # Tuples of previous batches are in memory twice while all are put together.
            most_bytes -= 2 * _copied_bytes(part)
            parts.append(part)
        return copied(parts) if parts else None

    def _next_after(self, parts: Sequence[pa.RecordBatch]) -> pa.RecordBatch | None:
        """The next tuples. If the stream fails, these parts of it are held again, as it does not give them back."""
        try:
            return self.peek()
        except BaseException:
            self._batch = copied(parts) if parts else None
            raise

    def rest(self) -> Iterator[pa.RecordBatch]:
        while not self.has_ended:
            if (found := self.peek()) is not None:
                self._consumed += found.num_rows
                yield found


def _fitting(rows: pa.RecordBatch, most_bytes: int) -> pa.RecordBatch:
    """As many of the first rows as fit in ``most_bytes`` bytes."""
    if _copied_bytes(rows) <= most_bytes:
        return rows
    counts = range(1, rows.num_rows)
    return rows.slice(0, bisect_right(counts, most_bytes, key=lambda count: _copied_bytes(rows.slice(0, count))))


def _copied_bytes(rows: pa.RecordBatch) -> int:
    # Put together with rows that have nulls, each column gets one bit per row.
    size: int = rows.nbytes + rows.num_columns * (rows.num_rows // 8 + 1)
    return size


# Texts of one array take up to 2 GiB.
_LARGEST_PART = 1 << 30
# A window is cut into this many blocks; memory is released one block at a time.
BLOCKS = 16
# Tuples are added to the window in packets of this part of it.
PACKETS = 32
# The most bytes of tuples that are fetched at a time.
FETCHED_BYTES = 2 << 20


@dataclass
class Block:
    """Tuples from the number ``begin`` on, in batches; ``is_matched``: which matched a row, if that is recorded."""

    begin: int
    is_matched: npt.NDArray[np.bool_]
    parts: list[pa.RecordBatch] = field(default_factory=list)
    count: int = 0
    nbytes: int = 0

    @property
    def end(self) -> int:
        return self.begin + self.count

    def add(self, rows: pa.RecordBatch, most_rows: int, spare_bytes: int) -> None:
        """Add tuples. As fetching from many batches takes long, small ones are put together, of up to ``most_rows``."""
        self.count += rows.num_rows
        self.parts.append(rows)
        first, together, size = len(self.parts), 0, 0
        # As each part is at most as large as the later ones together, a tuple is copied few times.
        for part in reversed(self.parts):
            size += part.nbytes
            is_smaller = not together or part.num_rows <= together
            # Put together with rows that have nulls, a column may take twice as much.
            is_large = together + part.num_rows > most_rows or size > _LARGEST_PART
            if not is_smaller or is_large or 2 * size > spare_bytes:
                break
            first, together = first - 1, together + part.num_rows
        if len(self.parts) - first > 1:
            self.parts[first:] = [pa.concat_batches(self.parts[first:])]
        self.nbytes = sum(part.nbytes for part in self.parts)


class Window:
    """Packets and blocks of the tuples that were not joined with all pages yet.

    - ``capacity``: the most tuples, except a block that has not been released yet
    - ``records_matches``: whether it is recorded which tuples matched a row
    """

    def __init__(self, schema: pa.Schema, capacity: int, records_matches: bool) -> None:
        self._schema, self._records_matches = schema, records_matches
        self._block_rows = -(-capacity // BLOCKS)
        # The first page of each one's cycle, and the number after its last tuple.
        self._packets: deque[tuple[int, int]] = deque()
        self._blocks: deque[Block] = deque()
        self.begin = self.end = 0

    @property
    def is_empty(self) -> bool:
        return not self._packets

    @property
    def nbytes(self) -> int:
        """The bytes of the tuples and of the notes."""
        return sum(block.nbytes + self._records_matches * block.count for block in self._blocks)

    def add(self, rows: pa.RecordBatch, start_page: int, spare_bytes: int) -> None:
        """Add a packet. ``spare_bytes``: memory that this may use in addition."""
        if not self._blocks or self._blocks[-1].count >= self._block_rows:
            # The packet that fills a block is at most as large as another one.
            notes = 2 * self._block_rows if self._records_matches else 0
            self._blocks.append(Block(self.end, np.zeros(notes, dtype=bool)))
        self._blocks[-1].add(rows, self._block_rows // 2, spare_bytes)
        self.end += rows.num_rows
        self._packets.append((start_page, self.end))

    def pages_until_expiry(self, page: int, pages: int) -> int:
        """How many pages, from this one on, the oldest packet still has to be joined with."""
        return (self._packets[0][0] - page - 1) % pages + 1 if self._packets else pages

    def expire(self, page: int) -> int:
        """Drop the packets that began with the next page; return how many tuples they had."""
        begin = self.begin
        while self._packets and self._packets[0][0] == page:
            _, self.begin = self._packets.popleft()
        return self.begin - begin

    def expired_blocks(self) -> list[Block]:
        """Blocks without packets, which can be released."""
        return [block for block in self._blocks if block.end <= self.begin]

    def release_block(self) -> None:
        self._blocks.popleft()

    def mark_matched(self, numbers: Numbers) -> None:
        """Record that these tuples matched a row, if that is recorded."""
        for block in self._blocks if self._records_matches else ():
            block.is_matched[numbers[(numbers >= block.begin) & (numbers < block.end)] - block.begin] = True

    def chosen(self, block: Block, matched: bool) -> Iterator[tuple[Numbers, pa.RecordBatch]]:
        """The block's tuples that matched a row, or the others, with their numbers."""
        numbers = np.flatnonzero(block.is_matched[: block.count] == matched) + block.begin
        for begin, end in self.pieces(numbers, FETCHED_BYTES):
            own = numbers[begin:end]
            for rows in self.take(own).combine_chunks().to_batches():
                yield own, rows

    def take(self, numbers: Numbers, columns: Sequence[str] | None = None) -> pa.Table:
        """The tuples with these numbers, in this order; all columns or only these."""
        nothing = self._schema.empty_table()
        found = [nothing if columns is None else nothing.select(list(columns))]
        places = np.empty(len(numbers), dtype=np.intp)
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
        """Where to cut these numbers, so that each piece takes up to so many bytes, or is one tuple."""
        sizes = np.zeros(len(numbers), dtype=np.int64)
        for part, own, at in self._by_part(numbers, columns):
            sizes[at] = row_sizes(part, own)
        return pieces(sizes, most_bytes)

    def _by_part(
        self, numbers: Numbers, columns: Sequence[str] | None
    ) -> Iterator[tuple[pa.RecordBatch, Places, Places]]:
        """Each part with the places of its tuples among ``numbers``: in the part, and in ``numbers``."""
        parts = [part for block in self._blocks for part in block.parts]
        places = numbers - self._blocks[0].begin if parts else numbers
        begins = np.cumsum([0, *(part.num_rows for part in parts)])
        # Small integers are sorted fastest.
        owners = (np.searchsorted(begins, places, "right") - 1).astype(np.min_scalar_type(len(parts)))
        order = np.argsort(owners, kind="stable")
        bounds = np.searchsorted(owners[order], np.arange(len(parts) + 1)).tolist()
        for part, begin, first, last in zip(parts, begins[:-1].tolist(), bounds[:-1], bounds[1:], strict=True):
            if first < last:
                at = order[first:last]
                yield part if columns is None else part.select(list(columns)), places[at] - begin, at
