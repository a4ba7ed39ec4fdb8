"""The macros, rendered against the session's own catalog, and views to run them on."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cases import CASES, STATES, Cases, open_cases
from generated import collect, histories
from pyspark.sql import DataFrame, SparkSession
from unit.macro_harness import Macros, Relation


@pytest.fixture(scope="session")
def deltawave(spark: SparkSession) -> Macros:
    def run_query(sql: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in spark.sql(sql).collect()]

    return Macros(run_query=run_query, config={})


@pytest.fixture
def view(spark: SparkSession) -> Iterator[Callable[[str, str | DataFrame], Relation]]:
    """``view("old", "select 1 as id")``: a temporary view for the duration of the test."""
    names = []

    def create(name: str, content: str | DataFrame) -> Relation:
        frame = spark.sql(content) if isinstance(content, str) else content
        frame.createOrReplaceTempView(name)
        names.append(name)
        return Relation(name)

    yield create
    for name in names:
        spark.catalog.dropTempView(name)


@pytest.fixture(scope="session")
def cases(spark: SparkSession, deltawave: Macros) -> Iterator[Cases]:
    with open_cases(spark, deltawave, collect(histories(STATES), CASES)) as cases:
        yield cases
