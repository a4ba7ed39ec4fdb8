"""On any two snapshots, each algorithm finds what the outer join finds: awkward keys and values, in any order."""

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from functional.macros.generated import collect
from functional.strategies.found import changed
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession

from deltawave.differencing import ALGORITHMS, Algorithm, compression

pytestmark = pytest.mark.usefixtures("interpreted")

Stored = Callable[..., DataFrame]
SCHEMA = pa.schema(
    [
        ("case", pa.int32()),
        ("Part", pa.float64()),
        ("a.b", pa.string()),
        ("amount", pa.decimal128(20, 2)),
        ("share", pa.float64()),
        ("text", pa.string()),
        ("raw", pa.binary()),
        ("tags", pa.list_(pa.string())),
        ("attrs", pa.map_(pa.string(), pa.int64())),
        ("at", pa.timestamp("us", tz="UTC")),
        ("seen", pa.int32()),
    ]
)
KEY = ["case", "part", "a.b"]
KEYS = st.tuples(st.sampled_from([None, 0.0, -0.0, 1.0, math.nan]), st.sampled_from([None, "", "a", "b", "é"]))
VALUES = st.tuples(
    st.sampled_from([None, Decimal("0.10"), Decimal("-12345678901234567.01")]),
    st.sampled_from([None, 0.0, -0.0, math.nan]),
    st.sampled_from([None, "", "x", "x" * 50]),
    st.sampled_from([None, b"", b"\0"]),
    st.sampled_from([None, [], [None], ["a", "b"]]),
    st.sampled_from([None, [], [("a", 1), ("b", 2)], [("b", 2), ("a", 1)]]),
    st.sampled_from([None, 0, 1_700_000_000_000_000]),
    st.integers(0, 1),
)


def identity(key: tuple[float | None, str | None]) -> str:
    """Equal for equal keys: -0.0 + 0.0 is 0.0."""
    return repr((None if key[0] is None else key[0] + 0.0, key[1]))


# Order matters to some: dictionaries keep that in which keys were drawn.
SNAPSHOT = st.lists(st.tuples(KEYS, VALUES), unique_by=lambda row: identity(row[0]), max_size=20)
CASES = 12


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[Any], list[Any]]:
    """An old snapshot, and one that shares rows with it, some in other places."""
    old = draw(SNAPSHOT)
    rows = {identity(key): (key, values) for key, values in draw(SNAPSHOT)}
    rows = {identity(key): (key, values) for key, values in old if draw(st.booleans())} | rows
    return old, draw(st.permutations(list(rows.values())))


@pytest.fixture
def stored(spark: SparkSession, tmp_path: Path) -> Stored:
    """A snapshot in Parquet files of small row groups."""

    def store(rows: list[Any]) -> DataFrame:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        third = len(rows) // 3
        for number, part in enumerate((rows[:third], rows[third:])):
            cells = zip(*part, strict=True) if part else [[] for _ in SCHEMA]
            columns = [pa.array(list(cell), field.type) for cell, field in zip(cells, SCHEMA, strict=True)]
            pq.write_table(pa.table(columns, schema=SCHEMA), folder / f"{number}.parquet", row_group_size=3)
        return spark.read.parquet(str(folder))

    return store


@pytest.fixture(autouse=True)
def small_tasks(small_segments: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compression, "_TASK_ROWS", 4)


def check_agreement(stored: Stored, left_out: list[str], algorithms: Sequence[str | Algorithm]) -> None:
    """Compare many pairs in one, kept apart by a part of the key; before those that Python reads there is nothing."""
    drawn = collect(pairs(), CASES)
    old, new = (
        stored([(case, *key, *values) for case, pair in enumerate(drawn) for key, values in pair[side]])
        for side in range(2)
    )
    options = {"unique_key": KEY, "ignore_columns": ["seen", *left_out]}
    for before, after in pairwise([*([stored([])] if left_out else []), old, new]):
        joined = changed(before, after, "sort_merge", **options)
        for algorithm in algorithms:
            assert changed(before, after, algorithm, **options) == joined, algorithm


# Python reads no snapshot with maps that are compared: algorithms that read files leave those to the outer join itself.
READING_FILES = {"window", "text_diff"}


@pytest.mark.parametrize("left_out", [[], ["attrs"]], ids=["maps", "no maps"])
def test_each_agrees_with_the_outer_join(stored: Stored, left_out: list[str]) -> None:
    algorithms = set(ALGORITHMS) - {"sort_merge"}
    check_agreement(stored, left_out, sorted(algorithms if left_out else algorithms - READING_FILES))
