"""REINDEX++: a constituent's next replacements are prepared, so that they lack only the new day (WI 4.2, Figure 15)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil

from deltawave.wave.operations import NO_DAYS, AddToIndex, BuildIndex, Days, Operation, Rename
from deltawave.wave.scheme import Scheme, Steps, Wave, evenly
from deltawave.wave.state import WaveState, constituent, temporary
from deltawave.wave.temporaries import initialize, prepare


def _first(_wave: Wave, layout: Sequence[Days]) -> tuple[Operation, ...]:
    return (BuildIndex(temporary(0), NO_DAYS), *initialize(layout[0] - {1}))


def _steps(wave: Wave, state: WaveState) -> Steps:
    number = state.holding(wave.expired(state))
    used = state.highest("T")
    new = frozenset({state.day + 1})
    transition = (AddToIndex(temporary(used), new), Rename(temporary(used), constituent(number)))
    return Steps(transition, tuple(_preparation(wave, state, number, used)))


def _preparation(wave: Wave, state: WaveState, number: int, used: int) -> Iterator[Operation]:
    days = state.indexes[constituent(number)] - {wave.expired(state)} | {state.day + 1}
    later = wave.after(number)
    cluster = days if later == number else state.indexes[constituent(later)]
    following = cluster - {min(cluster)}
    if not used:
        yield BuildIndex(temporary(0), NO_DAYS)
        yield from initialize(following, state.highest("P"))
        return
    # Only the next replacement needs the new days of the cluster now; the other temporary indexes can wait.
    yield from _catch_up(state, used - 1, days, len(days))
    # With one constituent, the cluster that expires next is not complete before its temporary indexes are needed.
    if wave.spread and later != number:
        room = _share(len(days), len(following)) - len(_lacking(state, used - 1, days))
        for earlier in range(used - 2, -1, -1):
            yield from _catch_up(state, earlier, days, room)
            room -= min(room, len(_lacking(state, earlier, days)))
        yield from prepare(state, following, room)


def _share(cluster: int, following: int) -> int:
    """How many days are indexed for later on each day of a cluster, if evenly spread.

    Meanwhile the temporary indexes get 1 + 2 + ... + (cluster - 1) new days, and ``following`` new ones are built. This
    is enough for the needs of each next day: 1 + 2 + ... + k of them by day k.
    """
    return ceil((cluster * (cluster - 1) / 2 + following) / cluster)


def _lacking(state: WaveState, number: int, days: Days) -> list[int]:
    """The new days of a cluster that T_number still lacks; it has its ``number`` old days from the beginning."""
    old = state.highest("T") - number
    return sorted(frozenset(sorted(days)[old:]) - state.indexes[temporary(number)])


def _catch_up(state: WaveState, number: int, days: Days, most: int) -> Iterator[Operation]:
    missing = _lacking(state, number, days)[:most]
    if missing:
        yield AddToIndex(temporary(number), frozenset(missing))


def _needs(state: WaveState, staying: Days) -> Mapping[str, Days | None]:
    used = state.highest("T")
    return {**{temporary(number): None for number in range(used)}, temporary(used): staying}


REINDEX_PLUS_PLUS = Scheme(evenly, _first, _steps, needs=_needs, prepares=True)
