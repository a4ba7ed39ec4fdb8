"""Predictions of WI 5's cost model from measured parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace

from deltawave.wave.costs import WaveParameters
from deltawave.wave.schemes import WaveIndex
from laboratory.costs.wave import AverageCost
from laboratory.costs.wave_cases import SCAM, TPC_D, WEB_SEARCH


@dataclass(frozen=True)
class Mix:
    """The queries of a day; ``newest`` scans read only the newest day's constituent."""

    probes: float = 0
    scans: float = 0
    newest: bool = False


# WI Table 12.
MIXES = {
    "SCAM": Mix(SCAM.probes, SCAM.scans, newest=True),
    "search engine": Mix(WEB_SEARCH.probes),
    "TPC-D": Mix(scans=TPC_D.scans),
    "no queries": Mix(),
}


@dataclass(frozen=True)
class Costs:
    """Seconds of a day's work and of a query, MB of space; measured or predicted.

    ``scan_newest``: a scan of the newest day's constituent.
    """

    transition: float
    preparation: float
    probe: float
    scan: float
    scan_newest: float
    space: float
    most_space: float
    transition_space: float
    most_transition_space: float

    def total_work(self, mix: Mix) -> float:
        """Seconds of a day's preparation, transition and queries, one after the other."""
        scan = self.scan_newest if mix.newest else self.scan
        return self.preparation + self.transition + mix.probes * self.probe + mix.scans * scan


def predicted(parameters: WaveParameters, index: WaveIndex, technique: str) -> Costs:
    """The costs by the cost model: as printed, or with the fixed costs that the parameters have."""
    cost = AverageCost(parameters, index.scheme, index.constituents, technique)
    newest = replace(cost, parameters=replace(parameters, scan_indexes=1))
    return Costs(
        transition=cost.transition,
        preparation=cost.precomputation,
        probe=cost.probe,
        scan=cost.scan,
        scan_newest=newest.scan,
        space=cost.average_space,
        most_space=cost.max_space,
        transition_space=cost.average_transition_space,
        most_transition_space=cost.max_transition_space,
    )
