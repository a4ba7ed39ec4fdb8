"""Snapshots in files, and what is logged of them."""

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

from deltawave.differencing import aligning


@pytest.fixture
def stored(spark: SparkSession, tmp_path: Path) -> Callable[..., DataFrame]:
    """A snapshot in a Parquet file of several row groups."""

    def store(name: str, select: str, groups: int = 4) -> DataFrame:
        rows = spark.sql(select).toArrow()
        file = tmp_path / f"{name}.parquet"
        pq.write_table(rows, file, row_group_size=max(1, -(-len(rows) // groups)))
        return spark.read.parquet(str(file))

    return store


@pytest.fixture
def heard(caplog: pytest.LogCaptureFixture) -> None:
    """What the library and the laboratory log is captured."""
    for package in ("deltawave", "laboratory"):
        caplog.set_level("INFO", package)


@pytest.fixture
def small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows of as many segments as their snapshots have row groups."""
    monkeypatch.setattr(aligning, "_SEGMENT_ROWS", 1)
