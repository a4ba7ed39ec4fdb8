"""Parquet files that Python reads in place, by row groups and without Spark.

Tasks decode row groups with pyarrow, in a quarter of the time that Spark takes to read a row and hand it to Python.
"""

import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.fs
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructField, StructType

from deltawave.comparable import contained_types
from deltawave.rows.batches import (
    BATCH_BYTES,
    Batches,
    PositionedBatches,
    Positions,
    cut,
    joined,
    repeating_columns,
    step_rows,
)
from deltawave.rows.parquet_files import (
    ChangedFileError,
    NotInPlaceError,
    check_folders,
    examined,
    is_local,
    names_read,
    open_file,
    state_of,
)
from deltawave.rows.plain_scans import plain_scan
from deltawave.spark_versions import VARIANTS
from deltawave.sql_text import quoted

_LOG = logging.getLogger(__name__)

# The metadata key of a column's Parquet field id. Spark may find a column by this id instead of its name.
_NUMBER = "parquet.field.id"
# Metadata of a column whose values Spark changes while it reads them.
_FILLED_IN = {"EXISTS_DEFAULT", "__CHAR_VARCHAR_TYPE_STRING"}

# pyarrow reads values and names as the files hold them. Spark does the same only under these settings.
_AS_STORED = {
    "spark.sql.parquet.datetimeRebaseModeInRead": "corrected",
    "spark.sql.parquet.int96RebaseModeInRead": "corrected",
    "spark.sql.parquet.int96TimestampConversion": "false",
    "spark.sql.caseSensitive": "false",
}

# A decoded batch may always take this much: smaller batches cost more time than their memory is worth.
_LEAST_BATCH_BYTES = 1 << 16
# A task reads one row group. More than _MANY row groups, with fewer than _SMALL_ROWS rows on average, are read by
# Spark: so many tasks would cost more than they save.
_MANY, _SMALL_ROWS = 64, 20_000
# Footers of more files are read by tasks, several at a time.
_FEW_FILES = 200


