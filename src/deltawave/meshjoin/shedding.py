"""Which tuples a mesh join keeps if more come in than it can serve (MJ08 4, Table 2).

Every strategy gives tuples priorities as they come in: of the new tuples of an iteration, the w with the highest
priorities are kept. The others are not lost: a later pass joins them. All tuples of a micro-batch are there when it
begins. They wait in a temporary file with their priorities, so that only those that are kept take the join's memory,
and the relation is read once.
"""

import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltawave.meshjoin.batches import Sizes, row_sizes
from deltawave.meshjoin.conditions import Equal
from deltawave.meshjoin.operator import MeshJoin
from deltawave.meshjoin.relation import Relation, key_hashes, require_key
from deltawave.meshjoin.stream import Counts, StreamBuffer
from deltawave.rows.hashing import Hashes

Frequencies = npt.NDArray[np.floating[Any] | np.integer[Any]]
Values = npt.NDArray[Any]
# Priorities as whole numbers of the same order.
Keys = npt.NDArray[np.uint32]
# Tuples' priorities, from their frequencies in the relation (f_R) and the number of the first tuple.
Priority = Callable[[Frequencies, int], Values]


def keep_w(frequencies: Frequencies, first: int) -> Values:
    """Keep w: the first tuples. If each tuple matches exactly one row, that loses the fewest results (MAX-SUBSET)."""
    return -(first + np.arange(len(frequencies)))


def sample_w(random: np.random.Generator) -> Priority:
    """Sample w: a uniform sample, which gives a uniform sample of a many-to-one join's results (RANDOM-SAMPLE)."""
    return lambda frequencies, first: random.random(len(frequencies))


def top_w(frequencies: Frequencies, first: int) -> Values:
    """TOPW: the tuples that match the most rows. In a many-to-many join that loses few results (4.2)."""
    return np.asarray(frequencies)


def cluster_sampling(random: np.random.Generator) -> Priority:
    """Cluster sampling: the probability to keep a tuple grows with the number of rows that it matches (RANDOM-SAMPLE).

    Without replacement, by the exponential keys of Efraimidis and Spirakis (2006). A tuple that matches nothing is kept
    only if there is room.
    """

    def priority(frequencies: Frequencies, first: int) -> Values:
        with np.errstate(divide="ignore"):
            return -random.exponential(size=len(frequencies)) / np.asarray(frequencies, dtype=np.float64)

    return priority


# By name; random ones use the generator.
PRIORITIES: dict[str, Callable[[np.random.Generator], Priority]] = {
    "keep_w": lambda random: keep_w,
    "sample_w": sample_w,
    "top_w": lambda random: top_w,
    "cluster_sampling": cluster_sampling,
}
# For random priorities: the probability to keep a tuple, from the highest priority of the shed tuples and the tuple's
# frequency. Given the other tuples' priorities, it is the probability that its own is higher.
INCLUSION: dict[str, Callable[[float, Frequencies], Values]] = {
    "sample_w": lambda bound, frequencies: np.full(len(frequencies), 1 - bound),
    "cluster_sampling": lambda bound, frequencies: -np.expm1(bound * frequencies),
}
# The priorities that need frequencies.
BY_FREQUENCY = ("top_w", "cluster_sampling")


def keys_of(priorities: Values) -> Keys:
    """Priorities as keys, by their 24 leading bits. What is equal then is kept in their order."""
    # Adding 0 makes -0.0 equal to 0.0.
    bits = (np.asarray(priorities, dtype=np.float32) + np.float32(0)).view(np.uint32)
    keys: Keys = np.where(bits >> np.uint32(31), ~bits, bits | np.uint32(1 << 31))
    return keys


def priority_of(key: int) -> float:
    """The priority that has a key."""
    bits = key & (1 << 31) - 1 if key >> 31 else ~key & (1 << 32) - 1
    return float(np.array([bits], dtype=np.uint32).view(np.float32)[0])


# Hashes that are sorted at a time: so the counts of many keys are made in little memory, by several passes over a file.
_HASHES = 1 << 19
_BYTES_PER_KEY = 12


