"""Generated histories, their states as tables, and their change log."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from generated import KEYS, State, content, frame
from pyspark.sql import DataFrame, SparkSession
from unit.macro_harness import Macros, Relation

CASES = 200
STATES = 4
KEY = ["case_id", *KEYS]
DAY = 86400


@dataclass(frozen=True)
class Cases:
    """Generated histories: the states as tables, an empty one first, and their log, one batch and one day per state."""

    histories: list[list[State]]
    states: list[Relation]
    log: Relation


@contextmanager
def open_cases(
    spark: SparkSession, deltawave: Macros, generated: list[list[State]], name: str = "state", **options: Any
) -> Iterator[Cases]:
    """The cases of these histories, compared with ``options``, as temporary views that begin with ``name``."""
    views = []

    def keep(view: str, rows: DataFrame) -> Relation:
        rows.localCheckpoint().createOrReplaceTempView(view)
        views.append(view)
        return Relation(view)

    by_batch = [[], *(list(states) for states in zip(*generated, strict=True))]
    states = [keep(f"{name}_{number}", frame(spark, rows)) for number, rows in enumerate(by_batch)]
    batches = [
        f"({deltawave.diff(*sides, KEY, batch_id=number, batch_at=f'timestamp_seconds({number * DAY})', **options)})"
        for number, sides in enumerate(pairwise(states), start=1)
    ]
    yield Cases(generated, states, keep(f"{name}_log", spark.sql(" union all ".join(batches))))
    for view in views:
        spark.catalog.dropTempView(view)


def assert_states(found: dict[int, Counter], histories: list[list[State]], number: int) -> None:
    """Every case holds the rows of its state; otherwise the smallest failing history is shown."""
    wrong = [
        history for case, history in enumerate(histories) if found[case] != Counter(map(content, history[number - 1]))
    ]
    assert min(wrong, key=lambda history: sum(map(len, history)), default=None) is None
