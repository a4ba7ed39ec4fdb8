"""What identifies the rows of each partition that a select reads, without reading them."""

import json
import logging
import re
from collections import defaultdict
from datetime import date, timedelta
from hashlib import md5
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from deltawave.source_state import (
    file_index_class,
    is_iceberg,
    is_recent,
    items,
    java_class,
    nodes_of,
    plan_state,
    refresh,
    table_state,
)
from deltawave.spark_versions import ClassicFrame, settings_of
from deltawave.sql_text import quoted

# Nodes of a plan whose rows depend on single rows below, and those that Spark removes from it.
_ROW_LOCAL = {"DataSourceV2Relation", "DataSourceV2ScanRelation", "Filter", "Generate", "LogicalRelation", "Project"}
_REMOVED = {"CTERelationDef", "CTERelationRef", "SubqueryAlias", "View", "WithCTE"}
# What lists the files of a table of Delta.
_DELTA = "TahoeLogFileIndex"
_ATTRIBUTES = "org.apache.spark.sql.catalyst.expressions.package$AttributeSeq"
_EPOCH = date(1970, 1, 1)
# How Spark prints the values of a partition, by the column's type, against how it casts them to text.
_TEXTS: dict[str, Any] = {
    "date": lambda days: (_EPOCH + timedelta(int(days))).isoformat(),
    **dict.fromkeys(("string", "tinyint", "smallint", "int", "bigint"), str),
}
_PARTITION = re.compile(r"PartitionPath\(\[(.*)\],(.*)\)")
_FILE = re.compile(r"\w+\{path=(.*)/[^/]*; isDirectory=false; .*")
_LOG = logging.getLogger(__name__)


def partition_states(select: DataFrame, column: str, purpose: str) -> dict[str, str] | None:
    """Return, for each value of a column as text, what changes when the select's rows with that value may have changed.

    It covers what :func:`deltawave.source_state.fingerprint` covers, of the files those in the partitions with that
    value, and ``purpose``, a text. A value is left out if a file of it was written in the last seconds, unless the
    table is one of Delta or Iceberg. None if the column is not a partition column of the only table that the select
    reads; if a row of the select depends on more than one row of the table; and where that function returns none for
    other reasons than new files.
    """
    if not isinstance(select, ClassicFrame):
        return None
    try:
        table = _only_table(select)
        if table is None:
            return None
        refresh(select)
        return _states(select, table, column, purpose)
    except Exception as error:
        # All rows are read instead, which may well work, or fails with a better message.
        _LOG.debug("all partitions have to be read, since their states are not known: %s", error)
        return None


def table_version(select: DataFrame) -> str | None:
    """Return what each commit changes, to the table of Delta or Iceberg that alone a select reads; none without one.

    Between two equal versions the files of a table have not gone and come back.
    """
    if not isinstance(select, ClassicFrame):
        return None
    try:
        table = _only_table(select)
        if table is None or not (is_iceberg(table) or file_index_class(table) == _DELTA):
            return None
        refresh(select)
        state = table_state(table)
        return json.dumps(state[:4]) if state else None
    except Exception as error:
        _LOG.debug("the version of the source is not known: %s", error)
        return None


def _only_table(select: ClassicFrame) -> Any:
    """The leaf of the one table that the select reads, whose files may be known; none otherwise.

    It is asked before the files are listed.
    """
    plan: Any = select._jdf.queryExecution().analyzed()
    if plan.subqueriesAll().size() or not {_kind(node) for node in nodes_of(plan)} <= _ROW_LOCAL | _REMOVED:
        return None
    tables = [leaf for leaf in items(plan.collectLeaves()) if _kind(leaf) in _ROW_LOCAL]
    if len(tables) != 1:
        return None
    (table,) = tables
    if is_iceberg(table):
        return table
    if file_index_class(table) not in ("InMemoryFileIndex", "CatalogFileIndex", _DELTA):
        return None
    # What a disk does not give today it may give tomorrow, in the same files.
    options = {name.lower(): value for name, value in settings_of(select.sparkSession).items()}
    given = str(table.relation().options()).lower()
    is_lenient = any(
        options.get(f"spark.sql.files.{name}") == "true" or f"{name} -> true" in given
        for name in ("ignorecorruptfiles", "ignoremissingfiles")
    )
    return table if not is_lenient and table.relation().partitionSchema().length() > 0 else None


def _states(select: ClassicFrame, table: Any, column: str, purpose: str) -> dict[str, str] | None:
    others = plan_state(select, with_tables=False)
    # Optimized, it has no views and common table expressions, and of a catalog's partitions those that it reads.
    plan: Any = select.select("*")._jdf.queryExecution().optimizedPlan()
    nodes = list(nodes_of(plan))
    if others is None or not set(map(_kind, nodes)) <= _ROW_LOCAL:
        return None
    # Each of these nodes has one child at most.
    attribute = _source_of(select, nodes, select.columns.index(column))
    if attribute is None:
        return None
    if is_iceberg(table):
        form, files = _iceberg_files(select.sparkSession, table, attribute)
    elif file_index_class(table) == _DELTA:
        form, files = _delta_files(select.sparkSession, table, attribute)
    else:
        form, files = _folder_files(nodes[-1], attribute)
    return {
        value: md5(json.dumps([purpose, others, column, form, state]).encode(), usedforsecurity=False).hexdigest()
        for value, state in files.items()
    }


