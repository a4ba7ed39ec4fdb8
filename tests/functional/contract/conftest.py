"""A project that holds every strategy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from postgres import PostgresServer
from pyspark.sql import SparkSession

INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}


@pytest.fixture(scope="class")
def interpreted(spark: SparkSession) -> Iterator[None]:
    """Queries that are not compiled: to compile one costs more than a few rows give back."""
    for name, value in INTERPRETED.items():
        spark.conf.set(name, value)
    yield
    for name in INTERPRETED:
        spark.conf.unset(name)


@pytest.fixture(scope="class")
def dbt_profile_target(dbt_profile_target: dict[str, Any], postgres: PostgresServer) -> dict[str, Any]:
    """The target, with a database to read."""
    return dbt_profile_target | {"remotes": {"legacy": postgres.remote}}
