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
from deltawave.source_state import plan_state

# Seeds of other hashes are in deltawave.differencing.signatures, and in relation.py.
_SEED = 5


def state_of(relation: DataFrame) -> str:
    """Return what changes when the relation does.

    That of a select of tables is its plan, with the versions of Delta and Iceberg, and lists of other files; that of
    other relations the number of rows and sums of their hashes.
    """
    known = plan_state(relation) if isinstance(relation, ClassicFrame) else _listed_files(relation)
    return known or _hashed(relation)


def _listed_files(relation: DataFrame) -> str | None:
    """The same through Spark Connect, which shows no plan but that of all rows of Parquet files."""
    files = looked_at(relation.sparkSession, sorted(relation.inputFiles())) if is_plain_scan(relation) else ()
    if not files or any(file.problem is not None for file in files):
        return None
    state = [(file.path, file.size, file.modified_ns) for file in files]
    return md5(json.dumps(state).encode(), usedforsecurity=False).hexdigest()


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
