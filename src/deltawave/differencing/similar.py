"""The window over compressed snapshots (LG95 4.5, similar dumps) on Spark.

As under :mod:`~deltawave.differencing.window`, tasks read aligned segments in their physical order. But only the
compressed row waits in an aging buffer: hashes of key and values, and the position. So the same memory holds a window
that is several times as long. The positions of rows that differ or found no match lead to the full rows, which are
joined.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from deltawave.differencing.aging import Aged, Block, windowed
from deltawave.differencing.aligning import Segment, aligned, rows_between
from deltawave.differencing.compression import Compared, signatures
from deltawave.differencing.contract import Columns, Contract
from deltawave.differencing.in_place import Batches, NotInPlaceError, RowGroups
from deltawave.differencing.pointed import POINTERS, compared_names, joined_rows, pointers
from deltawave.differencing.stored_rows import StoredRows
from deltawave.differencing.window import parallelism
from deltawave.resources import holding, persisted

_LOG = logging.getLogger(__name__)

# Bytes of a compressed row in an aging buffer, with what is computed from it.
_ROW_BYTES = 64
# The share of an aging buffer in the memory, which holds two of them, and decoded blocks.
_PART_OF_MEMORY = 4


def changes(
    old: DataFrame,
    new: DataFrame,
    *,
    unique_key: Sequence[str],
    columns: Columns,
    before_image: bool,
    memory_bytes: int,
) -> DataFrame:
    """Return the rows that differ, in the columns that docs/python_strategies.md describes.

    ``memory_bytes``: what a task may use. Raises ``NotInPlaceError`` if a snapshot is not just all rows of Parquet
    files, if Spark has to compute the compared values of a column, or if the order of the snapshots differs much.
    """
    contract = Contract(columns, before_image)
    cells = [*unique_key, *compared_names(Compared.of(unique_key, columns), columns)]
    old_rows = StoredRows.of(old, contract.names("old"))
    new_rows = StoredRows.of(new, contract.names("new"))
    session = new.sparkSession
    reach = capacity(memory_bytes)
    alignment = aligned(session, old_rows.groups, new_rows.groups, unique_key, reach, parallelism(session))
    near = f"{alignment.near_fraction:.0%} of the sampled rows lie within {reach:,} rows of each other"
    if not alignment.is_near:
        raise NotInPlaceError(f"only {near}")
    _LOG.info("window of hashes over %d segments: %s", len(alignment.segments), near)
    old_groups, new_groups = (rows.groups.only(cells).within(memory_bytes) for rows in (old_rows, new_rows))
    compare = _Comparison(old_groups, new_groups, alignment.segments, reach, len(unique_key), uuid4().hex)
    count = len(alignment.segments)
    found = persisted(session.range(0, count, 1, count).mapInArrow(compare, POINTERS))
    common: dict[str, Any] = {"unique_key": unique_key, "columns": columns, "before_image": before_image}
    return holding(joined_rows(found, old_rows, new_rows, **common), found)


def capacity(memory_bytes: int) -> int:
    """How many rows an aging buffer holds in a task that may use this memory."""
    return max(1, memory_bytes // _PART_OF_MEMORY // _ROW_BYTES)


@dataclass(frozen=True)
class _Comparison:
    """The work of a task on its segments: it finds the positions of rows that differ or have no match."""

    old: RowGroups
    new: RowGroups
    segments: tuple[Segment, ...]
    capacity: int
    keys: int
    # Spark treats equal plans as the same, and would answer from the rows that an earlier comparison has cached.
    token: str

    def __call__(self, batches: Batches) -> Batches:
        for number in (number for batch in batches for number in batch.column(0).to_pylist()):
            segment = self.segments[number]
            old, new = self._blocks(self.old, segment.old), self._blocks(self.new, segment.new)
            for result in windowed(old, new, self.capacity):
                if isinstance(result, Aged):
                    groups = self.old if result.is_old else self.new
                    yield pointers(result.rows.positions, groups.rows, result.is_old)
                    continue
                sides = (result.old.rows, result.new.rows)
                hashes, checks = (
                    [side.column(name).to_numpy() for side in sides] for name in ("row_hash", "key_check")
                )
                differing = np.flatnonzero((hashes[0] != hashes[1]) | (checks[0] != checks[1]))
                if len(differing):
                    yield pointers(result.old.positions[differing], self.old.rows, is_old=True)
                    yield pointers(result.new.positions[differing], self.new.rows, is_old=False)

    def _blocks(self, groups: RowGroups, bounds: tuple[int, int]) -> Iterator[Block]:
        for at, rows in rows_between(groups, *bounds):
            own = signatures(rows.columns, self.keys)
            hashes = pa.RecordBatch.from_pydict(
                {"row_hash": pa.array(own.row_hash), "key_check": pa.array(own.key_check)}
            )
            yield Block(own.key_hash, np.arange(at, at + rows.num_rows), hashes)
