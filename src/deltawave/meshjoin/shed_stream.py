"""A stream that sheds tuples if more arrive than the memory serves, and keeps them (MJ08 4).

The shed tuples are written into a file. A later pass over that file is exact, and both passes together give the result
of the join without shedding.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from deltawave.meshjoin.shedding import Frequencies, Places, Priority, keep_w, kept
from deltawave.meshjoin.sizes import pieces, row_sizes
from deltawave.meshjoin.stream import Arrived

# The beginning of each message of an Arrow stream.
_CONTINUATION = b"\xff\xff\xff\xff"
# The number of waiting parts; one of them is in memory twice while it is taken.
_PARTS = 16


@dataclass(frozen=True)
class Shed:
    """How to shed.

    - ``path``: the file of the shed tuples; a file with tuples of a former run is refused
    - ``priority``: which tuples are kept (:mod:`deltawave.meshjoin.shedding`)
    - ``frequencies``: how many rows tuples meet (:mod:`deltawave.meshjoin.frequencies`), if the priority needs it
    - ``has_arrived``: the whole stream has arrived when the join begins, like a micro-batch. Then all tuples are looked
      at at once, and the kept ones are joined in about one cycle
    """

    path: str | Path
    priority: Priority = keep_w
    frequencies: Callable[[pa.RecordBatch], Frequencies] | None = None
    has_arrived: bool = False


def shed_tuples(path: str | Path) -> Iterator[pa.RecordBatch]:
    """The tuples that were shed into a file, for a later pass; after a killed run, those written until then."""
    with pa.OSFile(str(path)) as file:
        try:
            tuples = pa.ipc.open_stream(file)
        except (OSError, pa.ArrowInvalid):
            if not _begins_a_stream(file):
                raise
            return
        while True:
            try:
                found = tuples.read_next_batch()
            except StopIteration:
                return
            except (OSError, pa.ArrowInvalid):
                if file.tell() < file.size():
                    raise
                # The last batch is cut off.
                return
            if found.num_rows:
                yield found


def _begins_a_stream(file: pa.NativeFile) -> bool:
    """Whether a file ends within the schema, because its run was killed at once."""
    is_read = file.tell() >= file.size()
    file.seek(0)
    begin = file.read(len(_CONTINUATION))
    return is_read and _CONTINUATION.startswith(begin)


def _demand_no_tuples(path: Path) -> None:
    """Raise ``FileExistsError`` for a file that has tuples, or is something else."""
    if not path.exists():
        return
    try:
        has_tuples = next(shed_tuples(path), None) is not None
    except (OSError, pa.ArrowInvalid) as error:
        raise FileExistsError(f"{path} is there, and no file of shed tuples: name another one.") from error
    if has_tuples:
        raise FileExistsError(f"{path} has tuples that a former run shed: join them first, and remove it.")


class ShedStream(Arrived):
    """A stream whose tuples are all looked at as soon as they have arrived. Tuples that do not fit are shed.

    Raises ``FileExistsError`` if there are shed tuples in the file. The file is created at the first look at the
    stream.
    """

    def __init__(self, batches: Iterable[pa.RecordBatch | None], schema: pa.Schema, shed: Shed) -> None:
        super().__init__(batches, schema)
        self._shed = shed
        # The waiting tuples: a part stays in memory until all of it is taken.
        self._parts: list[pa.RecordBatch] = []
        # How many tuples of the first part are taken.
        self._gone = 0
        self._sizes, self._priorities = np.zeros(0, dtype=np.int64), np.zeros(0)
        _demand_no_tuples(Path(shed.path))
        self._file: pa.NativeFile | None = None
        self._numbered = 0

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in self._parts)

    def gather(self, most_rows: int, most_bytes: int, most_arrived: int) -> int:
        arrived = 0
        self._open()
        if self._shed.has_arrived:
            most_arrived = sys.maxsize
        # The limit is for streams that are always faster than this loop.
        while arrived < most_arrived and (found := self.peek()) is not None:
            rows = found.slice(0, most_arrived - arrived)
            frequencies = np.zeros(rows.num_rows) if self._shed.frequencies is None else self._shed.frequencies(rows)
            added = self._shed.priority(frequencies, self._numbered)
            self._numbered += rows.num_rows
            # Including one bit per column for nulls.
            sizes = row_sizes(rows, np.arange(rows.num_rows)) + -(-rows.num_columns // 8)
            self._priorities = np.concatenate([self._priorities, added])
            self._sizes = np.concatenate([self._sizes, sizes])
            parts = [rows.slice(begin, end - begin) for begin, end in pieces(sizes, most_bytes // _PARTS)]
            self._keep(parts, self._fitting(most_rows, most_bytes - 2 * _PARTS * rows.num_columns))
            # By now it waits or is shed: after an error before, close would find it nowhere.
            self._taken += rows.num_rows
            arrived += rows.num_rows
        return arrived

    def _fitting(self, most_rows: int, most_bytes: int) -> Places:
        """The places of the tuples of highest priority that fit, if one part of them is in memory twice."""
        places = np.flatnonzero(2 * self._sizes <= most_bytes)
        places = places[kept(self._priorities[places], most_rows)]
        room = most_bytes - max(most_bytes // _PARTS, int(self._sizes[places].max(initial=0)))
        if self._sizes[places].sum() <= room:
            return places
        best = places[np.argsort(-self._priorities[places], kind="stable")]
        return np.sort(best[: np.searchsorted(np.cumsum(self._sizes[best]), room, "right")])

    def _keep(self, added: list[pa.RecordBatch], places: Places) -> None:
        """Keep the waiting and added tuples at these places, and shed the others."""
        is_kept = np.zeros(len(self._priorities), dtype=bool)
        is_kept[places] = True
        if len(places) < len(is_kept) and self._gone:
            self._parts[0], self._gone = self._parts[0].slice(self._gone), 0
        begin, waiting = -self._gone, []
        for at, part in enumerate([*self._parts, *added]):
            own = is_kept[max(0, begin) : begin + part.num_rows]
            begin += part.num_rows
            if not own.all():
                self._written.write_batch(part.filter(pa.array(~own)))
            if at < len(self._parts) and own.all():
                waiting.append(part)
            elif own.any():
                waiting.append(part.take(pa.array(np.flatnonzero(own))))
        self.shed += len(is_kept) - len(places)
        self._parts, self._priorities, self._sizes = waiting, self._priorities[places], self._sizes[places]

    @property
    def held(self) -> pa.RecordBatch | None:
        return self._parts[0].slice(self._gone) if self._parts else None

    def look(self) -> pa.RecordBatch | None:
        return self.held

    def advance(self, count: int) -> None:
        self._priorities, self._sizes = self._priorities[count:], self._sizes[count:]
        self._gone += count
        if self._gone == self._parts[0].num_rows:
            self._gone = 0
            del self._parts[0]

    def _open(self) -> None:
        if self._file is not None:
            return
        _demand_no_tuples(Path(self._shed.path))
        self._file = pa.OSFile(str(self._shed.path), "wb")
        self._written = pa.ipc.new_stream(self._file, self._schema)
        # The schema is written with the first batch: so a run that is killed leaves a file that can be read.
        self._written.write_batch(pa.RecordBatch.from_pylist([], self._schema))

    def close(self) -> None:
        self._open()
        assert self._file is not None
        # If the join ends before its stream.
        while (waiting := self.held) is not None:
            self._written.write_batch(waiting)
            self.advance(waiting.num_rows)
        if (pulled := super().held) is not None:
            self._written.write_batch(pulled)
        self._written.close()
        self._file.close()
