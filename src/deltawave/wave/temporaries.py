"""The temporary indexes of REINDEX++ and RATA*: T_k has the k newest days of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from deltawave.wave.operations import AddToIndex, BuildIndex, Copy, Days, Operation, Rename
from deltawave.wave.state import WaveState, prepared, temporary


def initialize(days: Days, ready: int = 0) -> Iterator[Operation]:
    """T_1 with the newest day, T_2 with the two newest, and so on (Initialize in WI Figures 15 and 17).

    P_1 to P_ready were prepared before, and are only renamed; the fewer were prepared, the more are built here.
    """
    for number in range(1, ready + 1):
        yield Rename(prepared(number), temporary(number))
    for number in range(ready + 1, len(days) + 1):
        yield from _next_one(days, number, temporary)


def prepare(state: WaveState, days: Days, most: int) -> Iterator[Operation]:
    """Up to ``most`` missing indexes of those that will replace a cluster; each indexes one day (WI 4.3)."""
    first = state.highest("P") + 1
    for number in range(first, min(first + most, len(days) + 1)):
        yield from _next_one(days, number, prepared)


def _next_one(days: Days, number: int, name: Callable[[int], str]) -> Iterator[Operation]:
    day = frozenset({sorted(days)[-number]})
    if number == 1:
        yield BuildIndex(name(1), day)
    else:
        yield Copy(name(number - 1), name(number))
        yield AddToIndex(name(number), day)
