"""How many rows of the relation a tuple meets (f_R of MJ08 4): exactly, or by a sketch of fixed size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from uuid import uuid4

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltawave.differencing.hashing import Hashes, mix
from deltawave.meshjoin.conditions import Equal
from deltawave.meshjoin.relation import Relation, demand_key, key_hashes

Counts = npt.NDArray[np.int64]

_ROWS_OF_SKETCH = 4
# The size of a sketch that is kept beside pages.
_BYTES_OF_SKETCH, _BYTES_PER_ROW = 16 << 20, 64


class JoinFrequencies(Protocol):
    """The rows that tuples meet."""

    @property
    def nbytes(self) -> int:
        """Its memory in bytes."""
        ...

    def __call__(self, tuples: pa.RecordBatch) -> Counts:
        """How many rows each of these tuples meets."""
        ...


@dataclass(frozen=True)
class ExactFrequencies:
    """A count for each key of the relation: 16 bytes each."""

    key: Sequence[str]
    hashes: Hashes
    counts: Counts

    @classmethod
    def of(cls, relation: Relation, condition: Equal) -> ExactFrequencies:
        """Count the relation's keys, by their hashes."""
        parts = list(_hashes(relation, condition))
        found = np.unique(np.concatenate(parts) if parts else np.zeros(0, np.uint64), return_counts=True)
        return cls(condition.stream_columns, *found)

    @property
    def nbytes(self) -> int:
        return int(self.hashes.nbytes + self.counts.nbytes)

    def __call__(self, tuples: pa.RecordBatch) -> Counts:
        wanted = key_hashes(tuples, self.key)
        if not len(self.hashes):
            return np.zeros(len(wanted), dtype=np.int64)
        places = np.minimum(np.searchsorted(self.hashes, wanted), len(self.hashes) - 1)
        return np.where(self.hashes[places] == wanted, self.counts[places], 0)


@dataclass(frozen=True)
class SketchedFrequencies:
    """Counts that may be too high, never too low: a count-min sketch (Cormode and Muthukrishnan 2005)."""

    key: Sequence[str]
    counts: npt.NDArray[np.uint32]

    @classmethod
    def of(cls, relation: Relation, condition: Equal, memory_bytes: int) -> SketchedFrequencies:
        """Sketch the relation's keys in ``memory_bytes`` bytes."""
        width = max(1, memory_bytes // (4 * _ROWS_OF_SKETCH))
        sketch = cls(condition.stream_columns, np.zeros((_ROWS_OF_SKETCH, width), dtype=np.uint32))
        sketch._count(relation, condition)
        return sketch

    def _count(self, relation: Relation, condition: Equal) -> None:
        for hashes in _hashes(relation, condition):
            for row, places in enumerate(self._places(hashes)):
                np.add.at(self.counts[row], places, np.uint32(1))

    @classmethod
    def beside(cls, file: str | Path, relation: Relation, condition: Equal) -> SketchedFrequencies:
        """The counts of a file of pages, made once and kept beside the file: 64 bytes per row, up to 16 MiB."""
        path = Path(f"{file}.frequencies.npy")
        if not path.exists():
            size = min(_BYTES_OF_SKETCH, max(1, sum(relation.row_counts)) * _BYTES_PER_ROW)
            partial = Path(f"{path}.{uuid4().hex}.npy")
            # In the file from the beginning, so that it takes no memory of the join.
            counts = np.lib.format.open_memmap(
                partial, "w+", np.uint32, (_ROWS_OF_SKETCH, size // (4 * _ROWS_OF_SKETCH))
            )
            cls(condition.stream_columns, counts)._count(relation, condition)
            counts.flush()
            partial.replace(path)
        return cls(condition.stream_columns, np.load(path, mmap_mode="r"))

    @property
    def nbytes(self) -> int:
        return int(self.counts.nbytes)

    def __call__(self, tuples: pa.RecordBatch) -> Counts:
        places = self._places(key_hashes(tuples, self.key))
        found: Counts = np.min([self.counts[row][each] for row, each in enumerate(places)], axis=0).astype(np.int64)
        return found

    def _places(self, hashes: Hashes) -> Iterator[npt.NDArray[np.intp]]:
        width = np.uint64(self.counts.shape[1])
        for row in range(_ROWS_OF_SKETCH):
            yield (mix(hashes + np.uint64(row)) % width).astype(np.intp)


def _hashes(relation: Relation, condition: Equal) -> Iterator[Hashes]:
    demand_key(relation, condition.relation_columns)
    for page in range(relation.pages):
        pages = relation.read(page, 1)
        yield key_hashes(pages.rows, condition.relation_columns) if pages.hashes is None else pages.hashes.copy()
