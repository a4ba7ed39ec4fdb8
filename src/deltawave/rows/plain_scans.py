"""Finds the Parquet files of which a select returns all rows, in Spark's plan; also for Delta and Iceberg."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote
from uuid import uuid4

from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import types as T

from deltawave.rows.parquet_files import NotInPlaceError, has_rows
from deltawave.source_state import items, java_class
from deltawave.spark_versions import ClassicFrame
from deltawave.sql_text import quoted

_MORE = "it is more than all rows of Parquet files"
# For each format, Spark's classes of file lists that hold exactly the rows of their files. With other classes, rows
# may be deleted or columns renamed, or the list changes each time.
_PARQUET = "org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat"
_DELTA = "org.apache.spark.sql.delta.DeltaParquetFileFormat"
_LISTS = {_PARQUET: {"InMemoryFileIndex", "CatalogFileIndex"}, _DELTA: {"PreparedDeltaFileIndex"}}
_ICEBERG = "org.apache.iceberg.spark.source.SparkBatchQueryScan"
# Iceberg reserves higher column numbers for metadata, such as the path of a file.
_LAST_ID = 2**31 - 201
# A reader's option rebaseMode with any value but "corrected": old dates are converted.
_REBASED = re.compile(r"rebasemode -> (?!corrected\b)", re.IGNORECASE)
# From narrow to wide.
_WIDER = (T.ByteType, T.ShortType, T.IntegerType, T.LongType)


@dataclass(frozen=True)
class PlainScan:
    """All rows of some files (URIs), and some of their columns.

    - ``stored``: for each column of the frame the column in the files, which may have another name and type
    - ``ids``: the number of each stored column, by its name in lower case; empty if columns are found by name
    """

    paths: Sequence[str]
    stored: Sequence[T.StructField]
    ids: Mapping[str, int] = field(default_factory=dict)


def plain_scan(frame: DataFrame) -> PlainScan:
    """The files that Spark would read, if the frame is all rows of them. Raises ``NotInPlaceError`` if it is not.

    Through Spark Connect, which shows plans as text alone, columns keep their names and types, and tables of Delta and
    Iceberg are refused.
    """
    if frame.storageLevel != StorageLevel.NONE:
        raise NotInPlaceError("Spark has it in its cache")
    if len({name.lower() for name in frame.columns}) < len(frame.columns):
        raise NotInPlaceError("several of its columns have the same name")
    if not isinstance(frame, ClassicFrame):
        return PlainScan(_explained_files(frame), frame.schema.fields)
    try:
        return _planned(frame)
    except NotInPlaceError:
        raise
    except Exception as error:
        # Other versions may have other plans. If Spark cannot plan it at all, the read that follows reports why.
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise NotInPlaceError(f"{_MORE}, or its plan cannot be had: {reason}") from error


def is_plain_scan(frame: DataFrame) -> bool:
    """Whether the frame is all rows of Parquet files, so that it changes only if they, or the table's version, do."""
    try:
        plain_scan(frame)
    except NotInPlaceError:
        return False
    return True


def _planned(frame: ClassicFrame) -> PlainScan:
    plan: Any = frame._jdf.queryExecution().sparkPlan()
    scan = plan
    while _kind(scan) == "ProjectExec":
        scan = scan.child()
    if _kind(scan) not in ("FileSourceScanExec", "BatchScanExec"):
        raise NotInPlaceError(_MORE)
    *projects, leaf = json.loads(plan.toJSON())
    columns = _columns(leaf["output"], [each["projectList"] for each in projects])
    names = [attribute["name"].lower() for (attribute,) in leaf["output"]]
    # Such as _metadata.file_path next to a column file_path.
    if len(set(names)) < len(names):
        raise NotInPlaceError("several columns of its files have the same name")
    stored_names = {column.name.lower() for column in columns}
    if _kind(scan) == "BatchScanExec":
        paths, ids = _iceberg_files(scan, stored_names)
        return PlainScan(paths, columns, ids)
    in_files = {each["name"].lower() for each in leaf["requiredSchema"]["fields"]}
    in_folders = {str(name).lower() for name in scan.relation().partitionSchema().fieldNames()}
    if not stored_names <= in_files - in_folders:
        raise NotInPlaceError("a column's values are not in its files")
    return PlainScan(_listed_files(frame, scan), columns)