@dataclass(frozen=True)
class KeyFrequencies:
    """How many rows of a relation each key has (f_R): 12 bytes for each key, in the order of the keys' hashes."""

    key: Sequence[str]
    hashes: Hashes
    counts: npt.NDArray[np.uint32]

    @classmethod
    def of(cls, relation: Relation, condition: Equal) -> "KeyFrequencies":
        """Count the relation's keys. Raises ``ValueError`` if it is stored by another key."""
        found = list(_counted(relation, condition))
        hashes, counts = ([part[at] for part in found] for at in (0, 1))
        nothing = np.zeros(0)
        return cls(
            condition.stream_columns,
            np.concatenate([nothing.astype(np.uint64), *hashes]),
            np.concatenate([nothing.astype(np.uint32), *counts]),
        )

    @classmethod
    def stored(cls, file: str | Path, relation: Relation, condition: Equal) -> "KeyFrequencies":
        """The counts of a file of pages, made once, and kept and mapped next to it, outside the memory of joins."""
        path = Path(f"{file}.frequencies")
        if not path.exists():
            partial = Path(f"{path}.{uuid4().hex}")
            with partial.open("wb") as hashes, TemporaryFile() as counts:
                for own, own_counts in _counted(relation, condition):
                    hashes.write(own.tobytes())
                    counts.write(own_counts.tobytes())
                counts.seek(0)
                copyfileobj(counts, hashes)
            partial.replace(path)
        if not (keys := path.stat().st_size // _BYTES_PER_KEY):
            return cls(condition.stream_columns, np.zeros(0, np.uint64), np.zeros(0, np.uint32))
        sorted_hashes = np.memmap(path, np.uint64, "r", 0, (keys,))
        return cls(condition.stream_columns, sorted_hashes, np.memmap(path, np.uint32, "r", 8 * keys, (keys,)))

    def __call__(self, tuples: pa.RecordBatch) -> Sizes:
        wanted = key_hashes(tuples, self.key)
        found = np.zeros(len(wanted), dtype=np.int64)
        if len(self.hashes):
            # In their order, neighbours are found near each other.
            order = np.argsort(wanted)
            ordered = wanted[order]
            places = np.minimum(np.searchsorted(self.hashes, ordered), len(self.hashes) - 1)
            found[order] = np.where(self.hashes[places] == ordered, self.counts[places], 0)
        return found


def _counted(relation: Relation, condition: Equal) -> Iterator[tuple[Hashes, npt.NDArray[np.uint32]]]:
    """The hashes of the relation's keys, ascending, and how many rows each has: in parts, by ranges of hashes."""
    require_key(relation, condition.relation_columns)
    with TemporaryFile() as file:
        rows = 0
        for number in range(relation.pages):
            page = relation.read(number, 1)
            # A null key matches nothing.
            known = page.known(condition.relation_columns)
            of_page = page.hashes if known is None else page.hashes[known]
            file.write(of_page.tobytes())
            rows += len(of_page)
        file.flush()
        every = np.memmap(file, np.uint64, "r+") if rows else np.zeros(0, np.uint64)
        parts = [every[begin : begin + _HASHES] for begin in range(0, rows, _HASHES)]
        for part in parts:
            part.sort()
        ranges = len(parts)
        for number in range(ranges):
            low, high = ((1 << 64) * at // ranges for at in (number, number + 1))
            least, most = np.uint64(low), np.uint64(high - 1)
            own = (part[part.searchsorted(least) : part.searchsorted(most, "right")] for part in parts)
            # Counted part by part, as a key may have many rows.
            found = [np.unique(hashes, return_counts=True) for hashes in own]
            hashes, places = np.unique(np.concatenate([hashes for hashes, _ in found]), return_inverse=True)
            counts = np.bincount(places, np.concatenate([counts for _, counts in found]), len(hashes))
            yield hashes, counts.astype(np.uint32)


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
    begin = time.monotonic()
    frequencies = None
    if priority in BY_FREQUENCY and file is not None and isinstance(join.condition, Equal):
        frequencies = KeyFrequencies.stored(file, join.relation, join.condition)
    with TemporaryDirectory(prefix="deltawave-shed-") as folder:
        waiting = _Waiting(Path(folder) / "waiting.arrow", join.stream_schema)
        read = _TimedBatches(tuples)
        total = waiting.write(read, priority, frequencies, join.memory_bytes // _PART_OF_MEMORY)
        kept = waiting.best(join)
        counts.shed = total - kept.rows
        choosing = time.monotonic() - begin - read.seconds
        stream = StreamBuffer(waiting.rows(kept.bound), join.stream_schema, -(-kept.size // max(1, kept.rows)))
        joined = _TimedBatches(join.run(stream, counts=counts))
        for found in joined:
            cells = found.columns
            if len(schema) > len(join.schema) + 1:
                cells = [*cells, _probability(found, priority, kept.bound, frequencies)]
            yield _marked(cells, False, schema)
        left = _TimedBatches(waiting.rows(kept.bound, are_kept=False) if counts.shed else ())
        for rest in left:
            yield _marked(rest.columns, True, schema)
        # Further windows would have taken as long as this one.
        would_take = joined.seconds * counts.shed / max(1, kept.rows)
        counts.spared_seconds = would_take - left.seconds - choosing


class _TimedBatches:
    """Batches, and the ``seconds`` that it took to get them; what is done with them afterwards is not counted."""

    def __init__(self, batches: Iterable[pa.RecordBatch]) -> None:
        self._batches, self.seconds = iter(batches), 0.0

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return self

    def __next__(self) -> pa.RecordBatch:
        begin = time.monotonic()
        try:
            return next(self._batches)
        finally:
            self.seconds += time.monotonic() - begin


class _Waiting:
    """A file of tuples, each with its key and its size. It is mapped into memory."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._path, self._names = path, schema.names
        self._schema = pa.schema([*schema, pa.field("", pa.uint64()), pa.field("", pa.int64())])

    def write(
        self, tuples: Iterable[pa.RecordBatch], priority: str, frequencies: KeyFrequencies | None, most_bytes: int
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


def _probability(rows: pa.RecordBatch, priority: str, bound: int, frequencies: KeyFrequencies | None) -> pa.Array:
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
