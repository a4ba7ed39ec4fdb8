"""Hybrid hash join of two snapshots (LG95 3.3) on Spark.

Spark exchanges the rows by their keys. A task joins its part of both snapshots in Python, in the memory that it is
granted: see :mod:`~deltawave.differencing.buckets`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema

from deltawave.differencing import outer_join
from deltawave.differencing.aging import Aged, Block, Matched
from deltawave.differencing.batches import Batches, positioned
from deltawave.differencing.buckets import by_buckets
from deltawave.differencing.contract import Columns, Contract, Side
from deltawave.differencing.hash_compressed import reaches_python
from deltawave.differencing.in_place import RowGroups, map_batches
from deltawave.differencing.window import Comparison, Matching, changes_found, found_schema
from deltawave.sql_text import quoted

_LOG = logging.getLogger(__name__)


def changes(old: DataFrame, new: DataFrame, contract: Contract, memory_bytes: int) -> DataFrame:
    """Return the rows that differ, in the columns that docs/python_strategies.md describes.

    ``memory_bytes``: for the rows that a task holds. Spark joins snapshots with columns that it cannot hand
    to Python.
    """
    columns = contract.columns
    frames: dict[Side, DataFrame] = {
        "old": old.select(*map(quoted, contract.names("old"))),
        "new": new.select(*map(quoted, contract.names("new"))),
    }
    if not all(reaches_python(frame.schema) for frame in frames.values()):
        _LOG.info("no hybrid hash join, Spark joins both snapshots: a column does not reach Python")
        return outer_join.changes(old, new, contract, hint="shuffle_hash")
    schema = found_schema(contract, frames["old"], frames["new"])
    keys = [F.col(f"c{number}") for number, column in enumerate(columns) if column["is_key"]]
    rows = _side(frames, "old", columns).unionByName(_side(frames, "new", columns)).repartition(*keys)
    # The columns of both sides, without rows in files.
    own, other = (RowGroups((), (), 1, to_arrow_schema(frame.schema)) for frame in frames.values())
    key, found = list(contract.unique_key), to_arrow_schema(schema)
    comparison = Comparison(_MATCHING, own, other, (), 0, memory_bytes, key, contract.compared, found)
    old_places, new_places = (
        [number for number, column in enumerate(columns) if column[side]] for side in ("in_old", "in_new")
    )
    ordered = rows.sortWithinPartitions(F.col("is_old").desc())
    return changes_found(map_batches(ordered, _HybridHash(comparison, old_places, new_places), schema), contract)


def _matched(old: Iterator[Block], new: Iterator[Block], capacity: int, memory_bytes: int) -> Iterator[Matched | Aged]:
    return by_buckets(old, new, memory_bytes)


_MATCHING = Matching("hybrid hash join", _matched)


def _side(frames: dict[Side, DataFrame], side: Side, columns: Columns) -> DataFrame:
    """One side in columns that both share, c0, c1, ..., and whether it is the old one."""
    types = {field.name.lower(): field.dataType for frame in frames.values() for field in frame.schema.fields}
    cells = [
        (F.col(quoted(column["name"])) if column[f"in_{side}"] else F.lit(None))
        .cast(types[column["name"].lower()])
        .alias(f"c{number}")
        for number, column in enumerate(columns)
    ]
    return frames[side].select(F.lit(side == "old").alias("is_old"), *cells)


@dataclass(frozen=True)
class _HybridHash:
    """The work of a task on its part of both snapshots; the old one comes first."""

    comparison: Comparison
    old_places: list[int]
    new_places: list[int]

    def __call__(self, batches: Batches) -> Batches:
        parts = self._parts(batches)
        following = next(parts, None)

        def side(is_old: bool) -> Iterator[pa.RecordBatch]:
            nonlocal following
            while following and following[0] is is_old:
                yield following[1]
                following = next(parts, None)

        blocks = self.comparison.blocks
        return self.comparison.found_in(blocks("old", positioned(side(True))), blocks("new", positioned(side(False))))

    def _parts(self, batches: Batches) -> Iterator[tuple[bool, pa.RecordBatch]]:
        """Batches of one side each, in the side's columns."""
        for batch in batches:
            olds = int(np.count_nonzero(batch.column(0).to_numpy(zero_copy_only=False)))
            for is_old, rows in ((True, batch.slice(0, olds)), (False, batch.slice(olds))):
                if rows.num_rows:
                    places = self.old_places if is_old else self.new_places
                    names = (self.comparison.old if is_old else self.comparison.new).schema.names
                    yield is_old, pa.RecordBatch.from_arrays([rows.column(1 + place) for place in places], names)
