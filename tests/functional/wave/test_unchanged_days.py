"""Days of a wave index whose files are as they were are not read again; and when files of days are known."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from bad_input import messages
from functional.wave.days import COLUMNS
from pyspark.sql import DataFrame, SparkSession
from workbench import MODEL, Workbench

from deltawave.partition_states import partition_states
from deltawave.wave import WaveIndex
from deltawave.wave.tables import WaveSpec
from deltawave.wave.wave_table import delivered

CONFIG = {
    **{"materialized": "wave_index", "scheme": "del", "window": 3, "constituents": 2, "buckets": 2},
    **{"day_column": "day", "search_field": "supplier", "full_refresh": True},
}
MESSAGES = messages("Wave indices")


def dated(folder: Path, day: int, rows: str = "3", age: float = 3600) -> Path:
    """A new file of a day in January, as old as that."""
    place = folder / f"day=2026-01-{day:02}"
    spark = SparkSession.getActiveSession()
    assert spark is not None
    before = {*place.glob("*.parquet")}
    spark.sql(f"select id as supplier from range({rows})").coalesce(1).write.mode("append").parquet(str(place))
    (new,) = {*place.glob("*.parquet")} - before
    os.utime(new, (time.time() - age,) * 2)
    return new


def spoil(file: Path) -> None:
    """Make a file unreadable, of the same size and time."""
    there = file.stat()
    file.write_bytes(b"?" * there.st_size)
    os.utime(file, ns=(there.st_atime_ns, there.st_mtime_ns))
