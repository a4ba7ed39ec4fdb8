"""A stream that sheds tuples if more come in than the memory serves, and keeps them (MJ08 4).

The shed tuples are written into a file. A later pass over that file is exact, and both passes together give the result
of the join without shedding.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from deltawave.meshjoin.batches import Places, Sizes, copied, row_sizes
from deltawave.meshjoin.operator import MeshJoin
from deltawave.meshjoin.shedding import Frequencies, Priority, Values, keep_w
from deltawave.meshjoin.stream import FETCHED_BYTES, Counts, StreamBuffer
from laboratory.meshjoin.arrivals import Polled
from laboratory.meshjoin.overload import Overload
from laboratory.meshjoin.tuned import TunedPass, Tuner, greedy

# The beginning of each message of an Arrow stream.
_CONTINUATION = b"\xff\xff\xff\xff"
# The best tuples take one of so many parts of the free memory: while others are put with them, they are copied.
_COPIES = 3
# The most tuples that are looked at at a time: their working arrays, and copies of FETCHED_BYTES, do not count as the
# join's memory.
_ROWS = 1 << 15


@dataclass(frozen=True)
class Shed:
    """How to shed.

    - ``path``: the file of the shed tuples; a file with tuples of a previous run is refused
    - ``priority``: which tuples are kept (:mod:`deltawave.meshjoin.shedding`)
    - ``frequencies``: how many rows tuples match (:mod:`deltawave.meshjoin.shedding`), if the priority needs it
    """

    path: str | Path
    priority: Priority = keep_w
    frequencies: Callable[[pa.RecordBatch], Frequencies] | None = None


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


def _require_no_tuples(path: Path) -> None:
    """Raise ``FileExistsError`` for a file that has tuples, or is something else."""
    if not path.exists():
        return
    try:
        has_tuples = next(shed_tuples(path), None) is not None
    except (OSError, pa.ArrowInvalid) as error:
        raise FileExistsError(f"{path} is there, and no file of shed tuples: name another one.") from error
    if has_tuples:
        raise FileExistsError(f"{path} has tuples that a previous run shed: join them first, and remove it.")


class ShedStream(StreamBuffer):
    """A stream that sheds tuples while it is faster than the join.

    Then several tuples are looked at for each one that is taken, and the best are taken: as many as come in while the
    join takes one (MJ08 4.1). Otherwise it is like any other stream.

    Raises ``FileExistsError`` if there are shed tuples in the file. The file is created when tuples are first taken.
    """

    def __init__(
        self,
        batches: Iterable[pa.RecordBatch | None],
        join: MeshJoin,
        shed: Shed,
        counts: Counts,
        clock: Callable[[], float],
    ) -> None:
        super().__init__(Polled(batches, clock), join.stream_schema)
        self._shed, self._counts = shed, counts
        self._pages = join.relation.pages
        self._overload = Overload(clock)
        _require_no_tuples(Path(shed.path))
        self._file: pa.NativeFile | None = None
        self._numbered = 0

    @property
    def overload(self) -> float:
        """How many tuples come in for each one that is joined; 1 if none are shed."""
        return self._overload.ratio

    def take(self, count: int, most_bytes: int) -> pa.RecordBatch | None:
        self._open()
        shed = self._counts.shed
        rows = super().take(count, most_bytes) if self.overload == 1 else self._best(count, most_bytes)
        taken = rows.num_rows if rows is not None else 0
        looked, readings = taken + self._counts.shed - shed, self._counts.pages / self._pages
        self._overload.add(looked, taken, readings, has_more=self.held is not None)
        return rows

    def _best(self, count: int, most_bytes: int) -> pa.RecordBatch | None:
        """Look at more tuples than are taken; shed those of the lowest priorities, of equal ones the later."""
        if (new := self.peek()) is None:
            return None
        kept, priorities, looked = new.slice(0, 0), np.zeros(0), 0
        part_bytes = most_bytes // _COPIES
        average = self._sizes(new.slice(0, count)).mean()
        count = min(count, int(part_bytes // average), _ROWS)
        if not count:
            # Too wide to be compared with others.
            return super().take(1, most_bytes)
        try:
            while (wanted := math.ceil(self.overload * count) - looked) > 0 and (new := self.peek()) is not None:
                new = new.slice(0, min(wanted, _ROWS, max(count, int(FETCHED_BYTES // average))))
                priorities = np.concatenate([priorities, self._priorities(new)])
                sizes = np.concatenate([self._sizes(kept), self._sizes(new)])
                # One that does not fit would take the place of all others: it comes after those without a match, too.
                priorities[sizes > part_bytes] = np.nan
                best = _best_places(priorities, sizes, count, part_bytes)
                chosen, others = _divided(kept, new, best)
                # Only now: what fails before is still held.
                looked += new.num_rows
                self._consumed += new.num_rows
                kept, priorities = chosen, priorities[best]
                for rows in others:
                    self._write(rows)
        except BaseException:
            # The stream does not give them back.
            self._written.write_batch(kept)
            raise
        return kept

    def _priorities(self, rows: pa.RecordBatch) -> Values:
        """The priorities of the next tuples."""
        frequencies = np.zeros(rows.num_rows) if self._shed.frequencies is None else self._shed.frequencies(rows)
        found = self._shed.priority(frequencies, self._numbered)
        self._numbered += rows.num_rows
        return found

    def _sizes(self, rows: pa.RecordBatch) -> Sizes:
        """The bytes of each tuple, with a bit per column for nulls."""
        sizes: Sizes = row_sizes(rows, np.arange(rows.num_rows)) - (-rows.num_columns // 8)
        return sizes

    def _write(self, rows: pa.RecordBatch) -> None:
        self._written.write_batch(rows)
        self._counts.shed += rows.num_rows

    def _open(self) -> None:
        if self._file is not None:
            return
        _require_no_tuples(Path(self._shed.path))
        self._file = pa.OSFile(str(self._shed.path), "wb")
        self._written = pa.ipc.new_stream(self._file, self._schema)
        # The schema is written with the first batch: so a run that is killed leaves a file that can be read.
        self._written.write_batch(pa.RecordBatch.from_pylist([], self._schema))

    def close(self, unfinished: Iterable[pa.RecordBatch]) -> None:
        """Keep what was pulled and not joined in the file, if the join ends before its stream."""
        self._open()
        assert self._file is not None
        with self._file, self._written:
            for rows in (*unfinished, self.held):
                if rows is not None:
                    self._written.write_batch(rows)


def _best_places(priorities: Values, sizes: Sizes, count: int, most_bytes: int) -> Places:
    """The places of up to ``count`` tuples of the highest priorities that fit, ascending; of equal ones the first."""
    order = np.argsort(-priorities, kind="stable")[:count]
    fitting = int(np.searchsorted(np.cumsum(sizes[order]), most_bytes, "right"))
    return np.sort(order[:fitting])


def _divided(
    first: pa.RecordBatch, second: pa.RecordBatch, best: Places
) -> tuple[pa.RecordBatch, list[pa.RecordBatch]]:
    """Copies of the best of these tuples, together; and the others."""
    is_best = np.zeros(first.num_rows + second.num_rows, dtype=bool)
    is_best[best] = True
    parts, others = [], []
    for rows, chosen in ((first, is_best[: first.num_rows]), (second, is_best[first.num_rows :])):
        if not chosen.all():
            others.append(rows.filter(pa.array(~chosen)))
        parts.append(rows if chosen.all() else rows.filter(pa.array(chosen)))
    return copied(parts), others


class _SheddingPass(TunedPass):
    _source: ShedStream

    @property
    def overload(self) -> float:
        return self._source.overload

    def batches(self) -> Iterator[pa.RecordBatch]:
        try:
            yield from super().batches()
        finally:
            self._source.close(self._unfinished())

    def _unfinished(self) -> Iterator[pa.RecordBatch]:
        """The tuples of the window, of which some results may not have been returned."""
        # Without tuples there is none.
        if (window := getattr(self, "_window", None)) is not None:
            yield from (part for block in window._blocks for part in block.parts)


def run_shedding(
    join: MeshJoin,
    stream: Iterable[pa.RecordBatch | None],
    shed: Shed,
    tuner: Tuner = greedy,
    counts: Counts | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[pa.RecordBatch]:
    """``join.run``, where tuples are shed and kept in a file while more of them come in than are served.

    ``clock`` gives seconds. Raises ``FileExistsError`` if that file has tuples, and ``ValueError`` for ``right_anti``:
    unmatched rows are not known before the last tuple.
    """
    if join.how == "right_anti":
        raise ValueError(
            "A right_anti mesh join can't shed tuples: which rows of the relation have no match is known only when "
            "all tuples were joined. Leave out shed."
        )
    counts = counts or Counts()
    return _SheddingPass(join, ShedStream(stream, join, shed, counts, clock), tuner, counts).batches()
