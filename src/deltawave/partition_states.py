"""What identifies the rows of each partition that a select reads, without reading them."""

import json
import logging
import re
from collections import defaultdict
from datetime import date, timedelta
from hashlib import md5
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.classic.dataframe import DataFrame as ClassicFrame

from deltawave.source_state import (
    file_index_class,
    is_recent,
    items,
    java_class,
    nodes_of,
    plan_state,
    refresh,
    table_state,
)

# Nodes of an optimized plan whose rows depend on single rows below.
_ROW_LOCAL = {"Filter", "Generate", "LogicalRelation", "Project"}
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
    value, and ``purpose``, a text. A value is left out if a file of it was written in the last seconds. None if the
    column is not a partition column of the only table that the select reads, a table of files; if a row of the select
    depends on more than one row of the table; and where that function returns none for other reasons than new files.
    """
    if not isinstance(select, ClassicFrame):
        return None
    try:
        if not _may_have_states(select):
            return None
        refresh(select)
        return _states(select, column, purpose)
    except Exception as error:
        # All rows are read instead, which may well work, or fails with a better message.
        _LOG.debug("all partitions have to be read, since their states are not known: %s", error)
        return None


def _may_have_states(select: ClassicFrame) -> bool:
    """Whether the select reads one table of files with partitions, and no fewer rows than they have.

    It is asked before the files are listed.
    """
    plan: Any = select._jdf.queryExecution().analyzed()
    tables = [leaf for leaf in items(plan.collectLeaves()) if leaf.nodeName() != "CTERelationRef"]
    if len(tables) != 1 or file_index_class(tables[0]) not in ("InMemoryFileIndex", "CatalogFileIndex"):
        return False
    # What a disk does not give today it may give tomorrow, in the same files.
    options = {name.lower(): value for name, value in dict(select.sparkSession.conf.getAll).items()}
    given = str(tables[0].relation().options()).lower()
    is_lenient = any(
        options.get(f"spark.sql.files.{name}") == "true" or f"{name} -> true" in given
        for name in ("ignorecorruptfiles", "ignoremissingfiles")
    )
    return not is_lenient and tables[0].relation().partitionSchema().length() > 0


def _states(select: ClassicFrame, column: str, purpose: str) -> dict[str, str] | None:
    others = plan_state(select, with_tables=False)
    # Optimized, it has no views and common table expressions, and of a catalog's partitions those that it reads.
    plan: Any = select.select("*")._jdf.queryExecution().optimizedPlan()
    nodes = [(node, node.getClass().getSimpleName()) for node in nodes_of(plan)]
    if others is None or plan.subqueriesAll().size() or not {kind for _, kind in nodes} <= _ROW_LOCAL:
        return None
    # Each of these nodes has one child at most.
    leaf, _ = nodes[-1]
    attribute = _source_of(select, nodes, select.columns.index(column))
    table = table_state(leaf)
    if attribute is None or table is None or table[0] != "files":
        return None
    _, files, partitions, *form = table
    names = list(leaf.relation().partitionSchema().fieldNames())
    folders = _values(partitions, len(names), names.index(attribute.name()), attribute.dataType().catalogString())
    found = defaultdict[str, list[str]](list)
    for partition, (_, value) in zip(partitions, folders, strict=True):
        found[value].append(partition)
    values = dict(folders)
    if len(values) < len(folders):
        # Partitions of the catalog may share a folder.
        return None
    written = defaultdict[str, list[str]](list)
    for file in files:
        # Spark does not read the files of another folder, such as one below.
        written[values[_parts(_FILE, file)[0]]].append(file)
    return {
        value: md5(
            json.dumps([purpose, others, column, form, found[value], status]).encode(), usedforsecurity=False
        ).hexdigest()
        for value, status in written.items()
        if not is_recent(["files", status])
    }


def _source_of(select: ClassicFrame, nodes: list[tuple[Any, str]], place: int) -> Any:
    """The attribute of the last node that a column of the first one is, under any name; none if it is computed."""
    attributes = java_class(select.sparkSession, _ATTRIBUTES)
    found = nodes[0][0].output().apply(place)
    for node, kind in nodes:
        place = attributes(node.output()).indexOf(found.exprId())
        if place < 0:
            return None
        if kind == "Project":
            found = node.projectList().apply(place)
            found = found.child() if found.getClass().getSimpleName() == "Alias" else found
            if found.getClass().getSimpleName() != "AttributeReference":
                return None
    return found


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
