"""The texts of views: the case of their columns' names, and the table of a log."""

import json
import re
from types import SimpleNamespace

from pyspark.sql.types import ArrayType, DecimalType, IntegerType, StringType, StructField, StructType
from unit.macro_harness import Macros, Relation

from dbt.adapters.deltawave.catalog import LOG_TABLE, PART_LENGTH, names_clause

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
    found = schema_in(names_clause(SimpleNamespace(schema=schema), {"headingdegt": "Degrees, 'true'"}))
    assert found.names == schema.names
    assert found["headingDegT"].metadata == {"comment": "Degrees, 'true'"}


def test_many_columns_make_several_parts():
    schema = StructType([StructField(f"Column {number}", IntegerType()) for number in range(200)])
    assert schema_in(names_clause(SimpleNamespace(schema=schema), {})) == schema


def test_views_of_logs_have_the_same_properties() -> None:
    types = {"Id": "int", "Tags": "array<struct<`a b`:decimal(9,2)>>"} | {f"Column {n}": "date" for n in range(200)}
    macros = Macros()
    columns = [{"name": name, "data_type": kind} for name, kind in types.items()]
    macros._macros |= {"_catalog_keeps_views": lambda _: True, "_columns_of_query": lambda _: columns}
    schema = StructType().add("Id", "integer").add("Tags", ArrayType(StructType().add("a b", DecimalType(9, 2))))
    for name in list(types)[2:]:
        schema.add(name, "date")
    assert schema_in(macros._view_schema({}, "select 1")) == schema_in(names_clause(SimpleNamespace(schema=schema), {}))


def test_the_table_of_a_log_is_found_in_the_text_of_its_view() -> None:
    names = {"target": Relation.create("shop", "x"), "state_schema": "its state"}
    job = names | {"batches": Relation.create("its state", "x__batches")}
    column = {"name": "as log", "is_key": True}
    record = {"batch_id": 7, "attempt": "aaaaaaaaaaaa", "log": "log_5_bbbbbbbbbbbb", "first_batch": 3}
    text = Macros().default___log_view(job, record | {"columns": [column], "has_before": False})
    found = LOG_TABLE.search(text)
    assert found is not None, text
    assert found.groups() == ("its state", "x__log_5_bbbbbbbbbbbb")
