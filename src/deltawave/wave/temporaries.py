"""The temporary indexes of REINDEX++ and RATA*: T_k has the k newest days of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from deltawave.wave.operations import AddToIndex, BuildIndex, Copy, Days, Operation, Rename
from deltawave.wave.state import WaveState, prepared, temporary


def initialize(days: Days) -> Iterator[Operation]:
    """T_1 with the newest day, T_2 with the two newest, and so on (Initialize in WI Figures 15 and 17)."""
    for number in range(1, len(days) + 1):
        yield from _next_one(days, number, temporary)


def prepare_one(state: WaveState, days: Days) -> Iterator[Operation]:
    """One more index of those that will replace a cluster's, if one is missing: one day is indexed (WI 4.3)."""
    number = state.highest("P") + 1
    if number <= len(days):
        yield from _next_one(days, number, prepared)


def take_prepared(days: Days) -> Iterator[Operation]:
    """Those prepared become T_1, T_2, ..."""
    for number in range(1, len(days) + 1):
        yield Rename(prepared(number), temporary(number))


def _next_one(days: Days, number: int, name: Callable[[int], str]) -> Iterator[Operation]:
    day = frozenset({sorted(days)[-number]})
    if number == 1:
        yield BuildIndex(name(1), day)
    else:
        yield Copy(name(number - 1), name(number))
        yield AddToIndex(name(number), day)
