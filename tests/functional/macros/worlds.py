"""Generated histories, their states as tables, and their change log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from generated import KEYS, State, collect, content, frame, histories
from pyspark.sql import DataFrame, SparkSession
from unit.macro_harness import Macros, Relation

CASES = 200
STATES = 4
KEY = ["case_id", *KEYS]
DAY = 86400


@dataclass(frozen=True)
class World:
    """Generated histories: the states as tables, an empty one first, and their log, one batch and one day per state."""

    histories: list[list[State]]
    states: list[Relation]
    log: Relation


def make_world(spark: SparkSession, deltawave: Macros, keep: Callable[[str, DataFrame], Relation]) -> World:
    generated = collect(histories(STATES), CASES)
    states = [keep("state_0", frame(spark, []))]
    for number in range(STATES):
        states.append(keep(f"state_{number + 1}", frame(spark, [history[number] for history in generated])))
    batches = [
        f"({deltawave.diff(old, new, KEY, batch_id=number, batch_at=f'timestamp_seconds({number * DAY})')})"
        for number, (old, new) in enumerate(pairwise(states), start=1)
    ]
    return World(generated, states, keep("generated_log", spark.sql(" union all ".join(batches))))


def assert_states(found: dict[int, Counter], histories: list[list[State]], number: int) -> None:
    """Every case holds the rows of its state; otherwise the smallest failing history is shown."""
    wrong = [
        history for case, history in enumerate(histories) if found[case] != Counter(map(content, history[number - 1]))
    ]
    assert min(wrong, key=lambda history: sum(map(len, history)), default=None) is None