@dataclass(frozen=True)
class RowGroups:
    """The row groups of a frame's files, and its columns.

    - ``groups``: path and number of each, in the order of the paths; a task reads one
    - ``rows``: how many rows each has
    - ``row_bytes``: about how many bytes a decoded row takes
    - ``states``: the size and the time of modification of each file when its footer was read
    - ``batch_bytes``: about how many bytes a decoded batch may take
    - ``stored``: for each column that has another name or type in the files, that column of the files; by the
      frame's name in lower case
    """

    groups: tuple[tuple[str, int], ...]
    rows: tuple[int, ...]
    row_bytes: int
    schema: pa.Schema
    states: Mapping[str, tuple[int, int | None]] = field(default_factory=dict)
    batch_bytes: int = BATCH_BYTES
    stored: Mapping[str, StructField] = field(default_factory=dict)

    @classmethod
    def of(cls, frame: DataFrame) -> "RowGroups":
        """The row groups that hold the frame's rows. Tasks read the footers where only they reach the files.

        Raises ``NotInPlaceError`` if Spark has to read the frame, may read other values than the files hold, or pyarrow
        cannot read them.
        """
        scan = plain_scan(frame)
        columns, ids, paths = scan.stored, scan.ids, sorted(scan.paths)
        if not paths:
            # Without files, or with rows that Spark has in memory.
            raise NotInPlaceError("Spark names no files")
        if len(set(paths)) < len(paths):
            # Such as the folder of two partitions.
            raise NotInPlaceError("Spark reads a file several times")
        _check_session(frame.sparkSession, [*frame.schema.fields, *columns])
        check_folders(paths, [column.name for column in columns])
        try:
            schema = to_arrow_schema(frame.schema)
            wanted = {each.name.lower(): each.type for each in to_arrow_schema(StructType(list(columns)))}
        except TypeError as error:
            raise NotInPlaceError(str(error)) from error
        session = frame.sparkSession
        if len(paths) <= _FEW_FILES and runs_here(session) and all(map(is_local, paths)):
            found = [examined(path, wanted, ids) for path in paths]
        else:
            tasks = parallelism(session)
            found = computed(session, len(paths), lambda number: examined(paths[number], wanted, ids), tasks)
        known = {name for file in found for name in file["names"]}
        missing = [column.name for column in columns if column.name.lower() not in known]
        if missing:
            raise NotInPlaceError(f"no file has the column(s) {', '.join(missing)}")
        by_path = list(zip(paths, found, strict=True))
        groups = tuple((path, number) for path, file in by_path for number in range(len(file["rows"])))
        rows = tuple(rows for file in found for rows in file["rows"])
        states = {path: (file["size"], file["modified_ns"]) for path, file in by_path}
        stored = {
            column.name.lower(): source
            for column, source in zip(frame.schema.fields, columns, strict=True)
            if (column.name.lower(), column.dataType) != (source.name.lower(), source.dataType)
        }
        return cls(groups, rows, max(file["row_bytes"] for file in found), schema, states, stored=stored)

    @property
    def begins(self) -> Positions:
        """The position at which each row group begins, and the one after the last row."""
        return np.cumsum([0, *self.rows], dtype=np.int64)

    def only(self, names: Sequence[str]) -> "RowGroups":
        """The same row groups with only these columns, whose spelling may differ."""
        fields = {each.name.lower(): each for each in self.schema}
        return replace(self, schema=pa.schema([fields[name.lower()].with_name(name) for name in names]))

    def within(self, memory_bytes: int) -> "RowGroups":
        """The same row groups for a task that may use this memory: a decoded batch takes about a sixteenth of it."""
        return replace(self, batch_bytes=max(_LEAST_BATCH_BYTES, min(BATCH_BYTES, memory_bytes // 16)))

    def read(self, number: int) -> Iterator[pa.RecordBatch]:
        """Decode a row group; repetitive texts stay in dictionaries. Raises ``ChangedFileError`` for a changed file."""
        path, group = self.groups[number]
        if path in self.states and state_of(path) != self.states[path]:
            raise ChangedFileError(f"{path} was changed while it was compared. Run again when it is complete.")
        file = open_file(path, is_mapped=True)
        footer = file.metadata.row_group(group)
        repeating = repeating_columns(footer)
        if repeating:
            file = open_file(path, read_dictionary=repeating, is_mapped=True)
        sources = [self._stored_name(name) for name in self.schema.names]
        names = [name for name in file.schema_arrow.names if name.lower() in sources]
        step = step_rows(footer, names, self.batch_bytes, self.row_bytes)
        steps = file.iter_batches(step, row_groups=[group], columns=names_read(names), use_threads=False)
        yield from joined(
            cut((_typed(rows, self.schema, sources) for rows in steps), self.batch_bytes), self.batch_bytes
        )

    def _stored_name(self, name: str) -> str:
        """The name of a column in the files, in lower case."""
        source = self.stored.get(name.lower())
        return (source.name if source else name).lower()

    def positioned(self, number: int) -> PositionedBatches:
        """As ``read``, but each batch comes with the position of its first row."""
        at = int(self.begins[number])
        for rows in self.read(number):
            yield at, rows
            at += rows.num_rows

    def between(self, begin: int, end: int) -> PositionedBatches:
        """The rows at these positions."""
        for number, (group_begin, group_end) in enumerate(pairwise(self.begins.tolist())):
            if group_begin < end and group_end > begin:
                for at, batch in self.positioned(number):
                    first, last = max(begin - at, 0), min(end - at, batch.num_rows)
                    if first < last:
                        yield at + first, batch.slice(first, last - first)
                    if at + batch.num_rows >= end:
                        return


def groups_in_place(frame: DataFrame, expressions: Sequence[str]) -> RowGroups | None:
    """The row groups that hold these columns of a frame; None if Spark has to read it, or they are many and small."""
    if not set(map(quoted, frame.columns)).issuperset(expressions):
        return None
    try:
        groups = RowGroups.of(frame)
    except NotInPlaceError as error:
        _LOG.info("Spark reads the rows: %s", error)
        return None
    count = len(groups.groups)
    if count > _MANY and sum(groups.rows) < count * _SMALL_ROWS:
        # Spark gives a task several of them.
        _LOG.info("Spark reads the rows: its %d files, or parts of files, are small", count)
        return None
    return groups


def map_rows(
    frame: DataFrame,
    expressions: Sequence[str],
    work: Callable[[Batches], Batches],
    schema: StructType | str,
    groups: RowGroups | None = None,
) -> DataFrame:
    """Run ``work`` in tasks, on batches of these expressions over a frame's rows. The result has this ``schema``.

    ``groups``: what ``groups_in_place`` returned for the frame; if that is None, Spark reads the frame.
    """
    if groups is None:
        cells = [F.expr(each).alias(f"e{number}") for number, each in enumerate(expressions)]
        return map_batches(frame.select(*cells), work, schema)
    places = {quoted(name): place for place, name in enumerate(frame.columns)}
    wanted = [places[each] for each in expressions]
    names = [f"e{number}" for number in range(len(wanted))]

    def read(number: int) -> Batches:
        for batch in groups.read(number):
            yield pa.RecordBatch.from_arrays([batch.column(place) for place in wanted], names)

    return map_numbers(frame.sparkSession, len(groups.groups), lambda number: work(read(number)), schema)


def map_numbers(
    session: SparkSession,
    count: int,
    work: Callable[[int], Batches],
    schema: StructType | str,
    tasks: int | None = None,
) -> DataFrame:
    """Run ``work`` in tasks, on each number from 0 to ``count`` - 1; by default each number is a task."""

    def each(batches: Batches) -> Batches:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from work(number)

    return map_batches(session.range(0, count, 1, max(1, min(tasks or count, count))), each, schema)


def computed(session: SparkSession, count: int, work: Callable[[int], Any], tasks: int | None = None) -> list[Any]:
    """Run ``work`` in tasks for the numbers from 0 to ``count`` - 1, and return its results, which JSON can hold.

    If ``work`` raises ``NotInPlaceError``, raises that of the lowest number.
    """

    def compute(number: int) -> Batches:
        try:
            found = {"result": work(number)}
        except NotInPlaceError as error:
            found = {"problem": str(error)}
        yield pa.RecordBatch.from_pydict({"number": [number], "found": [json.dumps(found)]})

    rows = sorted(map_numbers(session, count, compute, "number bigint, found string", tasks).collect())
    results = [json.loads(row.found) for row in rows]
    for each in results:
        if "problem" in each:
            raise NotInPlaceError(each["problem"])
    return [each["result"] for each in results]


def map_batches(frame: DataFrame, work: Callable[[Batches], Batches], schema: StructType | str) -> DataFrame:
    """Run ``work`` in tasks on a frame's rows, even if Spark has cached the result of the same work."""
    # The token makes each plan a new one. Spark answers an equal plan from its cache, but the files may have changed.
    return frame.mapInArrow(partial(_worked, work, uuid4().hex), schema)


def _worked(work: Callable[[Batches], Batches], token: str, batches: Batches) -> Batches:
    return work(batches)


def runs_here(session: SparkSession) -> bool:
    """Whether tasks run in processes of this machine, started by this one: both reach the same files."""
    return ".connect." not in type(session).__module__ and has_local_master(session)


def has_local_master(session: SparkSession) -> bool:
    """Whether tasks run in processes of one machine: that of this process, or of a server of Spark Connect."""
    master = session.conf.get("spark.master", "") or ""
    return master.startswith("local") and not master.startswith("local-cluster")


def parallelism(session: SparkSession) -> int:
    """How many tasks run at a time."""
    try:
        return max(1, session.sparkContext.defaultParallelism)
    except PySparkException:
        # Through Spark Connect.
        return int(session.conf.get("spark.sql.shuffle.partitions") or 1)


def _typed(batch: pa.RecordBatch, schema: pa.Schema, sources: Sequence[str]) -> pa.RecordBatch:
    """The columns cast to their types, except that a dictionary stays a dictionary. A missing column is null.

    ``sources``: the stored column of each, in lower case.
    """
    places = {name.lower(): place for place, name in enumerate(batch.schema.names)}
    cells = []
    for wanted, source in zip(schema, sources, strict=True):
        place = places.get(source)
        column = pa.nulls(batch.num_rows, wanted.type) if place is None else batch.column(place)
        is_kept = getattr(column.type, "value_type", None) == wanted.type or column.type == wanted.type
        # Spark truncates nanoseconds, too.
        cells.append(column if is_kept else column.cast(wanted.type, safe=not pa.types.is_timestamp(wanted.type)))
    return pa.RecordBatch.from_arrays(cells, schema.names)


def _check_session(session: SparkSession, columns: Sequence[StructField]) -> None:
    """Refuse whatever Spark changes while reading: defaults, char(n), old calendars, spelling of names."""
    for name, value in _AS_STORED.items():
        if (session.conf.get(name) or "").lower() != value:
            raise NotInPlaceError(f"{name} is not {value}")
    for column in columns:
        # Spark matches the names within a struct ignoring case; a variant may be stored in parts that have names.
        if any(isinstance(kind, (StructType, *VARIANTS)) for kind in contained_types(column.dataType)):
            raise NotInPlaceError(f"the column {column.name} is of type {column.dataType.simpleString()}")
        if _NUMBER in column.metadata:
            raise NotInPlaceError(f"the column {column.name} has a number")
        if _FILLED_IN.intersection(column.metadata):
            raise NotInPlaceError(f"the column {column.name} is filled in or padded by Spark")


def nullable_schema(schema: StructType) -> pa.Schema:
    """A schema in Arrow's types. Timestamps are in UTC, whatever the session's zone is."""
    return pa.schema([field.with_nullable(True) for field in to_arrow_schema(schema)])
