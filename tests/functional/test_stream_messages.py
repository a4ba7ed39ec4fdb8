"""Values of Kafka are JSON of a schema, or an error that says where they are."""

from __future__ import annotations

import pytest
from functional.streams import SCHEMA
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from deltawave.meshjoin.messages import json_rows

pytestmark = pytest.mark.usefixtures("interpreted")

GOOD = ['{"id": 1, "amount": 2}', '{"amount": 3}', "{}", '{"id": null, "note": "more"}', None]


class TestMessages:
    """Values of Kafka are JSON of a schema, or an error that says where they are."""

    def messages(self, spark: SparkSession, values: list[str | None]) -> DataFrame:
        rows = [(value, "sales", 3, 40 + place) for place, value in enumerate(values)]
        return spark.createDataFrame(rows, "value string, topic string, partition int, offset bigint")

    def test_fields_may_be_missing(self, spark: SparkSession) -> None:
        found = json_rows(self.messages(spark, GOOD), SCHEMA).collect()
        assert found == [(1, 2), (None, 3), (None, None), (None, None)]

    @pytest.mark.parametrize("value", ['{"id": "x"}', '{"di": 1}', "no", "", "[1]"])
    def test_others_are_told(self, spark: SparkSession, value: str) -> None:
        found = self.messages(spark, [*GOOD, value])
        with pytest.raises(PySparkException, match="The message at offset 45 of partition 3 of topic sales is no JSON"):
            json_rows(found, SCHEMA).collect()
        kept = json_rows(found, f"{SCHEMA}, _corrupt_record string").collect()
        assert [tuple(row) for row in kept][3:] == [(None, None, None), (None, None, value)]
