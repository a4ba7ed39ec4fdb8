"""The stream S of MESHJOIN: tuples that have arrived and wait to be taken (MJ08 3.1, the stream's buffer)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa


class Arrived:
    """A stream of record batches. None among them means that nothing more has arrived yet.

    One batch is held at a time: the others wait where the stream comes from.
    """

    def __init__(self, batches: Iterable[pa.RecordBatch | None], schema: pa.Schema) -> None:
        self._batches, self._schema = iter(batches), schema
        self._batch: pa.RecordBatch | None = None
        self._taken = 0
        self.has_ended = False

    @property
    def nbytes(self) -> int:
        """What the batch that is held takes."""
        return self._batch.nbytes if self._batch is not None else 0

    def look(self) -> pa.RecordBatch | None:
        """The tuples that come next and are held together; none where nothing has arrived."""
        while self._batch is None or self._taken == self._batch.num_rows:
            self._batch, self._taken = None, 0
            if self.has_ended:
                return None
            try:
                found = next(self._batches)
            except StopIteration:
                self.has_ended = True
                return None
            if found is None:
                return None
            if found.schema != self._schema:
                found = _cast(found, self._schema)
            self._batch = found
        return self._batch.slice(self._taken)

    def take(self, count: int) -> pa.RecordBatch:
        """Take so many of the tuples that ``look`` showed, or all of them."""
        assert self._batch is not None
        rows = self._batch.slice(self._taken, count)
        self._taken += rows.num_rows
        if rows.num_rows == self._batch.num_rows:
            self._batch, self._taken = None, 0
            return rows
        # A slice would hold the whole batch in memory.
        return pa.RecordBatch.from_arrays([_copied(column) for column in rows.columns], schema=self._schema)

    def rest(self) -> Iterator[pa.RecordBatch]:
        """All tuples that are still to come."""
        while not self.has_ended:
            if (found := self.look()) is not None:
                yield self.take(found.num_rows)


def _copied(column: pa.Array) -> pa.Array:
    return pa.concat_arrays([column, column.slice(0, 0)])


def _cast(rows: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    if rows.schema.names != schema.names:
        raise ValueError(
            f"The stream has the columns {', '.join(rows.schema.names)}, and had {', '.join(schema.names)} before."
        )
    return rows.cast(schema)
