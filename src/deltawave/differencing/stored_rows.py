"""Rows of Parquet files as frames: all, those of chosen row groups, or those at chosen positions."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from deltawave.differencing.batches import Batches, PositionedBatches, typed
from deltawave.differencing.in_place import RowGroups, map_numbers, parallelism
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


@dataclass(frozen=True)
class StoredRows:
    """The rows of a plain frame of Parquet files, in these columns.

    The position of a row is its number in the order of the files.
    """

    frame: DataFrame
    groups: RowGroups
    schema: StructType

    @classmethod
    def of(cls, frame: DataFrame, names: Sequence[str]) -> "StoredRows":
        """Raises ``NotInPlaceError`` if Spark has to read the frame."""
        fields = {field.name.lower(): field for field in frame.schema.fields}
        schema = StructType([fields[name.lower()] for name in names])
        return cls(frame, plain_row_groups(frame).only(names), schema)

    def of_groups(self, numbers: Sequence[int]) -> DataFrame:
        """The rows of these row groups."""
        groups, schema = self.groups.subset(numbers), nullable_schema(self.schema)

        def read(number: int) -> Batches:
            return (typed(rows.columns, schema) for rows in groups.read(number))

        return map_numbers(self.frame.sparkSession, len(numbers), read, self.schema)

    def at(self, positions: DataFrame) -> DataFrame:
        """The rows at these positions: ``position`` and ``row_group``. Other row groups are not read."""
        groups, schema = self.groups, nullable_schema(self.schema)

        def read(batches: Batches) -> Batches:
            wanted = np.sort(np.concatenate([groups.begins[:0], *(batch.column(0).to_numpy() for batch in batches)]))
            for number in np.unique(np.searchsorted(groups.begins, wanted, side="right") - 1).tolist():
                for begin, rows in groups.positioned(number):
                    first, last = np.searchsorted(wanted, [begin, begin + rows.num_rows])
                    if first < last:
                        yield typed(rows.take(pa.array(wanted[first:last] - begin)).columns, schema)

        tasks = min(max(1, len(groups.groups)), parallelism(positions.sparkSession))
        return positions.repartitionById(tasks, "row_group").select("position").mapInArrow(read, self.schema)


def nullable_schema(schema: StructType) -> pa.Schema:
    """A schema in Arrow's types. Timestamps are in UTC, whatever the session's zone is."""
    return pa.schema([field.with_nullable(True) for field in to_arrow_schema(schema)])
