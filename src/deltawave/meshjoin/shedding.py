"""Which tuples a mesh join keeps if more come in than it can serve (MJ08 4, Table 2).

Every strategy gives tuples priorities as they come in: of the new tuples of an iteration, the w with the highest
priorities are kept. The others are not lost: a later pass joins them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltawave.differencing.hashing import Hashes, mix
from deltawave.meshjoin.conditions import Equal
from deltawave.meshjoin.relation import Relation, key_hashes, require_key

Places = npt.NDArray[np.intp]
Frequencies = npt.NDArray[np.floating[Any] | np.integer[Any]]
Values = npt.NDArray[Any]
# Priorities as whole numbers of the same order.
Keys = npt.NDArray[np.uint32]
# Tuples' priorities, from their frequencies in the relation (f_R) and the number of the first tuple.
Priority = Callable[[Frequencies, int], Values]


def keep_w(frequencies: Frequencies, first: int) -> Values:
    """Keep w: the first tuples. In a many-to-one join that loses the fewest results (MAX-SUBSET)."""
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


Counts = npt.NDArray[np.int64]

_ROWS_OF_SKETCH = 4
# The size of a sketch that is kept with pages.
_BYTES_OF_SKETCH, _BYTES_PER_ROW = 16 << 20, 64


@dataclass(frozen=True)
class SketchedFrequencies:
    """Counts that may be too high, never too low: a count-min sketch (Cormode and Muthukrishnan 2005)."""

    key: Sequence[str]
    counts: npt.NDArray[np.uint32]

    @classmethod
    def of(
        cls, relation: Relation, condition: Equal, memory_bytes: int, file: Path | None = None
    ) -> "SketchedFrequencies":
        """Sketch the relation's keys in ``memory_bytes`` bytes, of a new ``file`` if one is named."""
        shape = _ROWS_OF_SKETCH, max(1, memory_bytes // (4 * _ROWS_OF_SKETCH))
        counts = np.zeros(shape, np.uint32) if file is None else np.lib.format.open_memmap(file, "w+", np.uint32, shape)
        sketch = cls(condition.stream_columns, counts)
        for hashes in hashes_of(relation, condition):
            for row, places in enumerate(sketch._places(hashes)):
                np.add.at(counts[row], places, np.uint32(1))
        if isinstance(counts, np.memmap):
            counts.flush()
        return sketch

    @classmethod
    def stored(cls, file: str | Path, relation: Relation, condition: Equal) -> "SketchedFrequencies":
        """The counts of a file of pages, made once and kept next to it: 64 bytes per row, up to 16 MiB."""
        path = Path(f"{file}.frequencies.npy")
        if not path.exists():
            size = min(_BYTES_OF_SKETCH, max(1, sum(relation.row_counts)) * _BYTES_PER_ROW)
            partial = Path(f"{path}.{uuid4().hex}.npy")
            # In the file from the beginning, so that it takes no memory of the join.
            cls.of(relation, condition, size, partial)
            partial.replace(path)
        return cls(condition.stream_columns, np.load(path, mmap_mode="r"))

    def __call__(self, tuples: pa.RecordBatch) -> Counts:
        places = self._places(key_hashes(tuples, self.key))
        found: Counts = np.min([self.counts[row][each] for row, each in enumerate(places)], axis=0).astype(np.int64)
        return found

    def _places(self, hashes: Hashes) -> Iterator[npt.NDArray[np.intp]]:
        width = np.uint64(self.counts.shape[1])
        for row in range(_ROWS_OF_SKETCH):
            yield (mix(hashes + np.uint64(row)) % width).astype(np.intp)


def hashes_of(relation: Relation, condition: Equal) -> Iterator[Hashes]:
    """The hashes of the relation's keys. Raises ``ValueError`` if it is stored by another key."""
    require_key(relation, condition.relation_columns)
    for page in range(relation.pages):
        yield relation.read(page, 1).hashes.copy()
