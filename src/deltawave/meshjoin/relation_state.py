"""What identifies the content of a relation: the version of its table or its files, or else a hash of its rows."""

from __future__ import annotations

import json
from hashlib import md5
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
from deltawave.source_state import current_plan, nodes_of, plan_text, session_settings, table_state, view_settings

# Seeds of other hashes are in deltawave.differencing.signatures, and in relation.py.
_SEED = 5
# Nodes between a table and rows and columns of it.
_STEPS = {"Project", "Filter", "SubqueryAlias", "View"}


def state_of(relation: DataFrame) -> str:
    """Return what changes when the relation does.

    That of all or some rows and columns of a table is the version of Delta or Iceberg, or the list of Parquet files;
    that of other relations the number of rows and sums of their hashes.
    """
    known = _table_and_plan(relation) if isinstance(relation, ClassicFrame) else _listed_files(relation)
    if known is None:
        return _hashed(relation)
    # Shortened: settings of a session are not for everybody who reads the stored relation.
    kind, *state = known
    return f"{kind} {md5(json.dumps(state).encode(), usedforsecurity=False).hexdigest()}"


def _table_and_plan(relation: ClassicFrame) -> list[Any] | None:
    """The table's state, and what is selected from it; none if only the rows say that."""
    session, plan = relation.sparkSession, current_plan(relation)
    *steps, leaf = nodes_of(plan)
    kinds = [node.getClass().getSimpleName() for node in steps]
    if not _STEPS.issuperset(kinds) or plan.subqueriesAll().size():
        return None
    text, table = plan_text(session, plan), table_state(leaf)
    if text is None or table is None:
        return None
    views = [view_settings(node) for node, kind in zip(steps, kinds, strict=True) if kind == "View"]
    return [*table, text, views, session_settings(session)]


def _listed_files(relation: DataFrame) -> list[Any] | None:
    """The same through Spark Connect, which shows no plan but that of all rows of Parquet files."""
    files = looked_at(relation.sparkSession, sorted(relation.inputFiles())) if is_plain_scan(relation) else ()
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
