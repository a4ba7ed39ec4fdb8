"""column_change_rates on small logs whose rates are counted by hand."""

from datetime import datetime

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from deltawave.change_rates import column_change_rates

SCHEMA = """
    id int, name string, city string,
    _change_type string, _changed_columns array<string>, _before struct<name: string, city: string>,
    _batch_id bigint, _batch_at timestamp
"""
DAYS = {batch: datetime(2026, batch, 1) for batch in (1, 2, 3)}


def change(batch: int, key: int, kind: str, *changed: str) -> tuple:
    before = ("old", "old") if kind == "update" else None
    names = list(changed) if kind == "update" else None
    return key, "new", "new", kind, names, before, batch, DAYS[batch]


LOG = [
    *(change(1, key, "insert") for key in range(1, 6)),
    change(2, 1, "update", "name"),
    change(2, 2, "update", "name", "city"),
    change(2, 3, "delete"),
    change(2, 6, "insert"),
    change(2, 7, "insert"),
    change(3, 1, "delete"),
    change(3, 8, "insert"),
]


def log_of(spark: SparkSession, rows: list[tuple]) -> DataFrame:
    # Spread over partitions, in no order.
    return spark.createDataFrame(rows, SCHEMA).repartition(3, "id")


def rates_of(frame: DataFrame) -> dict[tuple[int, str], tuple]:
    return {(row.batch_id, row.column_name): tuple(row[3:]) for row in frame.collect()}


def test_rates_are_shares_of_updated_and_of_compared_rows(spark):
    # Batch 2 compares 5 inserted rows minus 1 deleted, batch 3 compares 4 + 2 minus 1.
    assert rates_of(column_change_rates(log_of(spark, LOG))) == {
        (2, "name"): (2, 2, 4, 1.0, 0.5),
        (2, "city"): (1, 2, 4, 0.5, 0.25),
        (3, "name"): (0, 0, 5, None, 0.0),
        (3, "city"): (0, 0, 5, None, 0.0),
    }


def test_every_row_has_its_batch_s_date(spark):
    rows = column_change_rates(log_of(spark, LOG)).collect()
    assert {(row.batch_id, row.batch_at) for row in rows} == {(2, DAYS[2]), (3, DAYS[3])}


def test_columns_and_their_types(spark):
    frame = column_change_rates(log_of(spark, LOG))
    assert [(field.name, field.dataType.simpleString()) for field in frame.schema] == [
        ("batch_id", "bigint"),
        ("batch_at", "timestamp"),
        ("column_name", "string"),
        ("changed_rows", "bigint"),
        ("updated_rows", "bigint"),
        ("compared_rows", "bigint"),
        ("share_of_updates", "double"),
        ("change_rate", "double"),
    ]


def test_batches_with_nothing_to_compare_are_left_out(spark):
    replaced = [change(1, 1, "insert"), change(2, 1, "delete"), change(2, 2, "insert")]
    assert rates_of(column_change_rates(log_of(spark, replaced))) == {}
    assert rates_of(column_change_rates(log_of(spark, []))) == {}


def test_a_log_without_before_images_is_refused(spark):
    log = log_of(spark, LOG).withColumn("_before", F.lit(None))
    with pytest.raises(ValueError, match="before_image: auto or require"):
        column_change_rates(log)
