"""Predictions of WI 5's cost model from measured parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from deltawave.bench.wave_parameters import Measured
from deltawave.costs.wave import WaveCost
from deltawave.costs.wave_parameters import SCAM, TPC_D, WEB_SEARCH
from deltawave.wave.planner import WaveIndex
from deltawave.wave.steps import Step


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


@dataclass(frozen=True)
class Writes:
    """The planned writes of a scheme on an average day: batches and inserts, in transitions and preparation."""

    batches: tuple[float, float]
    inserts: tuple[float, float]

    @staticmethod
    def of(steps: Sequence[Step], days: int) -> Writes:
        """The writes of the last ``days`` days of some steps."""
        numbers = [0, *(step.record.state_day for step in steps)]
        is_take = [last < number for last, number in pairwise(numbers)]
        takes = [place for place, is_one in enumerate(is_take) if is_one]
        counted = steps[takes[-days] :]
        inserts = {True: 0, False: 0}
        for step, is_one in zip(counted, is_take[takes[-days] :], strict=True):
            inserts[is_one] += sum(text.startswith("insert") for text in step.statements)
        return Writes((1.0, len(counted) / days - 1), (inserts[True] / days, inserts[False] / days))


def as_printed(measured: Measured, index: WaveIndex, technique: str) -> Costs:
    """The costs by the paper's formulas."""
    cost = WaveCost(measured.of_one_day, index.scheme, index.constituents, technique, exact=True)
    newest = replace(cost, parameters=replace(cost.parameters, scan_indexes=1))
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


def with_fixed(measured: Measured, index: WaveIndex, technique: str, writes: Writes) -> Costs:
    """The same, with the fixed costs of a batch, an insert and a query."""
    given = replace(measured, of_one_day=measured.per_day)
    costs = as_printed(given, index, technique)
    fixed = [
        batches * measured.batch + inserts * measured.write
        for batches, inserts in zip(writes.batches, writes.inserts, strict=True)
    ]
    return replace(
        costs,
        transition=costs.transition + fixed[0],
        preparation=costs.preparation + fixed[1],
        probe=costs.probe + measured.probe,
        scan=costs.scan + measured.scan,
        scan_newest=costs.scan_newest + measured.scan,
    )