def _kind(node: Any) -> str:
    return str(node.getClass().getSimpleName())


def _columns(output: list[Any], projects: Sequence[list[Any]]) -> list[T.StructField]:
    """The stored column of each column of a plan: a scan's output, and the projects above it, the topmost first."""
    columns = [(_id(attribute), _field(attribute)) for (attribute,) in output]
    for project in reversed(projects):
        known = dict(columns)
        columns = [(_id(cell[0]), _stored(cell, known)) for cell in project]
    return [column for _, column in columns]


def _stored(cell: list[dict[str, Any]], known: Mapping[Any, T.StructField]) -> T.StructField:
    """The stored column of an expression. Raises ``NotInPlaceError`` if it may give another value."""
    *above, attribute = cell
    source = known.get(_id(attribute)) if _class(attribute) == "AttributeReference" else None
    if source is None:
        raise NotInPlaceError(_MORE)
    kind = _field(attribute).dataType
    for node in reversed(above):
        if _class(node) == "Cast":
            wider = _field(node).dataType
            if not _holds(wider, kind):
                raise NotInPlaceError(f"{source.name} is cast from {kind.simpleString()} to {wider.simpleString()}")
            kind = wider
        elif _class(node) != "Alias":
            raise NotInPlaceError(_MORE)
    return source


def _class(node: Mapping[str, Any]) -> str:
    return str(node["class"]).rsplit(".", 1)[-1]


def _id(node: Mapping[str, Any]) -> tuple[int, str] | None:
    """The identifier by which other expressions of the plan refer to this one; None if it has none."""
    found = node.get("exprId")
    return (found["id"], found["jvmId"]) if found else None


def _field(node: Mapping[str, Any]) -> T.StructField:
    """A node's name, if it has one, and type."""
    return T.StructField.fromJson(
        {
            "name": node.get("name", ""),
            "type": node["dataType"],
            "nullable": True,
            "metadata": node.get("metadata") or {},
        }
    )


def _holds(wider: T.DataType, kind: T.DataType) -> bool:
    """Whether the type ``wider`` can represent every value of ``kind``."""
    if isinstance(wider, T.DecimalType) and isinstance(kind, T.DecimalType):
        return wider.scale >= kind.scale and wider.precision - wider.scale >= kind.precision - kind.scale
    if isinstance(wider, _WIDER) and isinstance(kind, _WIDER):
        return _WIDER.index(type(wider)) >= _WIDER.index(type(kind))
    return wider == kind or (isinstance(wider, T.DoubleType) and isinstance(kind, T.FloatType))


def _listed_files(frame: ClassicFrame, scan: Any) -> list[str]:
    """The files of a scan of Parquet files or a version of a Delta table; of the partitions that it takes."""
    relation = scan.relation()
    form, index = relation.fileFormat(), relation.location()
    if _kind(index) not in _LISTS.get(form.getClass().getName(), ()) or scan.dataFilters().size():
        raise NotInPlaceError(_MORE)
    if _REBASED.search(str(relation.options())):
        raise NotInPlaceError("its options ask for an old calendar")
    # A subquery chooses partitions when the plan runs.
    subquery = java_class(frame.sparkSession, "org.apache.spark.sql.catalyst.trees.TreePattern").PLAN_EXPRESSION()
    if any(condition.containsPattern(subquery) for condition in items(scan.partitionFilters())):
        raise NotInPlaceError("its partitions are those of a subquery")
    # Delta filters deleted rows while it reads. It needs the table's path for that, so a format with a path has some.
    if form.getClass().getName() == _DELTA and (form.columnMappingMode().name() != "none" or form.hasTablePath()):
        raise NotInPlaceError("its files have other names of columns, or deleted rows")
    return [file.urlEncodedPath() for file in scan.selectedPartitions().toPartitionArray()]


