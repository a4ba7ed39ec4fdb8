"""A schema in Spark's JSON, from what describing a select says."""

import json

from functional.differential.test_types import COLUMNS, NAMES, quoted
from pyspark.sql.types import StructType


def test_every_type_and_name_comes_back(spark, deltawave):
    values = [(name, values.first) for name, values in COLUMNS.items()] + list(NAMES.items())
    select = "select " + ", ".join(f"{value} as {quoted(name)}" for name, value in values)
    found = StructType.fromJson(json.loads(deltawave._schema_json(deltawave._columns_of_query(select))))
    expected = spark.sql(select.replace(" collate utf8_lcase", "")).schema
    assert found.names == expected.names
    assert found.simpleString() == expected.simpleString()
