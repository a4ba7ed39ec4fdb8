"""Whether a frame is nothing but all rows of Parquet files, by its physical plan."""

from __future__ import annotations

import re
from uuid import uuid4

from pyspark import StorageLevel
from pyspark.sql import DataFrame

from deltawave.differencing.in_place import NotInPlaceError, RowGroups

# A projection, a filter, a join and a cache are nodes of their own. Formats on top of Parquet have their own lists of
# files, with deleted rows and renamed columns.
_SCAN = re.compile(
    r"(?:\*\(\d+\) )?(?:ColumnarToRow\n\+- )?(?:\*\(\d+\) )?FileScan parquet [^\n]*DataFilters: \[\], Format: Parquet, "
    r"Location: (?:InMemory|Catalog)FileIndex\([^\n]*PartitionFilters: \[\], PushedFilters: \[\], [^\n]*"
)


def is_plain_scan(frame: DataFrame) -> bool:
    """Whether the frame is all rows of Parquet files, so that it changes with these files only."""
    # Dropping a view of a frame that is in Spark's cache would remove the frame from the cache.
    return frame.storageLevel == StorageLevel.NONE and _SCAN.fullmatch(_physical_plan(frame)) is not None


def plain_row_groups(frame: DataFrame) -> RowGroups:
    """The row groups that hold the frame's rows. Raises ``NotInPlaceError`` if Spark has to read them."""
    if frame.storageLevel != StorageLevel.NONE:
        # Dropping a view of it would remove it from the cache.
        raise NotInPlaceError("Spark has it in its cache")
    plan = _physical_plan(frame)
    if not _SCAN.fullmatch(plan):
        raise NotInPlaceError("it is more than all rows of Parquet files")
    try:
        return RowGroups.of(frame)
    except ValueError as error:
        # A partition's column is in no file.
        raise NotInPlaceError(str(error)) from error


def _physical_plan(frame: DataFrame) -> str:
    session = frame.sparkSession
    view = f"deltawave_explained_{uuid4().hex}"
    frame.createOrReplaceTempView(view)
    try:
        plan = str(session.sql(f"explain select * from {view}").collect()[0][0])
    finally:
        session.catalog.dropTempView(view)
    return plan.removeprefix("== Physical Plan ==\n").strip()
