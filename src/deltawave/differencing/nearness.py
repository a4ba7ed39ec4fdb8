"""How near the matching rows of two snapshots lie, estimated from a sample of the rows.

benchmarks/laboratory/evaluation/displacement.py has the exact figures of the same definitions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

Positions = npt.NDArray[np.int64]

# Figures that a comparison has measured, by the names of the columns of x__batches.
Measured = Mapping[str, float]


@dataclass(frozen=True)
class Nearness:
    """The distance and the divergence of two snapshots.

    - ``distance``: the sum of all displacements, divided by half the square of the larger snapshot's rows; 0 for the
      same order, up to 1 for the opposite one (LG96 4, equation 3)
    - ``divergence``: r of D(r, d), the share of the matching rows that lie more than d apart (LG95 4.5)
    - ``window_rows``: d: how many rows away a window finds a match

    Rows without a match do not count. Both figures are 0 without matching rows.
    """

    distance: float
    divergence: float
    window_rows: int

    @classmethod
    def estimated(
        cls, at_old: Positions, at_new: Positions, stands_for: Positions, old_rows: int, new_rows: int, window_rows: int
    ) -> Nearness:
        """From places of sampled rows (-1: not there), each of which stands for ``stands_for`` new rows."""
        matches = at_old >= 0
        apart, weights = np.abs(at_old - at_new)[matches], stands_for[matches]
        if not len(apart):
            return cls(0.0, 0.0, window_rows)
        if not weights.any():
            # No row that stands for others has a match, but a few of the other sampled rows have one.
            weights = np.ones_like(weights)
        distance = float(np.dot(apart, weights)) / (max(old_rows, new_rows) ** 2 / 2)
        # A sample of the opposite order may come out a little too far.
        return cls(min(distance, 1.0), float(weights[apart > window_rows].sum() / weights.sum()), window_rows)

    def measured(self) -> Measured:
        """The figures by their names."""
        return asdict(self)
