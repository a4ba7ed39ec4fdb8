"""Whether a state belongs to a wave index: a state of another one can't be continued."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from deltawave.wave.operations import NO_DAYS, shown
from deltawave.wave.scheme import Scheme, Wave
from deltawave.wave.state import WaveState, constituent


def misfits(rules: Scheme, wave: Wave, state: WaveState) -> Iterator[str]:
    """The reasons why the next transition cannot start from a state."""
    return _growing(rules, wave, state) if state.day < wave.window else _complete(rules, wave, state)


def _growing(rules: Scheme, wave: Wave, state: WaveState) -> Iterator[str]:
    so_far = frozenset(range(1, state.day + 1))
    for number, days in enumerate(rules.layout(wave.window, wave.constituents), 1):
        found = state.indexes.get(constituent(number), NO_DAYS)
        if found != days & so_far:
            yield f"{constituent(number)} has {shown(found)}, not {shown(days & so_far)}"


def _complete(rules: Scheme, wave: Wave, state: WaveState) -> Iterator[str]:
    names = {constituent(number) for number in range(1, wave.constituents + 1)}
    found = {name for name in state.indexes if name[0] == "I"}
    if names != found:
        yield f"its constituents are {', '.join(sorted(found)) or 'none'}"
        return
    days = frozenset().union(*state.constituents)
    # Theorem 2 for soft windows.
    longest = wave.window if rules.is_hard else wave.window + ceil((wave.window - 1) / (wave.constituents - 1)) - 1
    first = min(days, default=0)
    if state.length != len(days) or days != frozenset(range(first, state.day + 1)):
        yield f"its constituents do not have each day up to {state.day} once"
    elif not wave.window <= len(days) <= longest:
        yield f"it has the days from {first} on"
    else:
        yield from _temporaries(rules, wave, state)


def _temporaries(rules: Scheme, wave: Wave, state: WaveState) -> Iterator[str]:
    expired = wave.expired(state)
    needed = rules.needs(state, state.indexes[constituent(state.holding(expired))] - {expired})
    for name, days in needed.items():
        if name not in state.indexes:
            yield f"it has no index {name}"
        elif days is not None and state.indexes[name] != days:
            yield f"{name} has {shown(state.indexes[name])}, not {shown(days)}"
    # P are indexes that are prepared ahead.
    kinds = ("I", "P") if rules.prepares else ("I",)
    for name in sorted(state.indexes.keys() - needed.keys()):
        if not name.startswith(kinds):
            yield f"it has an index {name}"
