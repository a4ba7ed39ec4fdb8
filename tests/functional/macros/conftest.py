"""The macros, rendered against the session's own catalog, and views to run them on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from unit.macro_harness import Macros, Relation
from worlds import World, make_world


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
def world(spark: SparkSession, deltawave: Macros) -> Iterator[World]:
    names = []

    def keep(name: str, rows: DataFrame) -> Relation:
        rows.localCheckpoint().createOrReplaceTempView(name)
        names.append(name)
        return Relation(name)

    yield make_world(spark, deltawave, keep)
    for name in names:
        spark.catalog.dropTempView(name)


@pytest.fixture
def setting(spark: SparkSession) -> Callable[[str, str], Any]:
    """``with setting("spark.sql.ansi.enabled", "false"):``"""

    @contextmanager
    def change(key: str, value: str) -> Iterator[None]:
        before = spark.conf.get(key)
        spark.conf.set(key, value)
        try:
            yield
        finally:
            spark.conf.set(key, before)

    return change
