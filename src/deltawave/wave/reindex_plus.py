"""REINDEX+: new days of a cluster are kept in a temporary index, and indexed once (WI 4.1, Figure 14)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from deltawave.wave.operations import NO_DAYS, AddToIndex, BuildIndex, Copy, Days, Operation
from deltawave.wave.scheme import Scheme, Steps, Wave, evenly
from deltawave.wave.state import TEMP, WaveState, constituent


def _first(_wave: Wave, _layout: Sequence[Days]) -> tuple[Operation, ...]:
    return (BuildIndex(TEMP, NO_DAYS),)


def _steps(wave: Wave, state: WaveState) -> Steps:
    return Steps(tuple(_operations(wave, state)))


def _operations(wave: Wave, state: WaveState) -> Iterator[Operation]:
    expired = wave.expired(state)
    name = constituent(state.holding(expired))
    kept = state.indexes[TEMP]
    new = frozenset({state.day + 1})
    to_add = state.indexes[name] - kept - {expired}
    if not to_add:
        # The cluster ends with this day.
        if kept:
            yield Copy(TEMP, name)
            yield AddToIndex(name, new)
            yield BuildIndex(TEMP, NO_DAYS)
        else:
            yield BuildIndex(name, new)
    else:
        yield AddToIndex(TEMP, new) if kept else BuildIndex(TEMP, new)
        yield Copy(TEMP, name)
        yield AddToIndex(name, to_add)


def _needs(_state: WaveState, _staying: Days) -> Mapping[str, Days | None]:
    return {TEMP: None}


REINDEX_PLUS = Scheme(evenly, _first, _steps, needs=_needs)
