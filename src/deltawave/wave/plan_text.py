"""Plans as text: JSON for programs, a table for readers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from deltawave.wave.operations import as_json, shown
from deltawave.wave.planner import DayPlan


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
    """Plans as in the paper's tables: a line for each operation, with the time-sets beside a day's first one."""
    count = max((len(plan.state.constituents) for plan in plans), default=0)
    head = ["day", "operations", *(f"I{number}" for number in range(1, count + 1)), "temporaries"]
    lines = [head, *(line for plan in plans for line in _lines(plan))]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def _lines(plan: DayPlan) -> Iterator[list[str]]:
    time_sets = [shown(days) for days in plan.state.constituents]
    temporaries = " ".join(shown(days) for days in plan.state.temporaries)
    first, *others = map(str, plan.operations)
    yield [str(plan.day), first, *time_sets, temporaries]
    for operation in others:
        yield ["", operation, *[""] * len(time_sets), ""]
