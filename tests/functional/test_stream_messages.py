"""Values of Kafka are JSON of a schema, or an error that says where they are."""

import pytest
from functional.streams import SCHEMA
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from deltawave.meshjoin.sources import json_rows

pytestmark = pytest.mark.usefixtures("interpreted")

GOOD = ['{"id": 1, "amount": 2}', '{"amount": 3}', "{}", '{"id": null, "note": "more"}', None]
WRONG = [
    '{"id": "x"}',
    '{"di": 1}',
    "no",
    "",
    "null",
    "[1]",
    '[{"id": 1}]',
    '[{"id": 1}, {"id": 2}]',
    '{"id": 3}\n{"id": 4}',
    '{"id": 3}, {"id": 4}',
    '{"id": 7}] garbage',
    '{"id": 7}} garbage',
    '{"id": 7}garbage',
]


class TestMessages:
    """Values of Kafka are JSON of a schema, or an error that says where they are."""

    def messages(self, spark: SparkSession, values: list[str | None]) -> DataFrame:
        rows = [(value, "sales", 3, 40 + place) for place, value in enumerate(values)]
        return spark.createDataFrame(rows, "value string, topic string, partition int, offset bigint")

    def test_fields_may_be_missing(self, spark: SparkSession) -> None:
        found = json_rows(self.messages(spark, GOOD), SCHEMA).collect()
        assert found == [(1, 2), (None, 3), (None, None), (None, None)]

    def test_others_are_reported(self, spark: SparkSession) -> None:
        with pytest.raises(PySparkException, match="The message at offset 45 of partition 3 of topic sales is no JSON"):
            json_rows(self.messages(spark, [*GOOD, WRONG[-1]]), SCHEMA).collect()
        kept = json_rows(self.messages(spark, [*GOOD, *WRONG]), SCHEMA, malformed="no row").collect()
        malformed = [row["no row"] for row in kept]
        assert malformed[:4] == [None] * 4
        assert [tuple(row) for row in malformed[4:]] == [("sales", 3, 45 + at, value) for at, value in enumerate(WRONG)]

    def test_the_key_has_to_be_there(self, spark: SparkSession) -> None:
        values = ['{"id": 1, "n": {"a": [1, {}]}}', '{"id": null}', '{"amount": 3}', "{}"]
        kept = json_rows(self.messages(spark, values), SCHEMA, ["id"], malformed="no_row").collect()
        assert [row.no_row and row.no_row.value for row in kept] == [None, None, *values[2:]]
        with pytest.raises(PySparkException, match="is no JSON of the schema id bigint, amount int, with id:"):
            json_rows(self.messages(spark, values[3:]), SCHEMA, ["id"]).collect()
