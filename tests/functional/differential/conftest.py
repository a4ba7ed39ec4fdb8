"""A workbench for each test of the differential materialization."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from workbench import Workbench


@pytest.fixture
def bench(project: Any, deltawave_package: Path, spark: SparkSession) -> Workbench:
    """A workbench whose schema is empty."""
    bench = Workbench(spark, Path(project.project_root), project.test_schema)
    spark.sql(f"create schema if not exists {bench.schema}")
    bench.clear()
    bench.configure()
    return bench
