"""The planner: from today's time-sets, the operations that add the next day (WI Appendix A)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deltawave.wave.belonging import misfits
from deltawave.wave.deletion import DEL
from deltawave.wave.operations import AddIndex, AddToIndex, BuildIndex, Copy, Days, Operation, Rename, applied
from deltawave.wave.rata import RATA
from deltawave.wave.reindex import REINDEX
from deltawave.wave.reindex_plus import REINDEX_PLUS
from deltawave.wave.reindex_plus_plus import REINDEX_PLUS_PLUS
from deltawave.wave.scheme import Scheme, Steps, Wave
from deltawave.wave.state import WaveState, constituent
from deltawave.wave.wata import WATA

SCHEMES = {
    "del": DEL,
    "reindex": REINDEX,
    "reindex_plus": REINDEX_PLUS,
    "reindex_plus_plus": REINDEX_PLUS_PLUS,
    "wata": WATA,
    "rata": RATA,
}


@dataclass(frozen=True)
class WaveIndex:
    """A scheme with its window and its number of constituents.

    - ``scheme``: ``del``, ``reindex``, ``reindex_plus``, ``reindex_plus_plus``, ``wata`` (WATA*) or ``rata`` (RATA*)
    - ``window``: W, in days, at least 1
    - ``constituents``: n, from 1 (``wata`` and ``rata``: 2) to W
    - ``spread``: whether ``reindex_plus_plus`` and ``rata`` build the temporary indexes of the next cluster on the days
      before, instead of all on one day (WI 4.2, 4.3); ``rata`` then indexes at most two days a day, and
      ``reindex_plus_plus`` about as many each day. Impossible for ``rata`` with two constituents and
      ``reindex_plus_plus`` with one, where the next cluster is not complete before: there it changes nothing after day
      W. It can differ from one transition to the next

    Raises ``ValueError`` for anything else.
    """

    scheme: str
    window: int
    constituents: int
    spread: bool = False

    def __post_init__(self) -> None:
        if self.scheme not in SCHEMES:
            raise ValueError(f"scheme {self.scheme!r}: take one of {', '.join(SCHEMES)}.")
        if self.window < 1:
            raise ValueError(f"window {self.window}: take 1 day or more.")
        least = self.rules.least
        if self.window < least:
            raise ValueError(f"window {self.window}: {self.scheme} takes {least} days or more.")
        if not least <= self.constituents <= self.window:
            raise ValueError(
                f"constituents {self.constituents}: {self.scheme} takes {least} to {self.window} (the window)."
            )

    @property
    def rules(self) -> Scheme:
        """The scheme's definition."""
        return SCHEMES[self.scheme]

    @property
    def wave(self) -> Wave:
        """The scheme's parameters."""
        return Wave(self.window, self.constituents, self.spread)


@dataclass(frozen=True)
class DayPlan:
    """The plan of a day.

    After the operations of ``transition`` the new day can be queried; those of ``preparation`` build temporary indexes
    for later days. ``state`` holds the time-sets after both.
    """

    transition: tuple[Operation, ...]
    preparation: tuple[Operation, ...]
    state: WaveState

    @property
    def day(self) -> int:
        """The new day."""
        return self.state.day

    @property
    def operations(self) -> tuple[Operation, ...]:
        """All operations of the day, in order."""
        return self.transition + self.preparation


def start(index: WaveIndex, count: int | None = None) -> DayPlan:
    """Day W, when the first W days are indexed at once (Start in WI Appendix A).

    With a ``count`` of less than W days, only these are indexed, each in the constituent that has it on day W.
    """
    count = count or index.window
    layout = index.rules.layout(index.window, index.constituents)
    built: list[Operation] = []
    for number, days in enumerate(layout, 1):
        if there := frozenset(day for day in days if day <= count):
            built += [BuildIndex(constituent(number), there), AddIndex(constituent(number))]
    preparation = index.rules.first_preparation(index.wave, layout) if count == index.window else ()
    return _planned(Steps(tuple(built), preparation), WaveState(count - 1))


def grow(index: WaveIndex, state: WaveState) -> DayPlan:
    """A day before day W: it goes to the constituent that has it on day W. After day W, all is as after :func:`start`.

    With ``spread``, the first temporary indexes are built one per day, from the day that completes their cluster. The
    paper has no days before day W.
    """
    layout = index.rules.layout(index.window, index.constituents)
    new = state.day + 1
    name = constituent(next(number for number, days in enumerate(layout, 1) if new in days))
    steps: tuple[Operation, ...]
    if name not in state.indexes:
        steps = (BuildIndex(name, frozenset({new})), AddIndex(name))
    elif index.rules.rebuilds:
        steps = (BuildIndex(name, state.indexes[name] | {new}),)
    else:
        steps = (AddToIndex(name, frozenset({new})),)
    return _planned(Steps(steps, _growing_preparation(index, state, layout)), state)


def _growing_preparation(index: WaveIndex, state: WaveState, layout: Sequence[Days]) -> tuple[Operation, ...]:
    """The missing temporary indexes on day W; if spread, one per day before, once their cluster is complete."""
    new = state.day + 1
    missing = [
        operation
        for operation in index.rules.first_preparation(index.wave, layout)
        if _made(operation) not in state.indexes
    ]
    if new == index.window:
        return tuple(missing)
    if index.spread and new >= max(layout[0]):
        return tuple(operation for operation in missing if _made(operation) == _made(missing[0]))
    return ()


def _made(operation: Operation) -> str:
    return operation.target if isinstance(operation, Copy | Rename) else operation.index


def transition(index: WaveIndex, state: WaveState) -> DayPlan:
    """The plan of the day after ``state``; before day W, the window grows by it.

    Days are numbered consecutively: the new day is the one after the state's newest day.

    Raises ``ValueError`` if the state does not belong to the wave index, for instance because of another window.
    """
    for wrong in misfits(index.rules, index.wave, state):
        raise ValueError(
            f"The state after day {state.day} is not one of {index.scheme} with a window of {index.window} days and "
            f"{index.constituents} constituents: {wrong}. Build the wave index again."
        )
    return _next(index, state)


def _next(index: WaveIndex, state: WaveState) -> DayPlan:
    if state.day < index.window:
        return grow(index, state)
    return _planned(index.rules.steps(index.wave, state), state)


def plans(index: WaveIndex, last_day: int) -> Iterator[DayPlan]:
    """The plans of the days W to ``last_day``; the first one indexes W days at once.

    Raises ``ValueError`` if ``last_day`` is before day W.
    """
    if last_day < index.window:
        raise ValueError(f"days {last_day}: the first {index.window} days are indexed at once, take as many or more.")
    plan = start(index)
    yield plan
    while plan.day < last_day:
        plan = _next(index, plan.state)
        yield plan


def _planned(steps: Steps, before: WaveState) -> DayPlan:
    after = applied(steps.transition + steps.preparation, before.indexes)
    return DayPlan(steps.transition, steps.preparation, WaveState(before.day + 1, after))
