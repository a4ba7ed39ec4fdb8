"""MESHJOIN whose results come in the order of the stream (MJ08 3.4)."""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Iterator
from tempfile import TemporaryFile
from typing import IO

import numpy as np
import pyarrow as pa

from deltawave.meshjoin.batches import pieces, row_sizes
from deltawave.meshjoin.operator import MeshJoin
from deltawave.meshjoin.stream import Block, Counts, StreamBuffer
from deltawave.meshjoin.stream_hash_table import Numbers
from laboratory.meshjoin.tuned import TunedPass, Tuner, greedy

# Bytes of results that are put in order at a time: each time the file is read once.
_BYTES = 2 << 20


class Ordered:
    """Results that wait. ``numbers`` are those of their tuples."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        # By the first number of each block.
        self._files: dict[int, tuple[IO[bytes], pa.ipc.RecordBatchStreamWriter]] = {}
        self._stored = pa.schema([pa.field("", pa.int64()), *schema])

    def add(self, numbers: Numbers, rows: pa.Table, begins: Numbers) -> None:
        """Add results; ``begins``: the first number of each block of the window."""
        order = np.argsort(numbers, kind="stable")
        numbers = numbers[order]
        bounds = [*np.searchsorted(numbers, begins).tolist(), len(numbers)]
        for begin, first, last in zip(begins.tolist(), bounds[:-1], bounds[1:], strict=True):
            if first < last:
                cells = [pa.array(numbers[first:last]), *rows.take(pa.array(order[first:last])).columns]
                self._writer(begin).write_table(pa.table(cells, schema=self._stored))

    def leave(self, begin: int) -> Iterator[pa.RecordBatch]:
        """The results of a block."""
        if begin not in self._files:
            return
        file, writer = self._files.pop(begin)
        with file:
            writer.close()
            file.flush()
            mapped = pa.py_buffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            yield from self._in_order(list(pa.ipc.open_stream(mapped)), begin)

    def _in_order(self, batches: list[pa.RecordBatch], begin: int) -> Iterator[pa.RecordBatch]:
        """``begin``: the first number there may be."""
        # Views of the file, each of them in order.
        numbers = [batch.column(0).to_numpy() for batch in batches]
        sizes = np.zeros(max(int(own[-1]) for own in numbers) + 1 - begin)
        for batch, own in zip(batches, numbers, strict=True):
            sizes += np.bincount(own - begin, row_sizes(batch, np.arange(len(own))), len(sizes))
        for first, end in pieces(sizes.astype(np.int64), _BYTES):
            found = (
                batch.take(pa.array(np.arange(*bounds)))
                for batch, own in zip(batches, numbers, strict=True)
                if len(range(*(bounds := np.searchsorted(own, (first + begin, end + begin)).tolist())))
            )
            if end - first == 1:
                # However many results a tuple has, they are in order.
                yield from map(self._without_numbers, found)
                continue
            # There are tuples without results.
            if parts := list(found):
                rows = pa.concat_batches(parts)
                order = np.argsort(rows.column(0).to_numpy(), kind="stable")
                yield self._without_numbers(rows.take(pa.array(order)))

    def _without_numbers(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        return pa.RecordBatch.from_arrays(rows.columns[1:], schema=self._schema)

    def close(self) -> None:
        for file, _ in self._files.values():
            file.close()

    def _writer(self, begin: int) -> pa.ipc.RecordBatchStreamWriter:
        if begin not in self._files:
            file = TemporaryFile(prefix="deltawave-ordered-")  # noqa: SIM115
            self._files[begin] = file, pa.ipc.new_stream(file, self._stored)
        return self._files[begin][1]


class _OrderedPass(TunedPass):
    def __init__(self, join: MeshJoin, source: StreamBuffer, tuner: Tuner, counts: Counts) -> None:
        super().__init__(join, source, tuner, counts)
        self._ordered = Ordered(join.schema)

    def batches(self) -> Iterator[pa.RecordBatch]:
        try:
            yield from super().batches()
        finally:
            self._ordered.close()

    def _found_for(self, numbers: Numbers, rows: pa.Table) -> Iterable[pa.RecordBatch]:
        begins = np.array([block.begin for block in self._window._blocks], dtype=np.int64)
        self._ordered.add(numbers, rows, begins)
        return ()

    def _last_results(self, block: Block) -> Iterator[pa.RecordBatch]:
        yield from super()._last_results(block)
        yield from self._ordered.leave(block.begin)


def run_ordered(
    join: MeshJoin,
    stream: Iterable[pa.RecordBatch | None],
    tuner: Tuner = greedy,
    counts: Counts | None = None,
) -> Iterator[pa.RecordBatch]:
    """``join.run`` in the order of the stream: a tuple's results come when it was joined with all pages.

    Until then they wait in temporary files.
    """
    source = StreamBuffer(stream, join.stream_schema)
    return _OrderedPass(join, source, tuner, counts or Counts()).batches()
