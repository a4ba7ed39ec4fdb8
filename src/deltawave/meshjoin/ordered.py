"""Results in the order of the stream (MJ08 3.4): they wait until their tuples leave the window.

Where the paper attaches results to the entries of the hash table, they wait in files here, one for each block of the
window: they may be many times larger than the window.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa

from deltawave.meshjoin.hash_table import Numbers

_ROWS = 1 << 14


class Ordered:
    """Results that wait. ``numbers`` tell their tuples."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        self._folder = TemporaryDirectory(prefix="deltawave-ordered-")
        # By the first number of each block.
        self._files: dict[int, tuple[pa.OSFile, pa.ipc.RecordBatchStreamWriter]] = {}
        self._stored = pa.schema([pa.field("", pa.int64()), *schema])

    def add(self, numbers: Numbers, rows: pa.Table, begins: Numbers) -> None:
        """Add results; ``begins``: the first number of each block of the window."""
        blocks = np.searchsorted(begins, numbers, "right") - 1
        for place in np.unique(blocks):
            own = np.flatnonzero(blocks == place)
            cells = [pa.array(numbers[own]), *rows.take(pa.array(own)).columns]
            writer = self._writer(int(begins[place]))
            writer.write_table(pa.table(cells, schema=self._stored))

    def leave(self, begin: int, numbers: Numbers, unmet: pa.Table) -> Iterator[pa.RecordBatch]:
        """The results of a block, with the tuples that no row met."""
        waiting = [unmet.add_column(0, self._stored.field(0), pa.array(numbers, pa.int64()))]
        if begin in self._files:
            file, writer = self._files.pop(begin)
            writer.close()
            file.close()
            path = self._path(begin)
            with pa.memory_map(str(path)) as held:
                waiting.append(pa.ipc.open_stream(held).read_all())
            path.unlink()
        found = pa.concat_tables(waiting)
        order = np.argsort(found.column(0).to_numpy(), kind="stable")
        rows = found.select(range(1, found.num_columns))
        for first in range(0, len(order), _ROWS):
            part = rows.take(pa.array(order[first : first + _ROWS])).combine_chunks()
            yield from part.rename_columns(self._schema.names).to_batches()

    def close(self) -> None:
        """Remove the files."""
        for file, _ in self._files.values():
            file.close()
        self._folder.cleanup()

    def _writer(self, begin: int) -> pa.ipc.RecordBatchStreamWriter:
        if begin not in self._files:
            file = pa.OSFile(str(self._path(begin)), "wb")
            self._files[begin] = file, pa.ipc.new_stream(file, self._stored)
        return self._files[begin][1]

    def _path(self, begin: int) -> Path:
        return Path(self._folder.name, str(begin))
