"""The stream S of MESHJOIN: new tuples that wait to be read (MJ08 3.1)."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from deltawave.meshjoin.batches import copied


@dataclass
class Counts:
    """Counts of a join: iterations, pages read, tuples joined and shed, and the peak of accounted bytes."""

    iterations: int = 0
    pages: int = 0
    tuples: int = 0
    shed: int = 0
    peak_bytes: int = 0


class StreamBuffer:
    """A stream of record batches. None among them means that there is nothing new yet.

    One batch is held at a time, which does not count as the join's memory; the others wait at the stream's source.
    ``tuple_bytes``: the average size of the tuples; by default it is taken from the first ones.
    """

    def __init__(
        self, batches: Iterable[pa.RecordBatch | None], schema: pa.Schema, tuple_bytes: int | None = None
    ) -> None:
        self._batches, self._schema, self.tuple_bytes = iter(batches), schema, tuple_bytes
        self._batch: pa.RecordBatch | None = None
        self._consumed = 0
        self.has_ended = False

    @property
    def nbytes(self) -> int:
        """Bytes of waiting tuples that count as the join's memory."""
        return 0

    @property
    def held(self) -> pa.RecordBatch | None:
        """The waiting tuples that were looked at, without asking the stream for more."""
        return self._batch.slice(self._consumed) if self._batch is not None else None

    def look(self) -> pa.RecordBatch | None:
        """The next tuples that are held together; none if there are no new ones."""
        return self.peek()

    def peek(self) -> pa.RecordBatch | None:
        """The next tuples of the stream's current batch, not those that were gathered before; none if none is new."""
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
        while count and (new := self.look()) is not None:
            part = _fitting(new.slice(0, count), most_bytes)
            if not part.num_rows:
                break
            self.advance(part.num_rows)
            count -= part.num_rows
            # Tuples of previous batches are in memory twice while all are put together.
            most_bytes -= 2 * _copied_bytes(part)
            parts.append(part)
        return copied(parts) if parts else None

    def advance(self, count: int) -> None:
        """Skip ``count`` of the tuples that ``look`` returned."""
        self._consumed += count

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
