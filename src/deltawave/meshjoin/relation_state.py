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

from deltawave import source_state
from deltawave.differencing.comparable import comparable
from deltawave.differencing.hashing import row_hashes
from deltawave.differencing.in_place import Batches
from deltawave.differencing.listed_files import looked_at
from deltawave.differencing.stored_rows import is_plain_scan
from deltawave.meshjoin.batches import map_in_arrow
from deltawave.source_state import items, table_state, view_settings

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
# They change what a cast gives.
_SETTINGS = ("spark.sql.session.timeZone", "spark.sql.ansi.enabled", "spark.sql.caseSensitive")


def refresh(relation: DataFrame) -> None:
    """Forget cached lists of the relation's files and snapshots, which hide what other processes have written."""
    # A server of Spark Connect keeps its lists to itself.
    if isinstance(relation, ClassicFrame):
        source_state.refresh(relation)


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
                settings = view_settings(node)
        else:
            return None
        # Expressions name columns.
        if len(set(names)) < len(names) or not all(map(_is_known, expressions)):
            return None
        steps.append([kind, *settings, *(expression.sql() for expression in expressions)])
        node = node.children().apply(0)
    table = table_state(node)
    return None if table is None else [*steps, table]


def _is_known(expression: Any) -> bool:
    name: str = expression.getClass().getName()
    return name.removeprefix(_EXPRESSIONS) in _KNOWN and all(map(_is_known, items(expression.children())))


def _files_state(relation: DataFrame, paths: Iterable[str]) -> list[Any] | None:
    files = looked_at(relation.sparkSession, sorted(paths))
    if not files or any(file.problem is not None for file in files):
        return None
    return ["files", [(file.path, file.size, file.modified_ns) for file in files]]


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
