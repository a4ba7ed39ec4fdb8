"""Rows of Parquet files as frames: all, those of chosen row groups, or those at chosen positions."""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import unquote
from uuid import uuid4

import numpy as np
import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from deltawave.differencing.batches import Batches, PositionedBatches, typed
from deltawave.differencing.in_place import NotInPlaceError, RowGroups, map_numbers, parallelism, quoted

_LOG = logging.getLogger(__name__)

# The nodes of a plan that takes columns of files. Other expressions, a filter, a join and a cache look different.
# Formats on top of Parquet have their own lists of files, with deleted rows and renamed columns.
_COLUMNS = re.compile(r"ColumnarToRow|Project \[(?:[^\s,()\[\]]+#\d+L?(?:, )?)*\]")
_SCAN = re.compile(
    r"FileScan parquet .*DataFilters: \[\], Format: Parquet, Location: (?P<index>InMemory|Catalog)FileIndex\(.*"
    r"PartitionFilters: \[(?P<partitions>.*)\], PushedFilters: \[\], .*"
)
# The partition of one value, such as the dump of a date.
_ONE_VALUE = re.compile(r"isnotnull\((?P<name>\S+)(?P<id>#\d+)L?\), \((?P=name)(?P=id)L? = (?P<value>[^()%]*)\)")
# So many row groups of fewer rows on average cost more as tasks of their own than they save.
_MANY, _SMALL_ROWS = 64, 20_000
# Columns of a plan that Spark shows in full.
_FEW = 20
_INDENT = re.compile(r"^[ :+-]*(?:\*\(\d+\) )?")


def is_plain_scan(frame: DataFrame) -> bool:
    """Whether the frame is all rows of Parquet files, so that it changes with these files only."""
    return _why_not_plain(frame) is None


def plain_row_groups(frame: DataFrame) -> RowGroups:
    """The row groups that hold the frame's rows. Raises ``NotInPlaceError`` if Spark has to read them."""
    if reason := _why_not_plain(frame):
        raise NotInPlaceError(reason)
    return RowGroups.of(frame)


def _why_not_plain(frame: DataFrame) -> str | None:
    """By the physical plans of some columns at a time: Spark shortens longer ones."""
    if frame.storageLevel != StorageLevel.NONE:
        # Dropping a view of it would remove it from the cache.
        return "Spark has it in its cache"
    session = frame.sparkSession
    view = f"deltawave_explained_{uuid4().hex}"
    names = [quoted(name) for name in frame.columns]
    frame.createOrReplaceTempView(view)
    try:
        plans = [
            str(session.sql(f"explain select {', '.join(names[at : at + _FEW])} from {view}").collect()[0][0])
            for at in range(0, len(names), _FEW)
        ]
    finally:
        session.catalog.dropTempView(view)
    scans = [_scan(plan) for plan in plans]
    if (scan := scans[0]) is None or not all(scans):
        return "it is more than all rows of Parquet files"
    if scan["index"] == "InMemory" and not scan["partitions"]:
        return None
    folders = [unquote(path).split("/")[:-1] for path in frame.inputFiles()]
    if scan["partitions"]:
        chosen = _ONE_VALUE.fullmatch(scan["partitions"])
        is_listed = chosen is not None and all(_is_partition(path, chosen["name"], chosen["value"]) for path in folders)
    else:
        # Spark does not read what lies in folders below a partition.
        is_listed = all("=" in path[-1] for path in folders)
    return None if is_listed else "its partitions have other folders"


def _scan(plan: str) -> re.Match[str] | None:
    """The scan of a plan that only takes columns of files."""
    # Spark does not explain a select with a name such as ${x}, which stands for a variable in SQL.
    nodes = plan.partition("\n")[2]
    *above, last = (_INDENT.sub("", line) for line in nodes.strip().split("\n"))
    return _SCAN.fullmatch(last) if all(map(_COLUMNS.fullmatch, above)) else None


def _is_partition(folders: Sequence[str], name: str, value: str) -> bool:
    """Whether a path leads to the partition of this value, or to partitions within it."""
    at = [number for number, folder in enumerate(folders) if folder.lower().startswith(f"{name}=".lower())]
    return len(at) == 1 and folders[at[0]] == f"{name}={value}" and all("=" in folder for folder in folders[at[0] :])


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
