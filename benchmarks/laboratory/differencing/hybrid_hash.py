"""Hybrid hash join of two snapshots (LG95 3.3) on Spark.

Spark exchanges the rows by their keys. A task joins its part of both snapshots in Python, in the memory that it is
granted: see :mod:`~laboratory.differencing.buckets`.
"""

import logging
from collections.abc import Iterator
from functools import partial

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from deltawave.comparable import contained_types
from deltawave.differencing.aging import Aged, Block, Matched
from deltawave.differencing.contract import Contract
from deltawave.differencing.window import Comparison, Matching, changes_found, found_schema
from deltawave.rows.batches import Batches, PositionedBatches
from deltawave.rows.in_place import RowGroups, map_batches
from deltawave.sql_text import quoted
from laboratory.differencing.buckets import by_buckets

_LOG = logging.getLogger(__name__)

# No column of a log begins so.
_IS_OLD = "__old_side"
# The share of the waiting rows in the memory. It also holds rows that are split and matched, and what is lost between
# small arrays: a waiting narrow row takes almost twice its size.
_PART_OF_MEMORY = 4


def changes(old: DataFrame, new: DataFrame, contract: Contract, memory_bytes: int) -> DataFrame:
    """Return the rows that differ, in the columns that docs/python_strategies.md describes.

    ``memory_bytes``: what a task may use. Spark joins snapshots with columns that it cannot hand to Python.
    """
    old = old.select(*map(quoted, contract.names("old")))
    new = new.select(*map(quoted, contract.names("new")))
    if not (_reaches_python(old.schema) and _reaches_python(new.schema)):
        _LOG.info("no hybrid hash join, Spark joins both snapshots: a column does not reach Python")
        return contract.outer_join(old, new, "shuffle_hash")
    schema = found_schema(contract, old, new)
    # The columns of both sides, without rows in files.
    of_old, of_new = (RowGroups((), (), 1, to_arrow_schema(frame.schema)) for frame in (old, new))
    key, found = list(contract.unique_key), to_arrow_schema(schema)
    comparison = Comparison(_MATCHING, of_old, of_new, (), 0, memory_bytes, key, contract.compared, found)
    old, new = old.withColumn(_IS_OLD, F.lit(True)), new.withColumn(_IS_OLD, F.lit(False))
    rows = old.unionByName(new, allowMissingColumns=True)
    parts = rows.repartition(*map(quoted, key)).sortWithinPartitions(F.col(_IS_OLD).desc())
    # Spark opens each column by its name, and does not quote it.
    numbered = parts.toDF(*(f"e{number}" for number in range(len(parts.columns))))
    return changes_found(map_batches(numbered, partial(_found, comparison, rows.columns), schema), contract)


def _by_buckets(
    old: Iterator[Block], new: Iterator[Block], _capacity: int, memory_bytes: int
) -> Iterator[Matched | Aged]:
    return by_buckets(old, new, memory_bytes // _PART_OF_MEMORY)


_MATCHING = Matching("hybrid hash join", _by_buckets)


def _found(comparison: Comparison, names: list[str], batches: Batches) -> Batches:
    """What a task finds in its part of both snapshots, whose columns have these names; the old one comes first."""
    rows = (batch.rename_columns(names) for batch in batches)
    rest: list[pa.RecordBatch] = []

    def old() -> Iterator[pa.RecordBatch]:
        for batch in rows:
            olds = int(np.count_nonzero(batch.column(_IS_OLD).to_numpy(zero_copy_only=False)))
            if olds:
                yield batch.slice(0, olds).select(comparison.old.schema.names)
            if olds < batch.num_rows:
                rest.append(batch.slice(olds))
                return

    def new() -> Iterator[pa.RecordBatch]:
        while rest:
            yield rest.pop().select(comparison.new.schema.names)
        yield from (batch.select(comparison.new.schema.names) for batch in rows)

    return comparison.found_in(_positioned(old()), _positioned(new()))


def _positioned(batches: Batches) -> PositionedBatches:
    at = 0
    for rows in batches:
        yield at, rows
        at += rows.num_rows


def _reaches_python(kind: T.DataType) -> bool:
    """Whether Spark hands values of this type over and takes them back unchanged."""
    lost = (T.VariantType, T.YearMonthIntervalType, T.CalendarIntervalType)
    parts = list(contained_types(kind))
    has_collation = any(isinstance(part, T.StringType) and "collate" in part.simpleString() for part in parts)
    return not has_collation and not any(isinstance(part, lost) for part in parts)
