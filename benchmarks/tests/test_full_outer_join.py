"""outer_join: any two relations, by the algorithms of snapshot differentials, as SQL joins them."""

import math
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from functional.macros.generated import content
from functional.strategies.found import storing
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession

import deltawave
from laboratory.differencing.full_outer_join import JOIN_ALGORITHMS, outer_join

pytestmark = pytest.mark.usefixtures("interpreted", "heard")

Stored = Callable[..., DataFrame]
ORDERED = ["window", "text_diff"]
SCHEMA = {"side": pa.string(), "part": pa.float64(), "value": pa.int64()}
KEYS = st.tuples(st.sampled_from([None, "a", "b"]), st.sampled_from([None, 0.0, 1.0, math.nan]))
RELATION = st.lists(KEYS, unique_by=lambda key: (key[0], str(key[1])), max_size=12)


@pytest.fixture
def stored(spark: SparkSession, tmp_path: Path) -> Stored:
    """A relation in a Parquet file of small row groups."""
    return storing(spark, tmp_path, 3)


def rows(left: DataFrame, right: DataFrame, **options: Any) -> Counter[Any]:
    frame = outer_join(left, right, **options)
    try:
        return Counter(content(tuple(row)) for row in frame.collect())
    finally:
        deltawave.release(frame)


def table(keys: list[Any], value: str) -> pa.Table:
    cells = {"side": [key[0] for key in keys], "part": [key[1] for key in keys], value: range(len(keys))}
    kinds = [pa.string(), pa.float64(), pa.int64()]
    return pa.table(
        [pa.array(list(cell), kind) for cell, kind in zip(cells.values(), kinds, strict=True)], names=list(cells)
    )


@settings(max_examples=3, deadline=None, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(RELATION, RELATION)
def test_every_algorithm_joins_as_spark_does(stored: Stored, left: list[Any], right: list[Any]) -> None:
    one, other = stored(table(left, "x")), stored(table(right, "y"))
    expected = one.join(other, ["side", "part"], "full").select("side", "part", "x", "y").collect()
    for algorithm in JOIN_ALGORITHMS:
        found = rows(one, other, on=["side", "part"], algorithm=algorithm)
        assert found == Counter(content(tuple(row)) for row in expected), algorithm


@pytest.mark.parametrize("algorithm", JOIN_ALGORITHMS)
class TestEveryAlgorithm:
    def test_rows_with_and_without_a_partner(self, stored: Stored, algorithm: str) -> None:
        left = stored(pa.table({"id": [1, 2, None], "name": ["a", "b", "c"]}))
        right = stored(pa.table({"NR": ["x", "y", "z"], "ID": [2, 3, None]}))
        frame = outer_join(left, right, on="id", algorithm=algorithm)
        assert frame.columns == ["id", "name", "NR"]
        assert Counter(map(tuple, frame.collect())) == Counter(
            [(1, "a", None), (2, "b", "x"), (3, None, "y"), (None, "c", None), (None, None, "z")]
        )
        deltawave.release(frame)

    def test_names_that_have_to_be_quoted(self, stored: Stored, algorithm: str) -> None:
        left = stored(pa.table({"a.b": [1, 2], "`x`": [3, 4]}))
        right = stored(pa.table({"a.b": [2], "left_key_0": [5]}))
        assert rows(left, right, on="a.b", algorithm=algorithm) == Counter([(1, 3, None), (2, 4, 5)])

    def test_a_column_that_is_named_twice_counts_once(self, stored: Stored, algorithm: str) -> None:
        left, right = stored(pa.table({"Id": [1], "x": [1]})), stored(pa.table({"iD": [1], "y": [2]}))
        frame = outer_join(left, right, on=["id", "ID"], algorithm=algorithm)
        assert (frame.columns, [tuple(row) for row in frame.collect()]) == (["Id", "x", "y"], [(1, 1, 2)])
        deltawave.release(frame)

    def test_nothing_but_the_key(self, stored: Stored, algorithm: str) -> None:
        left, right = stored(pa.table({"id": [1, 2]})), stored(pa.table({"id": [2, 3]}))
        assert rows(left, right, on="id", algorithm=algorithm) == Counter([(1,), (2,), (3,)])


@pytest.mark.parametrize("algorithm", ORDERED)
class TestSideBySide:
    def test_relations_in_their_order_are_not_exchanged(
        self, stored: Stored, caplog: pytest.LogCaptureFixture, algorithm: str
    ) -> None:
        ids = pa.array(range(1000))
        left = stored(pa.table({"id": ids, "x": ids}), 100)
        right = stored(pa.table({"id": ids.slice(10), "y": ids.slice(10)}), 90)
        assert rows(left, right, on="id", algorithm=algorithm) == rows(left, right, on="id")
        assert re.search(r"(window|text diff) over \d segments: 100% of the sampled rows", caplog.text)

    def test_keys_of_other_types_are_joined_by_spark(
        self, stored: Stored, caplog: pytest.LogCaptureFixture, algorithm: str
    ) -> None:
        left, right = stored(pa.table({"id": [1, 2]})), stored(pa.table({"id": pa.array([2.0, 3.0])}))
        assert sum(rows(left, right, on="id", algorithm=algorithm).values()) == 3
        assert "Spark joins both relations: the column id has another type" in caplog.text

    def test_a_key_with_several_rows_is_refused(self, stored: Stored, algorithm: str) -> None:
        left, right = stored(pa.table({"id": [1, None, None]})), stored(pa.table({"id": [3, 3]}))
        with pytest.raises(
            ValueError, match=re.escape("Several rows of the right relation have the same key (id): (3")
        ):
            outer_join(left, right, on="id", algorithm=algorithm)


class TestBadInput:
    WRONG: dict[str, tuple[dict[str, Any], str]] = {
        "an algorithm that is none": ({"algorithm": "hash"}, "There is no algorithm 'hash': it is one of sort_merge"),
        "a key that is no column": ({"on": "nr"}, "The left relation has no column nr, which is in on."),
        "a key of one side": ({"on": "x"}, "The right relation has no column x, which is in on."),
        "no key": ({"on": []}, "on names no column."),
        "a name in both": (
            {"on": "id"},
            "Both relations have a column name, tags: rename it in one, or name it in on.",
        ),
        "a map as key": ({"on": "tags"}, "The column tags is of type map<string,int>, which can't be a key."),
    }

    @pytest.mark.parametrize("kind", WRONG)
    def test_it_is_refused(self, spark: SparkSession, kind: str) -> None:
        options, message = self.WRONG[kind]
        left = spark.sql("select 1 as id, 2 as name, 3 as x, map('a', 1) as tags")
        right = spark.sql("select 1 as id, 2 as NAME, map('a', 1) as tags")
        with pytest.raises(ValueError, match=re.escape(message)):
            outer_join(left, right, **{"on": "id"} | options)