def _kind(node: Any) -> str:
    return str(node.getClass().getSimpleName())


def _folder_files(leaf: Any, attribute: Any) -> tuple[list[Any], dict[str, Any]]:
    """The form of a table of folders, and by value the folders with their files, unless one is recent."""
    table = table_state(leaf)
    if table is None or table[0] != "files":
        raise ValueError(f"{leaf.nodeName()} has no files")
    _, files, partitions, *form = table
    names = list(leaf.relation().partitionSchema().fieldNames())
    folders = _values(partitions, len(names), names.index(attribute.name()), attribute.dataType().catalogString())
    found = defaultdict[str, list[str]](list)
    for partition, (_, value) in zip(partitions, folders, strict=True):
        found[value].append(partition)
    values = dict(folders)
    if len(values) < len(folders):
        raise ValueError("partitions of the catalog share a folder")
    written = defaultdict[str, list[str]](list)
    for file in files:
        # Spark does not read the files of another folder, such as one below.
        written[values[_parts(_FILE, file)[0]]].append(file)
    return form, {
        value: [found[value], status] for value, status in written.items() if not is_recent(["files", status])
    }


def _delta_files(session: SparkSession, leaf: Any, attribute: Any) -> tuple[list[Any], dict[str, Any]]:
    """The form of a table of Delta, and by value its files with the vectors of their deleted rows."""
    kind, table, _, columns = table_state(leaf) or [None] * 4
    snapshot = leaf.relation().location().getSnapshot()
    if kind != "delta" or snapshot.metadata().columnMappingMode().name() != "none":
        raise ValueError("the files do not have the names of the columns")
    files = DataFrame(snapshot.allFiles().toDF(), session)
    value = F.col("partitionValues")[attribute.name()]
    # The last two number the rows of a file.
    parts = ("path", "size", "modificationTime", "deletionVector", "baseRowId", "defaultRowCommitVersion")
    return [table, columns], _by_value(files, value, attribute, *parts)


def _iceberg_files(session: SparkSession, leaf: Any, attribute: Any) -> tuple[list[Any], dict[str, Any]]:
    """The form of a table of Iceberg, and by value its files, those of deleted rows included."""
    kind, uuid, version, _, options, *form = table_state(leaf) or [None] * 5
    table, column = leaf.table().table(), attribute.name()
    snapshot = str(table.currentSnapshot().snapshotId())
    if kind != "iceberg" or options or version != f"branch_null_snapshot_{snapshot}":
        raise ValueError("the table is read at another snapshot than its newest one")
    for spec in table.specs().values():
        fields = [field for field in spec.fields() if field.name() == column and field.transform().isIdentity()]
        if [table.schema().findColumnName(field.sourceId()) for field in fields] != [column]:
            raise ValueError(f"there are files that are not partitioned by {column}")
    named = leaf.identifier().get()
    name = quoted(leaf.catalog().get().name(), *named.namespace(), named.name(), "entries")
    # A later snapshot, which another process may just have written, may have other files.
    files = session.sql(f"select sequence_number, data_file.* from {name} version as of {snapshot} where status < 2")
    # By their sequence numbers, deletes are of rows before them.
    parts = ["sequence_number", "content", "file_path", "file_size_in_bytes", "content_offset", "referenced_data_file"]
    # It numbers the rows of a file, in newer versions.
    parts += [name for name in files.columns if name == "first_row_id"]
    return [uuid, *form], _by_value(files, F.col("partition")[column], attribute, *parts)


def _by_value(files: DataFrame, value: Column, attribute: Any, *parts: str) -> dict[str, str]:
    """What identifies the files of each value, by the value as text."""
    text = value.cast(attribute.dataType().catalogString()).cast("string")
    each = F.array_sort(F.collect_list(F.to_json(F.struct(*parts))))
    found = files.groupBy(text.alias("value")).agg(F.md5(F.to_json(each)).alias("state")).collect()
    if any(row.value is None for row in found):
        raise ValueError(f"there are files without a value of {attribute.name()}")
    return {row.value: row.state for row in found}


def _source_of(select: ClassicFrame, nodes: list[Any], place: int) -> Any:
    """The attribute of the last node that a column of the first one is, under any name; none if it is computed.

    It is spelled as in the table, and not as in the select.
    """
    attributes = java_class(select.sparkSession, _ATTRIBUTES)
    found = nodes[0].output().apply(place)
    for node in nodes:
        place = attributes(node.output()).indexOf(found.exprId())
        if place < 0:
            return None
        if _kind(node) == "Project":
            found = node.projectList().apply(place)
            found = found.child() if _kind(found) == "Alias" else found
            if _kind(found) != "AttributeReference":
                return None
    return nodes[-1].output().apply(place)


def _values(partitions: list[str], columns: int, place: int, kind: str) -> list[tuple[str, str]]:
    """The folder of each partition, and its value of a column as text. Raises errors for what is not clear."""
    found = []
    for partition in partitions:
        values, folder = _parts(_PARTITION, partition)
        row = values.split(",") if columns > 1 else [values]
        if len(row) != columns or row[place] == "null":
            raise ValueError(f"{partition} is not clear")
        found.append((folder, _TEXTS[kind](row[place])))
    return found


def _parts(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    found = pattern.fullmatch(text)
    if found is None:
        raise ValueError(f"{text} is not clear")
    return found.groups()
