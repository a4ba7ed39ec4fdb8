"""The clause that keeps the case of a view's columns."""

import json
import re

from pyspark.sql.types import IntegerType, StringType, StructField, StructType

from dbt.adapters.deltawave.impl import PART_LENGTH, names_clause

LITERAL = re.compile(r"'((?:[^'\\]|\\.)*)' = '((?:[^'\\]|\\.)*)'")


def schema_in(clause: str) -> StructType:
    """What Spark reads of the properties."""
    values = {name: re.sub(r"\\(.)", r"\1", value) for name, value in LITERAL.findall(clause)}
    count = int(values.pop("spark.sql.sources.schema.numParts"))
    parts = [values[f"spark.sql.sources.schema.part.{number}"] for number in range(count)]
    assert len(values) == count
    assert max(map(len, parts)) <= PART_LENGTH
    return StructType.fromJson(json.loads("".join(parts)))


def test_names_and_comments_are_kept():
    schema = StructType([StructField("headingDegT", StringType()), StructField('it\'s \\ "q"', IntegerType())])
    found = schema_in(names_clause(schema, {"headingdegt": "Degrees, 'true'"}))
    assert found.names == schema.names
    assert found["headingDegT"].metadata == {"comment": "Degrees, 'true'"}


def test_many_columns_make_several_parts():
    schema = StructType([StructField(f"Column {number}", IntegerType()) for number in range(200)])
    assert schema_in(names_clause(schema, {})) == schema
