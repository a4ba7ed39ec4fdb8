"""Rows that are new since the last run, and surrogate keys for them (MJ08 1)."""

from uuid import uuid4

import pytest
from pyspark.sql import DataFrame, SparkSession

from deltawave.meshjoin import new_keys, rows_since
from deltawave.resources import release

pytestmark = pytest.mark.usefixtures("interpreted")

STREAM_ROWS = "select * from values ('a', 1), ('n', 1), ('m', 1), ('n', 2), (null, 2), ('o', 2) as new (code, batch)"
KNOWN = "select * from values ('a', 7), ('b', 40), (null, 3) as known (id, number)"


@pytest.fixture
def name() -> str:
    """A stored relation of this test alone."""
    return f"increments_{uuid4().hex}"


def assigned(frame: DataFrame) -> list[tuple[str, int, int]]:
    return sorted((row.code, row.batch, row.number) for row in frame.collect())


def test_new_rows_get_the_next_keys_once(spark: SparkSession, name: str) -> None:
    def add(before: DataFrame | None) -> DataFrame:
        new = rows_since(spark.sql(STREAM_ROWS), before, "batch")
        found = new_keys(new, spark.sql(KNOWN), before, on={"code": "id"}, key="number", order="batch", name=name)
        rows = found.collect()
        release(found)
        return spark.createDataFrame(rows, found.schema)

    first = add(None)
    assert assigned(first) == [("m", 1, 41), ("n", 1, 42), ("o", 2, 43)]
    # Nothing is newer than batch 2.
    assert assigned(add(first)) == []
    # After the first batch alone, its keys stay and the others go on.
    assert assigned(add(first.where("batch = 1"))) == [("o", 2, 43)]


def test_without_a_previous_row_everything_is_new(spark: SparkSession) -> None:
    new = spark.sql(STREAM_ROWS)
    assert rows_since(new, new.where("false"), "batch").count() == 6


def test_later_passes_are_counted_downwards(spark: SparkSession) -> None:
    """What was shed is joined by a pass with a negative number, after micro-batches of higher ones."""
    results = spark.sql("select * from values (0), (1), (2), (-1), (-2) as results (micro_batch)")
    for done, late in (
        ("-5 < micro_batch", []),
        ("micro_batch >= 0", [-2, -1]),
        ("micro_batch in (0, -1)", [-2, 1, 2]),
    ):
        found = rows_since(results, results.where(done), "micro_batch").collect()
        assert sorted(row.micro_batch for row in found) == late


def test_bad_columns_are_named(spark: SparkSession, name: str) -> None:
    new, known = spark.sql(STREAM_ROWS), spark.sql(KNOWN)
    with pytest.raises(ValueError, match="The stream has no column day; there are code, batch"):
        rows_since(new, None, "day")
    with pytest.raises(ValueError, match="The relation has no column code; there are id, number"):
        new_keys(new, known, None, on={"code": "code"}, key="number", order="batch", name=name)
