"""The cost model of wave indexes as WI prints it, and the averages of its tables."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from deltawave.wave.costs import Daily, WaveCost


@dataclass(frozen=True)
class AverageCost(WaveCost):
    """With the average space of WI Table 8."""

    @property
    def average_space(self) -> float:
        """Space in operation, on average (Table 8)."""
        days = self.cluster
        more = {
            "reindex_plus": days / 2,
            "reindex_plus_plus": days**2 / 6 + days / 2,
            "wata": days / 2,
            "rata": days**2 / 6 + days / 2,
        }
        return (self.parameters.window + more.get(self.scheme, 0)) * self.day_size

    @property
    def average_transition_space(self) -> float:
        """Further space during a transition, on average (Table 8)."""
        is_partly_filled = self.scheme in ("reindex_plus", "wata", "rata")
        return self.max_transition_space / ceil(self.cluster) * (self.cluster / 2 if is_partly_filled else self.cluster)


@dataclass(frozen=True)
class PrintedCost(AverageCost):
    """With the days that WI prints, which are not quite those that the operations index."""

    @property
    def daily(self) -> Daily:
        """As in WI Tables 10 and 11: X / 2 for a cluster of X days; and RATA* prepares one."""
        days = self.parameters.window / self.constituents
        prepared = {"reindex_plus_plus": days / 2, "rata": 1.0}.get(self.scheme, 0.0)
        indexed = {"reindex": days, "reindex_plus": days / 2}.get(self.scheme, 1.0)
        return super().daily._replace(days_prepared=prepared, days_indexed=indexed)
