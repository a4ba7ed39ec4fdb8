"""A stream that sheds tuples if more come in than the memory serves, and keeps them (MJ08 4).

The shed tuples are written into a file. A later pass over that file is exact, and both passes together give the result
of the join without shedding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from deltawave.meshjoin.batches import pieces
from deltawave.meshjoin.operator import MeshJoin
from deltawave.meshjoin.shedding import Frequencies, Priority, keep_w, keys_of
from deltawave.meshjoin.stream import Counts, StreamBuffer
from laboratory.meshjoin.best_tuples import BestTuples, Limits
from laboratory.meshjoin.tuned import TunedPass, Tuner, greedy

# The beginning of each message of an Arrow stream.
_CONTINUATION = b"\xff\xff\xff\xff"
# The most tuples that are looked at at a time: their working arrays do not count as the join's memory.
_ROWS = 1 << 15
# The join reads ahead up to this many windows of tuples, to choose which it keeps.
_WINDOWS = 8


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
    """A stream whose tuples are all looked at as soon as they come in. Tuples that do not fit are shed.

    Raises ``FileExistsError`` if there are shed tuples in the file. The file is created at the first look at the
    stream.
    """

    def __init__(self, batches: Iterable[pa.RecordBatch | None], schema: pa.Schema, shed: Shed, counts: Counts) -> None:
        super().__init__(batches, schema)
        self._shed, self._counts = shed, counts
        self._waiting = BestTuples(schema)
        # The highest key of the tuples that did not fit. New tuples with this key or a lower one are shed at once.
        self._bound: int | None = None
        _require_no_tuples(Path(shed.path))
        self._file: pa.NativeFile | None = None
        self._numbered = 0

    @property
    def nbytes(self) -> int:
        return self._waiting.nbytes

    def gather(self, most_rows: int, most_bytes: int, spare_bytes: int, most_new: int) -> tuple[int, int]:
        """Look at up to ``most_new`` new tuples; return how many these are, and the most bytes that waited meanwhile.

        ``most_rows``, ``most_bytes``: how many of them fit; ``spare_bytes``: memory that is free in addition until this
        returns.
        """
        self._open()
        self._waiting.peak_bytes = self._waiting.nbytes
        if self.peek() is None:
            return 0, self.nbytes
        # The old bound was that of the tuples that waited in the last call.
        self._bound = None
        limits = Limits(most_rows, most_bytes, most_bytes + spare_bytes)
        new = 0
        # The limit is for streams that are always faster than this loop.
        while new < most_new and (found := self.peek()) is not None:
            rows = found.slice(0, min(_ROWS, most_new - new))
            sizes = self._waiting.sizes(rows, np.arange(rows.num_rows))
            for begin, end in pieces(sizes, limits.piece_bytes):
                is_wide = bool(sizes[begin] > limits.piece_bytes)
                self._add(rows.slice(begin, end - begin), is_wide, limits)
                # Only now, as the piece waits or is shed: after an earlier error, close still finds it in the batch.
                self._consumed += end - begin
            new += rows.num_rows
        if not self._waiting.is_within(limits):
            self._keep_best(limits)
        if self.has_ended:
            self._waiting.forget_keys()
            # Otherwise the heap keeps the holes that shed tuples have left, alongside what the window takes.
            pa.default_memory_pool().release_unused()
        return new, self._waiting.peak_bytes

    def _add(self, rows: pa.RecordBatch, is_wide: bool, limits: Limits) -> None:
        """Let the tuples of a piece wait, except for those that don't fit: these are shed."""
        frequencies = np.zeros(rows.num_rows) if self._shed.frequencies is None else self._shed.frequencies(rows)
        keys = keys_of(self._shed.priority(frequencies, self._numbered))
        self._numbered += rows.num_rows
        if not is_wide and not self._waiting.has_room(rows, limits.most_bytes):
            self._keep_best(limits)
        is_kept = np.ones(len(keys), dtype=bool) if self._bound is None else keys > self._bound
        if is_wide and not self._waiting.has_room(rows, limits.kept_bytes):
            # A piece of one wide tuple stays only if it fits without shedding others.
            is_kept[:] = False
        places = np.flatnonzero(is_kept)
        if len(places) < len(keys):
            self._write(rows.filter(pa.array(~is_kept)))
        if len(places):
            self._waiting.add(rows, keys, places, limits)

    def _keep_best(self, limits: Limits) -> None:
        if (bound := self._waiting.keep_best(limits, self._write)) is not None:
            self._bound = bound

    def _write(self, rows: pa.RecordBatch) -> None:
        self._written.write_batch(rows)
        self._counts.shed += rows.num_rows

    @property
    def held(self) -> pa.RecordBatch | None:
        return self._waiting.held

    def look(self) -> pa.RecordBatch | None:
        return self._waiting.held

    def advance(self, count: int) -> None:
        self._waiting.advance(count)

    def _open(self) -> None:
        if self._file is not None:
            return
        _require_no_tuples(Path(self._shed.path))
        self._file = pa.OSFile(str(self._shed.path), "wb")
        self._written = pa.ipc.new_stream(self._file, self._schema)
        # The schema is written with the first batch: so a run that is killed leaves a file that can be read.
        self._written.write_batch(pa.RecordBatch.from_pylist([], self._schema))

    def close(self) -> None:
        """Keep what was pulled in the file, if the join ends before its stream."""
        self._open()
        assert self._file is not None
        with self._file, self._written:
            while (waiting := self.held) is not None:
                self._written.write_batch(waiting)
                self.advance(waiting.num_rows)
            if (pulled := super().held) is not None:
                self._written.write_batch(pulled)


class _SheddingPass(TunedPass):
    _source: ShedStream

    def batches(self) -> Iterator[pa.RecordBatch]:
        try:
            yield from super().batches()
        finally:
            self._source.close()

    def _gather(self, room: int) -> int:
        used = self._own_bytes + self._window.nbytes
        free = max(0, self._join.memory_bytes - used - room * self._join.records_matches)
        spare = self._matcher_bytes if self._matcher is None else 0
        new, peak = self._source.gather(room, free, spare, _WINDOWS * self._capacity)
        self._counts.peak_bytes = max(self._counts.peak_bytes, used + max(self._source.nbytes, peak - spare))
        return new


def run_shedding(
    join: MeshJoin,
    stream: Iterable[pa.RecordBatch | None],
    shed: Shed,
    tuner: Tuner = greedy,
    counts: Counts | None = None,
) -> Iterator[pa.RecordBatch]:
    """``join.run``, where new tuples that do not fit are shed and kept in a file.

    Raises ``FileExistsError`` if that file has tuples, and ``ValueError`` for ``right_anti``: unmatched rows are not
    known before the last tuple.
    """
    if join.how == "right_anti":
        raise ValueError(
            "A right_anti mesh join can't shed tuples: which rows of the relation have no match is known only when "
            "all tuples were joined. Leave out shed."
        )
    counts = counts or Counts()
    return _SheddingPass(join, ShedStream(stream, join.stream_schema, shed, counts), tuner, counts).batches()
