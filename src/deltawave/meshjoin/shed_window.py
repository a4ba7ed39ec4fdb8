"""One window of a micro-batch: the tuples of the highest priorities that fit in memory; the others are shed (MJ08 4).

All tuples of a micro-batch are there when it begins. They wait in a temporary file with their priorities, so that only
those that are kept take the join's memory, and the relation is read once.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltawave.meshjoin.batches import Sizes, row_sizes
from deltawave.meshjoin.conditions import Equal
from deltawave.meshjoin.operator import MeshJoin
from deltawave.meshjoin.shedding import (
    BY_FREQUENCY,
    INCLUSION,
    PRIORITIES,
    SketchedFrequencies,
    keys_of,
    priority_of,
)
from deltawave.meshjoin.stream import Counts, StreamBuffer

# Of several tuples of equal priority the first are kept: a key is a priority, and below it how many tuples may follow.
_Keys = npt.NDArray[np.uint64]
_NUMBER_BITS = np.uint64(32)
# The bound between kept and shed keys is found by digits, so that nothing as long as the micro-batch is sorted.
_DIGIT_BITS, _SHIFTS = 8, range(56, -1, -8)
# A tuple of more than this part of the memory has the lowest priority: it would take the place of many.
_PART_OF_MEMORY = 16
# Tuples that are looked at at a time: their working arrays do not count as the join's memory.
_ROWS = 1 << 15


class _Kept(NamedTuple):
    """The tuples with keys above ``bound`` are kept: so many ``rows``, of so many bytes. Above 0 are all keys."""

    bound: int
    rows: int
    size: int


def shedding(
    join: MeshJoin, tuples: Iterable[pa.RecordBatch], priority: str, file: str | None, schema: pa.Schema, counts: Counts
) -> Iterator[pa.RecordBatch]:
    """The results of one window of the tuples, and then the shed tuples.

    ``file``: that of the relation's pages. ``schema``: the join's columns, if wanted the probability with which the
    tuple was kept, and whether the row is a shed tuple
    """
    frequencies = None
    if priority in BY_FREQUENCY and file is not None and isinstance(join.condition, Equal):
        frequencies = SketchedFrequencies.stored(file, join.relation, join.condition)
    with TemporaryDirectory(prefix="deltawave-shed-") as folder:
        waiting = _Waiting(Path(folder) / "waiting.arrow", join.stream_schema)
        total = waiting.write(tuples, priority, frequencies, join.memory_bytes // _PART_OF_MEMORY)
        kept = waiting.best(join)
        counts.shed = total - kept.rows
        stream = StreamBuffer(waiting.rows(kept.bound), join.stream_schema, -(-kept.size // max(1, kept.rows)))
        for found in join.run(stream, counts=counts):
            cells = found.columns
            if len(schema) > len(join.schema) + 1:
                cells = [*cells, _probability(found, priority, kept.bound, frequencies)]
            yield _marked(cells, False, schema)
        for rest in waiting.rows(kept.bound, are_kept=False) if counts.shed else ():
            yield _marked(rest.columns, True, schema)


class _Waiting:
    """A file of tuples, each with its key and its size. It is mapped into memory."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._path, self._names = path, schema.names
        self._schema = pa.schema([*schema, pa.field("", pa.uint64()), pa.field("", pa.int64())])

    def write(
        self, tuples: Iterable[pa.RecordBatch], priority: str, frequencies: SketchedFrequencies | None, most_bytes: int
    ) -> int:
        """Write the tuples, and return how many they are. Those of more than ``most_bytes`` are shed first."""
        priority_for, number = PRIORITIES[priority](np.random.default_rng()), 0
        null_bytes = -(-len(self._names) // 8)
        with pa.OSFile(str(self._path), "wb") as file, pa.ipc.new_file(file, self._schema) as written:
            for batch in tuples:
                for begin in range(0, batch.num_rows, _ROWS):
                    rows = batch.slice(begin, _ROWS)
                    counts = np.zeros(rows.num_rows) if frequencies is None else frequencies(rows)
                    sizes = row_sizes(rows, np.arange(rows.num_rows)) + null_bytes
                    leading = np.where(sizes > most_bytes, 0, keys_of(priority_for(counts, number))).astype(np.uint64)
                    following = np.uint64((1 << 32) - 1 - number) - np.arange(rows.num_rows, dtype=np.uint64)
                    keys = leading << _NUMBER_BITS | following
                    written.write_batch(
                        pa.record_batch([*rows.columns, pa.array(keys), pa.array(sizes)], schema=self._schema)
                    )
                    number += rows.num_rows
        return number

    def _batches(self) -> Iterator[pa.RecordBatch]:
        with pa.memory_map(str(self._path)) as mapped:
            file = pa.ipc.open_file(mapped)
            for at in range(file.num_record_batches):
                yield file.get_batch(at)

    def _keys(self) -> Iterator[tuple[_Keys, Sizes]]:
        for batch in self._batches():
            yield batch.column(len(self._names)).to_numpy(), batch.column(len(self._names) + 1).to_numpy()

    def rows(self, bound: int, are_kept: bool = True) -> Iterator[pa.RecordBatch]:
        """The tuples with keys above ``bound``, or the others, in their order."""
        for batch, (keys, _) in zip(self._batches(), self._keys(), strict=True):
            yield batch.select(range(len(self._names))).filter(pa.array((keys > bound) == are_kept))

    def best(self, join: MeshJoin) -> _Kept:
        """As many of the tuples with the highest keys as fit a window of the join."""

        def fits(rows: int, size: int) -> bool:
            with suppress(ValueError):
                # Without pages there is no window.
                return not rows or not join.relation.pages or rows <= join.capacity(-(-size // rows))
            return False

        kept = _Kept(0, 0, 0)
        digits = 1 << _DIGIT_BITS
        for shift in _SHIFTS:
            counts, sizes = np.zeros(digits, dtype=np.int64), np.zeros(digits, dtype=np.int64)
            for keys, own in self._keys():
                # Shifted by all of its bits, a key is 0, as the bound is at first.
                places = np.flatnonzero(keys >> np.uint64(shift + _DIGIT_BITS) == kept.bound)
                found = (keys[places] >> np.uint64(shift) & np.uint64(digits - 1)).astype(np.intp)
                counts += np.bincount(found, minlength=digits)
                sizes += np.bincount(found, own[places], digits).astype(np.int64)
            # From the highest digit on.
            rows, size = kept.rows + np.cumsum(counts[::-1]), kept.size + np.cumsum(sizes[::-1])
            totals = [(kept.rows, kept.size), *zip(rows.tolist(), size.tolist(), strict=True)]
            fitting = bisect_left(totals, True, key=lambda total: not fits(*total)) - 1
            if fitting == digits:
                return _Kept(0, *totals[fitting])
            kept = _Kept(kept.bound << _DIGIT_BITS | digits - 1 - fitting, *totals[fitting])
        return kept


def _probability(rows: pa.RecordBatch, priority: str, bound: int, frequencies: SketchedFrequencies | None) -> pa.Array:
    # If none are shed but wide tuples, all others are kept.
    if not (leading := bound >> int(_NUMBER_BITS)):
        return pa.repeat(pa.scalar(1.0), rows.num_rows)
    counts = np.zeros(rows.num_rows) if frequencies is None else frequencies(rows)
    with np.errstate(invalid="ignore"):
        found = INCLUSION[priority](priority_of(leading), counts)
    # Tuples without a match have none in cluster sampling: they fill what room is left.
    return pa.array(found, pa.float64(), mask=~(found > 0))


def _marked(cells: Sequence[pa.Array], is_shed: bool, schema: pa.Schema) -> pa.RecordBatch:
    """Rows of these first columns; the others are null."""
    count = len(cells[0])
    nothing = [pa.nulls(count, field.type) for field in list(schema)[len(cells) : -1]]
    columns = [*cells, *nothing, pa.repeat(pa.scalar(is_shed), count)]
    return pa.RecordBatch.from_arrays(
        [column.cast(field.type) for column, field in zip(columns, schema, strict=True)], schema=schema
    )
