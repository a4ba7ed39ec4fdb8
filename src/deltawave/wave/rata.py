"""RATA*: as WATA*, but a constituent with expired days is replaced by one without them (WI 4.3, Figure 17)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from deltawave.wave.operations import AddIndex, AddToIndex, Days, DropIndex, Operation, Rename
from deltawave.wave.scheme import Scheme, Steps, Wave
from deltawave.wave.state import WaveState, constituent, temporary
from deltawave.wave.temporaries import initialize, prepare
from deltawave.wave.wata import is_thrown_away, soft_layout, throw_away


def _first(_wave: Wave, layout: Sequence[Days]) -> tuple[Operation, ...]:
    return tuple(initialize(layout[0] - {1}))


def _steps(wave: Wave, state: WaveState) -> Steps:
    expired = wave.expired(state)
    number = state.holding(expired)
    new = state.day + 1
    ends = is_thrown_away(state, number, expired)
    preparation = tuple(_preparation(wave, state, number, ends))
    if ends:
        return Steps(throw_away(number, new), preparation)
    name = constituent(number)
    replacement = temporary(state.highest("T"))
    wait = (
        AddToIndex(constituent(state.holding(state.day)), frozenset({new})),
        DropIndex(name),
        Rename(replacement, name),
        AddIndex(name),
    )
    return Steps(wait, preparation)


def _preparation(wave: Wave, state: WaveState, number: int, ends: bool) -> Iterator[Operation]:
    cluster = state.indexes[constituent(wave.after(number))]
    following = cluster - {min(cluster)}
    # With two constituents, the cluster that expires next still grows until the day before its replacements are needed.
    if ends:
        yield from initialize(following, state.highest("P"))
    elif wave.spread and wave.constituents > 2:
        yield from prepare(state, following, 1)


def _needs(_state: WaveState, staying: Days) -> Mapping[str, Days | None]:
    return {temporary(number): frozenset(sorted(staying)[-number:]) for number in range(1, len(staying) + 1)}


RATA = Scheme(soft_layout, _first, _steps, least=2, needs=_needs, prepares=True)
