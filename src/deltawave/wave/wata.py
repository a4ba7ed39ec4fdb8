"""WATA*: wait until every day of a constituent expired, and throw it away (WI 3.3, Figure 16)."""

from __future__ import annotations

from collections.abc import Sequence

from deltawave.wave.operations import AddIndex, AddToIndex, BuildIndex, Days, DropIndex, Operation
from deltawave.wave.scheme import Scheme, Steps, Wave, nothing
from deltawave.wave.state import WaveState, clusters, constituent


def soft_layout(window: int, constituents: int) -> Sequence[Days]:
    """The first W - 1 days in n - 1 clusters, and day W in the last one, which grows."""
    return [*clusters(range(1, window), constituents - 1), frozenset({window})]


def is_thrown_away(state: WaveState, number: int, expired: int) -> bool:
    """Whether all days of a constituent expired.

    Then the others hold W - 1 days: the condition of Figure 16.
    """
    return max(state.indexes[constituent(number)]) == expired


def throw_away(number: int, day: int) -> tuple[Operation, ...]:
    """Drop a constituent; the new day begins another in its place."""
    name = constituent(number)
    return (DropIndex(name), BuildIndex(name, frozenset({day})), AddIndex(name))


def _steps(wave: Wave, state: WaveState) -> Steps:
    expired = wave.expired(state)
    number = state.holding(expired)
    new = state.day + 1
    if is_thrown_away(state, number, expired):
        return Steps(throw_away(number, new))
    return Steps((AddToIndex(constituent(state.holding(state.day)), frozenset({new})),))


WATA = Scheme(soft_layout, nothing, _steps, least=2, is_hard=False)
