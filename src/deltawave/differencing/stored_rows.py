"""The row groups behind a frame that is all rows of Parquet files."""

import logging
from collections.abc import Sequence
from itertools import pairwise

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from deltawave.differencing.batches import PositionedBatches
from deltawave.differencing.in_place import RowGroups
from deltawave.differencing.parquet_files import NotInPlaceError
from deltawave.differencing.plain_scans import plain_scan
from deltawave.sql_text import quoted

_LOG = logging.getLogger(__name__)

# So many row groups of fewer rows on average cost more as tasks of their own than they save.
_MANY, _SMALL_ROWS = 64, 20_000


def is_plain_scan(frame: DataFrame) -> bool:
    """Whether the frame is all rows of Parquet files, so that it changes with these, or a table's version, only."""
    try:
        plain_scan(frame)
    except NotInPlaceError:
        return False
    return True


def plain_row_groups(frame: DataFrame) -> RowGroups:
    """The row groups that hold the frame's rows. Raises ``NotInPlaceError`` if Spark has to read them."""
    scan = plain_scan(frame)
    return RowGroups.of(frame, scan.paths, scan.stored, scan.ids)


def groups_in_place(frame: DataFrame, expressions: Sequence[str]) -> RowGroups | None:
    """The row groups that hold these columns of a frame.

    None if Spark has to read it, because an expression is no column or the files cannot be read in place, or if they
    are many and small (logged).
    """
    if not set(map(quoted, frame.columns)).issuperset(expressions):
        return None
    try:
        groups = plain_row_groups(frame)
    except NotInPlaceError as error:
        _LOG.info("Spark reads the rows: %s", error)
        return None
    count = len(groups.groups)
    if count > _MANY and sum(groups.rows) < count * _SMALL_ROWS:
        # Spark gives a task several of them.
        _LOG.info("Spark reads the rows: its %d files, or parts of files, are small", count)
        return None
    return groups


def rows_between(groups: RowGroups, begin: int, end: int) -> PositionedBatches:
    """The rows at these positions."""
    for number, (group_begin, group_end) in enumerate(pairwise(groups.begins.tolist())):
        if group_begin < end and group_end > begin:
            for at, batch in groups.positioned(number):
                first, last = max(begin - at, 0), min(end - at, batch.num_rows)
                if first < last:
                    yield at + first, batch.slice(first, last - first)
                if at + batch.num_rows >= end:
                    return


def nullable_schema(schema: StructType) -> pa.Schema:
    """A schema in Arrow's types. Timestamps are in UTC, whatever the session's zone is."""
    return pa.schema([field.with_nullable(True) for field in to_arrow_schema(schema)])
