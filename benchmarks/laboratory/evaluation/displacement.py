"""How far apart the matching rows of two snapshots lie: LG96's distance and LG95's divergence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class MatchedPositions:
    """The positions of rows with equal keys in both snapshots, pairwise, and how many rows the snapshots have."""

    old: Positions
    new: Positions
    old_rows: int
    new_rows: int

    @classmethod
    def of(cls, old_keys: npt.NDArray[Any], new_keys: npt.NDArray[Any]) -> MatchedPositions:
        """Match the keys of two snapshots, or hashes of them, each in the order of its rows.

        Raises ``ValueError`` if a key occurs twice in one snapshot.
        """
        for side, keys in (("old", old_keys), ("new", new_keys)):
            if len(np.unique(keys)) < len(keys):
                raise ValueError(f"MatchedPositions: several {side} rows have the same key.")
        _, old, new = np.intersect1d(old_keys, new_keys, assume_unique=True, return_indices=True)
        return cls(old, new, len(old_keys), len(new_keys))

    @property
    def displacements(self) -> Positions:
        """How many rows each matching pair lies apart."""
        apart: Positions = np.abs(self.old - self.new)
        return apart

    @property
    def average_displacement(self) -> float:
        """disp: how many rows a matching pair lies apart on average (LG96 5.2); 0 without matching rows."""
        return float(self.displacements.mean()) if len(self.old) else 0.0

    @property
    def distance(self) -> float:
        """The distance of two snapshots (LG96 4, equation 3): 0 for the same order, up to 1 for the opposite one.

        The sum of all displacements, divided by half the square of the larger snapshot's row count.
        """
        most = max(self.old_rows, self.new_rows)
        return float(self.displacements.sum()) / (most**2 / 2) if most else 0.0

    def divergence(self, blocks: float, old_block_rows: int = 1, new_block_rows: int | None = None) -> float:
        """r of the divergence D(r, d) (LG95 4.5): the share of the matching rows that lie more than ``blocks`` apart.

        ``old_block_rows``, ``new_block_rows``: rows of a block; by default the latter is the former. Rows without a
        match do not count. The share is 0 without matching rows.
        """
        apart = np.abs(self.old // old_block_rows - self.new // (new_block_rows or old_block_rows))
        return float(np.mean(apart > blocks)) if len(apart) else 0.0

    @property
    def peak_waiting(self) -> int:
        """The most rows of a side that wait at a time for a match that comes later, if both are read row by row.

        Between snapshots of the same rows, an aging buffer that holds that many reports no useless pair. Over the whole
        file, half the average displacement waits on average (Little's law); fewer rows at its ends, more in its middle.
        """
        return max(self._peak(self.old, self.new), self._peak(self.new, self.old))

    def _peak(self, came: Positions, matched: Positions) -> int:
        waits = came < matched
        rows = max(self.old_rows, self.new_rows)
        arriving, leaving = (np.bincount(positions[waits], minlength=rows) for positions in (came, matched))
        return int(np.cumsum(arriving - leaving).max(initial=0))
