"""How many rows of the relation each tuple matches (f_R of MJ08 4), exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from deltawave.differencing.hashing import Hashes
from deltawave.meshjoin.batches import Sizes
from deltawave.meshjoin.conditions import Equal
from deltawave.meshjoin.relation import Relation, key_hashes
from deltawave.meshjoin.shedding import hashes_of


@dataclass(frozen=True)
class ExactFrequencies:
    """A count for each key of the relation: 16 bytes each."""

    key: Sequence[str]
    hashes: Hashes
    counts: Sizes

    @classmethod
    def of(cls, relation: Relation, condition: Equal) -> ExactFrequencies:
        parts = list(hashes_of(relation, condition))
        found = np.unique(np.concatenate(parts) if parts else np.zeros(0, np.uint64), return_counts=True)
        return cls(condition.stream_columns, *found)

    def __call__(self, tuples: pa.RecordBatch) -> Sizes:
        wanted = key_hashes(tuples, self.key)
        if not len(self.hashes):
            return np.zeros(len(wanted), dtype=np.int64)
        places = np.minimum(np.searchsorted(self.hashes, wanted), len(self.hashes) - 1)
        return np.where(self.hashes[places] == wanted, self.counts[places], 0)
