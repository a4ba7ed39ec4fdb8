"""REINDEX: rebuild the constituent whose day expired (WI 3.2, Figure 13)."""

from __future__ import annotations

from deltawave.wave.operations import BuildIndex
from deltawave.wave.scheme import Scheme, Steps, Wave, evenly, nothing
from deltawave.wave.state import WaveState, constituent


def _steps(wave: Wave, state: WaveState) -> Steps:
    expired = wave.expired(state)
    name = constituent(state.holding(expired))
    return Steps((BuildIndex(name, state.indexes[name] - {expired} | {state.day + 1}),))


REINDEX = Scheme(evenly, nothing, _steps, rebuilds=True)
