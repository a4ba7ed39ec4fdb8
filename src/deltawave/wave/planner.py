"""The planner: from today's time-sets, the operations that add the next day (WI Appendix A)."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from deltawave.wave import operations as op
from deltawave.wave.operations import NO_DAYS, Operation, WaveState, applied, as_json, constituent, shown
from deltawave.wave.schemes import WaveIndex


@dataclass(frozen=True)
class DayPlan:
    """The plan of a day.

    After the operations of ``transition`` the new day can be queried; those of ``preparation`` build temporary indexes
    for later days. ``state``: after both.
    """

    transition: tuple[Operation, ...]
    preparation: tuple[Operation, ...]
    state: WaveState

    @property
    def day(self) -> int:
        return self.state.day

    @property
    def operations(self) -> tuple[Operation, ...]:
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
            built += [op.BuildIndex(constituent(number), there), op.AddIndex(constituent(number))]
    preparation = index.rules.first_preparation(layout) if count == index.window else ()
    return _planned(built, preparation, WaveState(count - 1))


def grow(index: WaveIndex, state: WaveState) -> DayPlan:
    """A day before day W: it goes to the constituent that has it on day W. After day W, all is as after :func:`start`.

    With ``spread``, the first temporary indexes are built one per day, from the day that completes their cluster. The
    paper has no days before day W.
    """
    layout = index.rules.layout(index.window, index.constituents)
    new = state.day + 1
    name = constituent(next(number for number, days in enumerate(layout, 1) if new in days))
    steps: list[Operation]
    if name not in state.indexes:
        steps = [op.BuildIndex(name, frozenset({new})), op.AddIndex(name)]
    elif index.rules.rebuilds:
        steps = [op.BuildIndex(name, state.indexes[name] | {new})]
    else:
        steps = [op.AddToIndex(name, frozenset({new}))]
    # The missing temporary indexes on day W; if spread, one per day before, once their cluster is complete.
    missing = [each for each in index.rules.first_preparation(layout) if _made(each) not in state.indexes]
    if new < index.window:
        is_spread = index.spread and new >= max(layout[0])
        missing = [each for each in missing if is_spread and _made(each) == _made(missing[0])]
    return _planned(steps, missing, state)


def _made(operation: Operation) -> str:
    return operation.target if isinstance(operation, op.Copy | op.Rename) else operation.index


def transition(index: WaveIndex, state: WaveState) -> DayPlan:
    """The plan of the day after the newest one of ``state``; before day W, the window grows by it.

    Raises ``ValueError`` if the state does not belong to the wave index, for instance because of another window.
    """
    is_growing = state.day < index.window
    for wrong in _growing(index, state) if is_growing else _complete(index, state):
        raise ValueError(
            f"The state after day {state.day} is not one of {index.scheme} with a window of {index.window} days and "
            f"{index.constituents} constituents: {wrong}. Rebuild the wave index."
        )
    if is_growing:
        return grow(index, state)
    preparation = index.rules.preparation(index, state) if index.rules.preparation else ()
    return _planned(index.rules.transition(index, state), preparation, state)


def plans(index: WaveIndex, last_day: int) -> Iterator[DayPlan]:
    """The plans of the days W to ``last_day``; the first one indexes W days at once.

    Raises ``ValueError`` if ``last_day`` is before day W.
    """
    if last_day < index.window:
        raise ValueError(f"days {last_day}: the first {index.window} days are indexed at once, take as many or more.")
    plan = start(index)
    yield plan
    while plan.day < last_day:
        plan = transition(index, plan.state)
        yield plan


def _planned(transition: Iterable[Operation], preparation: Iterable[Operation], before: WaveState) -> DayPlan:
    first, then = tuple(transition), tuple(preparation)
    return DayPlan(first, then, WaveState(before.day + 1, applied(first + then, before.indexes)))


def _growing(wave: WaveIndex, state: WaveState) -> Iterator[str]:
    """The reasons why a window of fewer than W days cannot grow."""
    so_far = frozenset(range(1, state.day + 1))
    for number, days in enumerate(wave.rules.layout(wave.window, wave.constituents), 1):
        found = state.indexes.get(constituent(number), NO_DAYS)
        if found != days & so_far:
            yield f"{constituent(number)} has {shown(found)}, not {shown(days & so_far)}"


def _complete(wave: WaveIndex, state: WaveState) -> Iterator[str]:
    """The reasons why the next transition cannot start from a state after day W or a later one."""
    names = {constituent(number) for number in range(1, wave.constituents + 1)}
    found = {name for name in state.indexes if name[0] == "I"}
    if names != found:
        yield f"its constituents are {', '.join(sorted(found)) or 'none'}"
        return
    days = frozenset().union(*state.constituents)
    first = min(days, default=0)
    if state.length != len(days) or days != frozenset(range(first, state.day + 1)):
        yield f"its constituents do not have each day up to {state.day} once"
        return
    if not wave.window <= len(days) <= wave.longest:
        yield f"it has the days from {first} on"
        return
    name, expired = wave.leaving(state)
    needed = wave.rules.needs(state, state.indexes[name] - {expired}) if wave.rules.needs else {}
    for name, wanted in needed.items():
        if name not in state.indexes:
            yield f"it has no index {name}"
        elif wanted is not None and state.indexes[name] != wanted:
            yield f"{name} has {shown(state.indexes[name])}, not {shown(wanted)}"
    # P are indexes that are prepared ahead.
    kinds = ("I", "P") if wave.rules.preparation else ("I",)
    for name in sorted(state.indexes.keys() - needed.keys()):
        if not name.startswith(kinds):
            yield f"it has an index {name}"


def plan_json(plan: DayPlan) -> str:
    """A day's plan as one JSON object on one line.

    - ``day``: its number
    - ``operations``: objects with ``operation``, and with ``index`` and ``days`` or ``source`` and ``target``
    - ``constituents``: the days of each, after the operations
    - ``temporaries``: the days of each temporary index, empty ones too, by ascending T; then of the indexes prepared
      ahead, by ascending P
    """
    return json.dumps(
        {
            "day": plan.day,
            "operations": [as_json(operation) for operation in plan.operations],
            "constituents": [sorted(days) for days in plan.state.constituents],
            "temporaries": [sorted(days) for days in plan.state.temporaries],
        }
    )


def plan_table(plans: Sequence[DayPlan]) -> str:
    """Plans as in the paper's tables: a line for each operation, with the time-sets next to a day's first one."""
    count = max((len(plan.state.constituents) for plan in plans), default=0)
    head = ["day", "operations", *(f"I{number}" for number in range(1, count + 1)), "temporaries"]
    lines = [head]
    for plan in plans:
        time_sets = [shown(days) for days in plan.state.constituents]
        temporaries = " ".join(shown(days) for days in plan.state.temporaries)
        first, *others = map(str, plan.operations)
        lines.append([str(plan.day), first, *time_sets, temporaries])
        lines += [["", operation, *[""] * len(time_sets), ""] for operation in others]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)
