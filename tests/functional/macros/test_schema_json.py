"""A schema in Spark's JSON, from the description of a select."""

import json

from pairs import DIFFERENT, EQUAL, as_row
from pyspark.sql.types import StructType

NAMES = {
    "two\nlines": "10",
    "Mixed Case": "'a'",
    "a`b": "true",
    "Größe, кг": "array(1)",
    'back\\slash "q"': "named_struct('a.b', map(1, 2), 'c`d, e', 1, 'Order By', 'x', 'long:int', 2)",
}


def test_every_type_and_name_comes_back(spark, deltawave):
    named = ", ".join(f"{value} as `{name.replace('`', '``')}`" for name, value in NAMES.items())
    # A collation is no part of it.
    pairs = [pair for pair in EQUAL + DIFFERENT if "collate" not in pair[0]]
    select = f"{as_row(pairs)}, {named}"
    found = StructType.fromJson(json.loads(deltawave._schema_json(deltawave._columns_of_query(select))))
    expected = spark.sql(select).schema
    assert found.names == expected.names
    assert found.simpleString() == expected.simpleString()
