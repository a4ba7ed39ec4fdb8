"""DEL: delete the expired day, add the new one (WI 3.1, Figure 12)."""

from __future__ import annotations

from deltawave.wave.operations import AddToIndex, DeleteFromIndex
from deltawave.wave.scheme import Scheme, Steps, Wave, evenly, nothing
from deltawave.wave.state import WaveState, constituent


def _steps(wave: Wave, state: WaveState) -> Steps:
    expired = wave.expired(state)
    name = constituent(state.holding(expired))
    return Steps((DeleteFromIndex(name, frozenset({expired})), AddToIndex(name, frozenset({state.day + 1}))))


DEL = Scheme(evenly, nothing, _steps)
