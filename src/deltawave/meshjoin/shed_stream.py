"""A stream that sheds where more tuples arrive than the memory serves, and keeps what it sheds (MJ08 4).

The shed tuples are written into a file. A later pass over that file is exact, and both passes together give the result
of the join without shedding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from deltawave.meshjoin.shedding import Frequencies, Places, Priority, keep_w, kept
from deltawave.meshjoin.stream import Arrived


@dataclass(frozen=True)
class Shed:
    """How to shed.

    - ``path``: the file of the shed tuples; it is replaced
    - ``priority``: which tuples are kept (:mod:`deltawave.meshjoin.shedding`)
    - ``frequencies``: how many rows tuples meet (:mod:`deltawave.meshjoin.frequencies`), where the priority asks for it
    """

    path: str | Path
    priority: Priority = keep_w
    frequencies: Callable[[pa.RecordBatch], Frequencies] | None = None


def shed_tuples(path: str | Path) -> Iterator[pa.RecordBatch]:
    """The tuples that were shed into a file, for a later pass."""
    with pa.OSFile(str(path)) as file, pa.ipc.open_stream(file) as tuples:
        yield from tuples


class ShedStream(Arrived):
    """A stream whose tuples are all looked at as soon as they have arrived. Those that do not fit are shed."""

    def __init__(self, batches: Iterable[pa.RecordBatch | None], schema: pa.Schema, shed: Shed) -> None:
        super().__init__(batches, schema)
        self._shed = shed
        self._kept = schema.empty_table().combine_chunks()
        self._priorities = np.zeros(0)
        self._file = pa.OSFile(str(shed.path), "wb")
        self._written = pa.ipc.new_stream(self._file, schema)
        self._numbered = 0

    @property
    def nbytes(self) -> int:
        return int(self._kept.nbytes)

    def gather(self, most_rows: int, most_bytes: int) -> int:
        arrived = 0
        while (rows := super().look()) is not None:
            self._taken += rows.num_rows
            arrived += rows.num_rows
            found = np.zeros(rows.num_rows) if self._shed.frequencies is None else self._shed.frequencies(rows)
            self._priorities = np.concatenate([self._priorities, self._shed.priority(found, self._numbered)])
            self._numbered += rows.num_rows
            held = pa.concat_tables([self._kept, pa.table(rows)])
            fitting = min(most_rows, most_bytes * held.num_rows // max(1, held.nbytes))
            self._keep(held, kept(self._priorities, fitting))
        if self.has_ended and not self._file.closed:
            self._written.close()
            self._file.close()
        return arrived

    def _keep(self, held: pa.Table, places: Places) -> None:
        if len(places) < held.num_rows:
            dropped = np.setdiff1d(np.arange(held.num_rows), places, assume_unique=True)
            for batch in held.take(pa.array(dropped)).to_batches():
                self._written.write_batch(batch)
            self.shed += len(dropped)
        self._kept = held.take(pa.array(places)).combine_chunks()
        self._priorities = self._priorities[places]

    def look(self) -> pa.RecordBatch | None:
        return self._kept.to_batches()[0] if self._kept.num_rows else None

    def advance(self, count: int) -> None:
        self._kept, self._priorities = self._kept.slice(count), self._priorities[count:]
