"""REINDEX++: the next replacements of a constituent are prepared, and lack only the new day (WI 4.2, Figure 15)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deltawave.wave.operations import NO_DAYS, AddToIndex, BuildIndex, Days, Operation, Rename
from deltawave.wave.scheme import Scheme, Steps, Wave, evenly
from deltawave.wave.state import WaveState, constituent, temporary
from deltawave.wave.temporaries import initialize, prepare_one, take_prepared


def _first(_wave: Wave, layout: Sequence[Days]) -> tuple[Operation, ...]:
    return (BuildIndex(temporary(0), NO_DAYS), *initialize(layout[0] - {1}))


def _steps(wave: Wave, state: WaveState) -> Steps:
    number = state.holding(wave.expired(state))
    used = state.highest("T")
    new = frozenset({state.day + 1})
    transition = (AddToIndex(temporary(used), new), Rename(temporary(used), constituent(number)))
    return Steps(transition, tuple(_preparation(wave, state, number, used)))


def _preparation(wave: Wave, state: WaveState, number: int, used: int) -> Iterator[Operation]:
    expired = wave.expired(state)
    days = state.indexes[constituent(number)] - {expired} | {state.day + 1}
    if used:
        # The next replacement has the days of the cluster that stay; it lacks those that came since.
        replacement = temporary(used - 1)
        yield AddToIndex(replacement, days - state.indexes[replacement] - {expired + 1})
    later = wave.after(number)
    cluster = days if later == number else state.indexes[constituent(later)]
    following = cluster - {min(cluster)}
    # With one constituent, the cluster that expires next is not complete before it has to be prepared.
    is_ahead = wave.spread and later != number
    if is_ahead:
        yield from prepare_one(state, following)
    if not used:
        yield BuildIndex(temporary(0), NO_DAYS)
        yield from take_prepared(following) if is_ahead else initialize(following)


REINDEX_PLUS_PLUS = Scheme(evenly, _first, _steps)