def _iceberg_files(scan: Any, names: set[str]) -> tuple[list[str], dict[str, int]]:
    """The files of a snapshot of an Iceberg table, and the numbers of these columns."""
    if scan.scan().getClass().getName() != _ICEBERG or scan.runtimeFilters().size() or scan.table().branch():
        raise NotInPlaceError(_MORE)
    partitions = items(scan.inputPartitions())
    if not partitions:
        return [], {}
    places: set[tuple[str, int]] = set()
    constant: set[int] = set()
    for task in _tasks(partitions):
        file = task.file()
        if task.deletes().size() or str(task.residual()) != "true" or str(file.format()) != "PARQUET":
            raise NotInPlaceError("its files have deleted or other rows, or are not Parquet")
        path, start = str(file.location()).removeprefix("file:"), int(task.start())
        if not path.startswith("/"):
            raise NotInPlaceError("Iceberg reaches its files by settings of its own")
        if (path, start) in places:
            raise NotInPlaceError("Spark reads a file several times")
        places.add((path, start))
        constant.update(each.sourceId() for each in task.spec().fields().toArray() if each.transform().isIdentity())
    ids = {}
    for column in partitions[0].projection().columns().toArray():
        if column.name().lower() in names:
            at = int(column.fieldId())
            if column.initialDefault() is not None or at in constant or at > _LAST_ID:
                raise NotInPlaceError(f"the values of {column.name()} may be not those in the files")
            ids[str(column.name()).lower()] = at
    if len(ids) < len(names):
        raise NotInPlaceError("a column's values are not in its files")
    # A location is a path, in which %20 is no blank.
    return sorted({f"file://{quote('/' + path.lstrip('/'))}" for path, _ in places}), ids


def _tasks(partitions: Sequence[Any]) -> Iterator[Any]:
    """The parts of files that the tasks of a scan of Iceberg read."""
    for partition in partitions:
        yield from partition.taskGroup().tasks().toArray()


# The only nodes of an accepted plan: a scan, and projections of columns. Anything else, such as a filter, is refused.
# Formats on top of Parquet have their own lists of files, with deleted rows and renamed columns.
_COLUMNS = re.compile(r"ColumnarToRow|Project \[(?:[^\s,()\[\]]+#\d+L?(?:, )?)*\]")
_SCAN = re.compile(
    r"FileScan parquet .*DataFilters: \[\], Format: Parquet, Location: (?P<index>InMemory|Catalog)FileIndex\(.*"
    r"PartitionFilters: \[(?P<partitions>.*)\], PushedFilters: \[\], .*"
)
# The partition of one value, such as the dump of a date.
_ONE_VALUE = re.compile(r"isnotnull\((?P<name>\S+)(?P<id>#\d+)L?\), \((?P=name)(?P=id)L? = (?P<value>[^()%]*)\)")
# Spark writes out up to 25 columns of a plan's node (spark.sql.debug.maxToStringFields), and shortens longer lists.
_FEW = 20
_INDENT = re.compile(r"^[ :+-]*(?:\*\(\d+\) )?")


def _explained_files(frame: DataFrame) -> list[str]:
    """The files that Spark would read, from the text of its plans: Spark Connect shows nothing else.

    Explains a few columns at a time, since Spark shortens longer plans.
    """
    session = frame.sparkSession
    view = f"deltawave_explained_{uuid4().hex}"
    names = [quoted(name) for name in frame.columns]
    # The frame is not cached: dropping a view of it would remove it from the cache.
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
        raise NotInPlaceError("it is more than all rows of Parquet files")
    paths = frame.inputFiles()
    folders = [unquote(path).split("/")[:-1] for path in paths]
    if scan["partitions"]:
        chosen = _ONE_VALUE.fullmatch(scan["partitions"])
        is_listed = chosen is not None and all(_is_partition(path, chosen["name"], chosen["value"]) for path in folders)
    else:
        # Spark does not read what lies in folders below a partition.
        is_listed = scan["index"] == "InMemory" or all("=" in path[-1] for path in folders)
    if not is_listed:
        raise NotInPlaceError("its partitions have other folders")
    return list(filter(has_rows, paths))


def _scan(plan: str) -> re.Match[str] | None:
    """The scan of a plan that only takes columns of files."""
    # The first line is a heading. If Spark cannot explain the select, as with a column ${x}, no plan follows it.
    nodes = plan.partition("\n")[2]
    *above, last = (_INDENT.sub("", line) for line in nodes.strip().split("\n"))
    return _SCAN.fullmatch(last) if all(map(_COLUMNS.fullmatch, above)) else None


def _is_partition(folders: Sequence[str], name: str, value: str) -> bool:
    """Whether a path leads to the partition of this value, or to partitions within it."""
    at = [number for number, folder in enumerate(folders) if folder.lower().startswith(f"{name}=".lower())]
    return len(at) == 1 and folders[at[0]] == f"{name}={value}" and all("=" in folder for folder in folders[at[0] :])
