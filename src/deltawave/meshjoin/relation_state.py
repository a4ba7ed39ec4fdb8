"""What identifies the content of a relation: the version of its table or its files, or else a hash of its rows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.classic.dataframe import DataFrame as ClassicFrame

from deltawave.differencing.comparable import comparable
from deltawave.differencing.hashing import row_hashes
from deltawave.differencing.in_place import Batches
from deltawave.differencing.listed_files import looked_at
from deltawave.differencing.stored_rows import is_plain_scan
from deltawave.meshjoin.batches import map_in_arrow

# Seeds of other hashes are in deltawave.differencing.signatures, and in relation.py.
_SEED = 5
_EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions."
# Expressions whose value follows from the row alone, and whose SQL says all of them. The clock, functions of users and
# subqueries are not among them.
_KNOWN = {
    *("Add", "Alias", "And", "AttributeReference", "CaseWhen", "Cast", "Coalesce", "Concat", "Contains", "Divide"),
    *("EndsWith", "EqualNullSafe", "EqualTo", "GetStructField", "GreaterThan", "GreaterThanOrEqual", "If", "In"),
    *("IsNotNull", "IsNull", "Length", "LessThan", "LessThanOrEqual", "Literal", "Lower", "Multiply", "Not", "Or"),
    *("Remainder", "StartsWith", "StringTrim", "Substring", "Subtract", "UnaryMinus", "Upper"),
}
_FILES = "org.apache.spark.sql.execution.datasources.HadoopFsRelation"
# They change what a cast gives.
_SETTINGS = ("spark.sql.session.timeZone", "spark.sql.ansi.enabled", "spark.sql.caseSensitive")


def refresh(relation: DataFrame) -> None:
    """Forget cached lists of the relation's files and snapshots, which hide what other processes have written."""
    if not isinstance(relation, ClassicFrame):
        # A server of Spark Connect keeps its lists to itself.
        return
    plan: Any = relation._jdf.queryExecution().analyzed()
    plan.refresh()
    for leaf in items(plan.collectLeaves()):
        if _is_iceberg(leaf):
            leaf.table().table().refresh()


def state_of(relation: DataFrame) -> str:
    """Return what changes when the relation does.

    That of all or some rows and columns of a table is the version of Delta or Iceberg, or the list of Parquet files;
    that of other relations the number of rows and sums of their hashes.
    """
    known = _known(relation)
    return _hashed(relation) if known is None else json.dumps(known)


def _known(relation: DataFrame) -> list[Any] | None:
    """The table's state, and what is selected from it; none if only the rows say that."""
    if not isinstance(relation, ClassicFrame):
        return _files_state(relation, relation.inputFiles()) if is_plain_scan(relation) else None
    # The frame's own plan does not show whether Spark has cached it since.
    node: Any = relation.select("*")._jdf.queryExecution().withCachedData()
    session = relation.sparkSession
    steps: list[Any] = [[session.conf.get(name) for name in _SETTINGS]]
    while node.children().size():
        names = [attribute.name().lower() for attribute in items(node.output())]
        kind, settings = node.getClass().getSimpleName(), list[str]()
        if kind == "Project":
            expressions = items(node.projectList())
        elif kind == "Filter":
            expressions = [node.condition()]
        elif kind in ("SubqueryAlias", "View"):
            expressions = []
            if kind == "View":
                settings = sorted(setting.toString() for setting in items(node.desc().viewSQLConfigs().toSeq()))
        else:
            return None
        # Expressions name columns.
        if len(set(names)) < len(names) or not all(map(_is_known, expressions)):
            return None
        steps.append([kind, *settings, *(expression.sql() for expression in expressions)])
        node = node.children().apply(0)
    table = _table_state(relation, node)
    return None if table is None else [*steps, table]


def _is_known(expression: Any) -> bool:
    name: str = expression.getClass().getName()
    return name.removeprefix(_EXPRESSIONS) in _KNOWN and all(map(_is_known, items(expression.children())))


def _table_state(relation: DataFrame, leaf: Any) -> list[Any] | None:
    columns = [f"{column.sql()} {column.dataType().catalogString()}" for column in items(leaf.output())]
    if _is_iceberg(leaf):
        table = leaf.table()
        return [
            "iceberg",
            table.table().uuid().toString(),
            table.version(),
            sorted(dict(leaf.options()).items()),
            # With the numbers of columns: one that is dropped and added again is another one in the same version.
            table.table().schema().toString(),
            columns,
        ]
    if leaf.nodeName() != "LogicalRelation" or not _is_of_files(leaf.relation()):
        return None
    files = leaf.relation().location()
    kind = files.getClass().getSimpleName()
    if kind == "TahoeLogFileIndex" and not files.partitionFilters().size():
        snapshot = files.getSnapshot()
        return ["delta", snapshot.metadata().id(), snapshot.version(), columns]
    is_parquet = leaf.relation().fileFormat().getClass().getSimpleName() == "ParquetFileFormat"
    if not is_parquet or kind not in ("InMemoryFileIndex", "CatalogFileIndex"):
        return None
    if kind == "CatalogFileIndex":
        # A leaf has no children: all partitions, as the catalog has them.
        files = files.filterPartitions(leaf.children())
    state = _files_state(relation, files.inputFiles())
    # The values of partitions are in no file, and the catalog may give a folder others.
    partitions = sorted(str(each) for each in items(files.partitionSpec().partitions()))
    return None if state is None else [*state, partitions, columns]


def _files_state(relation: DataFrame, paths: Iterable[str]) -> list[Any] | None:
    files = looked_at(relation.sparkSession, sorted(paths))
    if not files or any(file.problem is not None for file in files):
        return None
    return ["files", [(file.path, file.size, file.modified_ns) for file in files]]


def _is_of_files(source: Any) -> bool:
    kind = source.getClass()
    names: list[str] = [kind.getName(), kind.getSuperclass().getName()]
    return _FILES in names


def _is_iceberg(leaf: Any) -> bool:
    is_v2 = leaf.getClass().getSimpleName() == "DataSourceV2Relation"
    return is_v2 and str(leaf.table().getClass().getName()) == "org.apache.iceberg.spark.source.SparkTable"


def items(sequence: Any) -> list[Any]:
    """The items of a sequence of Scala."""
    return [sequence.apply(at) for at in range(sequence.size())]


def is_repeatable(relation: DataFrame) -> bool:
    """Whether the relation's plan gives the same rows each time, as far as Spark knows."""
    if not isinstance(relation, ClassicFrame):
        return True
    plan: Any = relation._jdf.queryExecution().optimizedPlan()
    return bool(plan.deterministic())


def _hashed(relation: DataFrame) -> str:
    def sums(batches: Batches) -> Batches:
        for batch in batches:
            hashes = row_hashes(batch.columns, _SEED, batch.num_rows)
            sums = np.array([np.add.reduce(hashes), np.bitwise_xor.reduce(hashes)], dtype=np.uint64).view(np.int64)
            cells = [pa.array([number], pa.int64()) for number in (batch.num_rows, *sums.tolist())]
            yield pa.RecordBatch.from_arrays(cells, ["rows", "total", "parity"])

    rows = total = parity = 0
    # Maps have no hash.
    values = relation.select(*(F.expr(comparable(field.name, field.dataType)) for field in relation.schema.fields))
    for each in map_in_arrow(values, sums, "rows bigint, total bigint, parity bigint").collect():
        rows, total, parity = rows + each.rows, (total + each.total) % (1 << 64), parity ^ each.parity
    return json.dumps([rows, total, parity])
