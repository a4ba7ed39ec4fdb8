"""Generated tables: awkward values, and few keys, so that two states of a table have much in common."""

import datetime as dt
import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import VariantVal

KEYS = ["k1", "k2"]
TYPES = {
    "k1": "int",
    "k2": "string",
    "num": "double",
    "txt": "string",
    "amount": "decimal(20,2)",
    "flag": "boolean",
    "day": "date",
    "at": "timestamp",
    "raw": "binary",
    "tags": "array<string>",
    "attrs": "map<string,double>",
    "deep": "struct<a:int,`b c`:map<int,array<double>>>",
}
DATA = [name for name in TYPES if name not in KEYS]

Row = tuple[Any, ...]
State = list[Row]

NUMBERS = st.sampled_from([None, 0.0, -0.0, math.nan, 1.5, math.inf])
TEXTS = st.sampled_from([None, "", " ", "a", "A", "é", "e\u0301", "\0", "\u2028", "null"])
STAMPS = [dt.datetime(2024, 10, 27, 2, 30), dt.datetime(1969, 12, 31, 23, 59, 59, 999999)]
ENTRIES = st.lists(st.tuples(st.sampled_from(["x", "y", ""]), NUMBERS), max_size=3).map(dict)
DEEP = st.tuples(
    st.sampled_from([None, 0, 1]),
    st.none() | st.lists(st.tuples(st.integers(0, 1), st.lists(NUMBERS, max_size=2)), max_size=2).map(dict),
)
VALUES = st.tuples(
    NUMBERS,
    TEXTS | st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
    st.sampled_from([None, Decimal("0.00"), Decimal("-1.10"), Decimal("123456789012345678.01")]),
    st.sampled_from([None, True, False]),
    st.sampled_from([None, dt.date(1970, 1, 1), dt.date(2024, 2, 29)]),
    st.sampled_from([None, *STAMPS]),
    st.sampled_from([None, b"", b"\0", b"\xff"]),
    st.none() | st.lists(TEXTS, max_size=3),
    st.none() | ENTRIES,
    st.none() | DEEP,
)
KEY = st.tuples(st.sampled_from([None, 0, 1]), st.sampled_from([None, "", "a"]))


@st.composite
def histories(draw: st.DrawFn, states: int) -> list[State]:
    """A few states of one table, each made from the previous one by updates, inserts and deletes."""
    rows: dict[Row, Row] = {}
    history = []
    for _ in range(states):
        rows = {key: row for key, row in rows.items() if draw(st.integers(0, 3)) != 0}
        for key in draw(st.lists(KEY, max_size=4)):
            row = list(draw(VALUES))
            if key in rows and draw(st.booleans()):
                # Only one column, perhaps to an equal value.
                column = draw(st.integers(0, len(row) - 1))
                row = [*rows[key][:column], row[column], *rows[key][column + 1 :]]
            rows[key] = tuple(row)
        history.append([key + row for key, row in rows.items()])
    return history


@st.composite
def bags(draw: st.DrawFn, states: int) -> list[State]:
    """A few states of one table in which keys, and whole rows, occur more than once."""
    keys = draw(st.lists(KEY, min_size=1, max_size=2))
    values = draw(st.lists(VALUES, min_size=2, max_size=3))
    rows = st.tuples(st.sampled_from(keys), st.sampled_from(values)).map(lambda row: row[0] + row[1])
    sizes = [draw(st.integers(0, 6)) for _ in range(states)]
    return [draw(st.lists(rows, min_size=size, max_size=size)) for size in sizes]


def collect(strategy: st.SearchStrategy[Any], count: int, derandomize: bool = False) -> list[Any]:
    """Many examples at once, for one query over all of them: one query per example would take minutes."""
    examples = []

    @settings(
        max_examples=count,
        derandomize=derandomize,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def keep(example: Any) -> None:
        examples.append(example)

    keep()
    return examples


def frame(spark: SparkSession, states: Iterable[State]) -> DataFrame:
    """The rows of all states in one table, with the case in ``case_id``."""
    rows = [(case, *row) for case, state in enumerate(states) for row in state]
    schema = "case_id int, " + ", ".join(f"{name} {data_type}" for name, data_type in TYPES.items())
    return spark.createDataFrame(rows, schema).repartition(3)


def by_case(rows: Iterable[Any]) -> dict[int, Counter[Any]]:
    """The rows of each case, counted."""
    found: dict[int, Counter[Any]] = defaultdict(Counter)
    for row in rows:
        found[row[0]][content(tuple(row)[1:])] += 1
    return found


def content(value: Any) -> Any:
    """A hashable stand-in, equal if the delta contract says equal."""
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if isinstance(value, dict):
        return frozenset((content(key), content(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(map(content, value))
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, VariantVal):
        return content(value.toPython())
    return value
