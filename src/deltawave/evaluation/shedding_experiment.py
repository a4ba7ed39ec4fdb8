"""How much of a join's result is left when tuples of the stream are shed (MJ08 5, Figure 11)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deltawave.meshjoin.shedding import optimal_loss, top_w_loss

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class SheddingExperiment:
    """The setting of MJ08's Figure 11: a many-to-many join whose keys follow Zipf's law on both sides.

    - ``domain``: how many join values there are, of which a lower one is more frequent on both sides
    - ``rows``: of the relation
    - ``stream_skew``: z_S
    - ``w``: tuples that an iteration takes
    - ``served``: tuples that are served while a stream arrives; ratio times as many arrive
    """

    domain: int = 3_500_000
    rows: int = 3_500_000
    stream_skew: float = 0.5
    w: int = 50
    served: int = 20_000

    def relation(self, skew: float, random: np.random.Generator) -> Counts:
        """How many rows a relation of skew z_R has of each join value."""
        drawn = self._drawn(skew, self.rows, random)
        return np.bincount(drawn, minlength=self.domain).astype(np.int64)

    def stream(self, relation: Counts, ratio: float, random: np.random.Generator) -> Counts:
        """Of each tuple of a stream how many rows it meets. ``ratio``: arrival rate by service rate (rho)."""
        return relation[self._drawn(self.stream_skew, round(ratio * self.served), random)]

    def fractions(self, stream: Counts, ratio: float) -> tuple[float, float]:
        """What part of the result TOPW gives, and what part OPTOFFLINESHED does, from 0 to 1."""
        loop, total, found = round(ratio * self.w), int(stream.sum()), stream.tolist()
        if total == 0:
            return 1.0, 1.0
        return 1 - top_w_loss(found, self.w, loop) / total, 1 - optimal_loss(found, self.w, loop) / total

    def _drawn(self, skew: float, count: int, random: np.random.Generator) -> npt.NDArray[np.intp]:
        """Join values by Zipf's law: value v has a probability in proportion to (v + 1) ** -skew."""
        shares = np.cumsum(np.arange(1, self.domain + 1, dtype=np.float64) ** -skew)
        found: npt.NDArray[np.intp] = np.searchsorted(shares, random.random(count) * shares[-1], side="right")
        return found
