"""Warehouses for the crash tests: one a file format, each on a metastore server of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from house import House
from metastore import MetastoreServer

FORMATS = {
    "parquet": {},
    "delta": {
        "spark.jars.packages": "io.delta:delta-spark_4.1_2.13:4.4.0",
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "2",
    },
    "iceberg": {
        "spark.jars.packages": "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.11.0",
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.catalog.spark_catalog": "org.apache.iceberg.spark.SparkSessionCatalog",
        "spark.sql.catalog.spark_catalog.type": "hive",
        # The reader lives long, and with the cache it would look at the tables as it first saw them.
        "spark.sql.catalog.spark_catalog.cache-enabled": "false",
        "spark.hadoop.iceberg.engine.hive.lock-enabled": "false",
    },
}


@pytest.fixture
def house(request: pytest.FixtureRequest, tmp_path: Path, quick_jvm: str) -> Iterator[House]:
    """A warehouse of the file format that the test is parametrized with."""
    with MetastoreServer(tmp_path / "metastore") as server:
        house = House(tmp_path, server, request.param, FORMATS[request.param], quick_jvm)
        yield house
        house.close()
