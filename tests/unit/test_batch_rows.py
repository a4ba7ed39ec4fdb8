"""The row of a batch that is written as a file."""

import math
from datetime import datetime, timezone
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from unit.macro_harness import Macros

from deltawave.batch_rows import comparisons_before_error, write_row

TYPES = {"attempt": "string", "batch_at": "timestamp", "rows": "bigint", "seconds": "double", "rewound_to": "bigint"}
ROW = {"attempt": "a'b", "batch_at": "2026-11-27T14:06:32.578832Z", "rows": 7.0, "seconds": 1, "rewound_to": None}
ROW |= {"batch_id": 3}


@pytest.mark.parametrize("scheme", ["file:", "file://"])
def test_a_row_is_one_file_of_a_folder(tmp_path: Path, scheme: str) -> None:
    """A path is no URI: a blank or a percent sign is what it is."""
    folder = tmp_path / "100 %20" / "batch_id=3"
    for _ in range(2):
        assert write_row(f"{scheme}{folder.parent}", TYPES, ROW)
    (first,) = folder.iterdir()
    assert first.name == "part-00000-a'b.snappy.parquet"
    table = pq.ParquetFile(first).read()
    at = datetime(2026, 11, 27, 14, 6, 32, 578832, timezone.utc)
    assert table.to_pylist() == [{name: ROW[name] for name in TYPES} | {"batch_at": at}]
    assert [str(field.type) for field in table.schema] == [
        "string",
        "timestamp[us, tz=UTC]",
        "int64",
        "double",
        "int64",
    ]
    assert b"org.apache.spark.version" in pq.ParquetFile(first).metadata.metadata


@pytest.mark.parametrize("folder", ["hdfs://name/warehouse/x__batches", "file:{root}/file"])
def test_other_file_systems_and_folders_that_cannot_be_made_are_left_to_spark(tmp_path: Path, folder: str) -> None:
    tmp_path.joinpath("file").touch()
    assert not write_row(folder.replace("{root}", str(tmp_path)), TYPES, ROW)


def test_an_error_is_as_far_away_as_in_the_paper() -> None:
    """LG96 3.2, equation 2, with 128 bits."""
    assert comparisons_before_error(10_000_000) == pytest.approx(2**128 / 10_000_000)
    assert comparisons_before_error(0) is None
    # The macro, for logs that Spark writes.
    sql = Macros()._comparisons_before_error(10_000_000).replace("2d", "2")
    assert eval(sql, {"expm1": math.expm1, "log1p": math.log1p, "power": pow}) == comparisons_before_error(10_000_000)
