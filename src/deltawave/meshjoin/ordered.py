"""Results in the order of the stream (MJ08 3.4): they wait until their tuples leave the window.

Where the paper attaches results to the entries of the hash table, they wait in files here, one for each block of the
window: they may be many times larger than the window. The files have no names, so that nothing is left of a process
that is killed.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import IO

import numpy as np
import pyarrow as pa

from deltawave.meshjoin.hash_table import Numbers
from deltawave.meshjoin.sizes import pieces, row_sizes

# Results of so many bytes are put in order at a time: the file is looked through once for each.
_BYTES = 2 << 20


class Ordered:
    """Results that wait. ``numbers`` tell their tuples."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        # By the first number of each block.
        self._files: dict[int, tuple[IO[bytes], pa.ipc.RecordBatchStreamWriter]] = {}
        self._stored = pa.schema([pa.field("", pa.int64()), *schema])

    def add(self, numbers: Numbers, rows: pa.Table, begins: Numbers) -> None:
        """Add results; ``begins``: the first number of each block of the window."""
        blocks = np.searchsorted(begins, numbers, "right") - 1
        for place in np.unique(blocks):
            own = np.flatnonzero(blocks == place)
            cells = [pa.array(numbers[own]), *rows.take(pa.array(own)).columns]
            writer = self._writer(int(begins[place]))
            writer.write_table(pa.table(cells, schema=self._stored))

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
        places = [batch.column(0).to_numpy() - begin for batch in batches]
        sizes = np.zeros(max(int(own.max()) for own in places) + 1)
        for batch, own in zip(batches, places, strict=True):
            sizes += np.bincount(own, row_sizes(batch, np.arange(len(own))), len(sizes))
        for first, end in pieces(sizes.astype(np.int64), _BYTES):
            found = (
                (own[chosen], batch.take(pa.array(chosen)))
                for batch, own in zip(batches, places, strict=True)
                if len(chosen := np.flatnonzero((own >= first) & (own < end)))
            )
            if end - first == 1:
                # However many results a tuple has, they are in order.
                yield from (self._without_numbers(rows) for _, rows in found)
                continue
            own_places, rows = zip(*found, strict=True)
            order = np.argsort(np.concatenate(own_places), kind="stable")
            yield self._without_numbers(pa.concat_batches(rows).take(pa.array(order)))

    def _without_numbers(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        return pa.RecordBatch.from_arrays(rows.columns[1:], schema=self._schema)

    def close(self) -> None:
        """Remove the files."""
        for file, _ in self._files.values():
            file.close()

    def _writer(self, begin: int) -> pa.ipc.RecordBatchStreamWriter:
        if begin not in self._files:
            file = TemporaryFile(prefix="deltawave-ordered-")  # noqa: SIM115
            self._files[begin] = file, pa.ipc.new_stream(file, self._stored)
        return self._files[begin][1]
