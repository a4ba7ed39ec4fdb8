"""Whether a frame is nothing but all rows of Parquet files, as its physical plan tells."""

from __future__ import annotations

import re
from uuid import uuid4

from pyspark.sql import DataFrame

from deltawave.differencing.in_place import RowGroups

# A projection, a filter, a join and a cache are nodes of their own.
_SCAN = re.compile(
    r"(?:\*\(\d+\) )?(?:ColumnarToRow\n\+- )?(?:\*\(\d+\) )?FileScan parquet [^\n]*"
    r"DataFilters: \[\], Format: Parquet, [^\n]*PartitionFilters: \[\], PushedFilters: \[\], [^\n]*"
)


def plain_row_groups(frame: DataFrame) -> RowGroups | None:
    """The row groups that hold the frame's rows; none if Spark computes or leaves out anything."""
    if not _is_plain_scan(frame):
        return None
    try:
        return RowGroups.of(frame)
    except ValueError:
        # A partition's column is in no file.
        return None


def _is_plain_scan(frame: DataFrame) -> bool:
    session = frame.sparkSession
    view = f"deltawave_explained_{uuid4().hex}"
    frame.createOrReplaceTempView(view)
    try:
        plan = session.sql(f"explain select * from {view}").collect()[0][0]
    finally:
        session.catalog.dropTempView(view)
    return _SCAN.fullmatch(plan.removeprefix("== Physical Plan ==\n").strip()) is not None
