"""The window over compressed snapshots (LG95 4.5, similar dumps) on Spark.

As under :mod:`~deltawave.differencing.window`, tasks read aligned segments in their physical order. But only the
compressed row waits in an aging buffer: hashes of key and values, and the position. So the same memory holds a window
that is several times as long. The positions of rows that differ or found no match lead to the full rows, which are
joined.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from deltawave.differencing.aging import Aged, Block, windowed
from deltawave.differencing.aligning import Segment, aligned
from deltawave.differencing.batches import Batches
from deltawave.differencing.compression import signatures
from deltawave.differencing.contract import Contract
from deltawave.differencing.in_place import RowGroups, map_numbers
from deltawave.differencing.pointed import POINTERS, hashed_names, joined_rows, pointers
from deltawave.differencing.stored_rows import StoredRows, rows_between
from deltawave.differencing.unequal import any_unequal
from deltawave.resources import holding, persisted

# Bytes of a compressed row in an aging buffer, with what is computed from it.
_ROW_BYTES = 64
# The share of an aging buffer in the memory, which holds two of them, and decoded blocks.
_PART_OF_MEMORY = 4


def changes(old: DataFrame, new: DataFrame, contract: Contract, memory_bytes: int) -> DataFrame:
    """Return the rows that differ, in the columns that docs/python_strategies.md describes.

    ``memory_bytes``: what a task may use. Raises ``NotInPlaceError`` if a snapshot is not just all rows of Parquet
    files, if Spark has to compute the compared values of a column, or if the order of the snapshots differs much.
    """
    cells = hashed_names(contract)
    old_rows = StoredRows.of(old, contract.names("old"))
    new_rows = StoredRows.of(new, contract.names("new"))
    session = new.sparkSession
    reach = capacity(memory_bytes)
    segments, _ = aligned(session, "window of hashes", old_rows.groups, new_rows.groups, contract.unique_key, reach)
    old_groups, new_groups = (rows.groups.only(cells).within(memory_bytes) for rows in (old_rows, new_rows))
    compare = partial(_differing, old_groups, new_groups, segments, reach, len(contract.unique_key))
    found = persisted(map_numbers(session, len(segments), compare, POINTERS))
    return holding(joined_rows(found, old_rows, new_rows, contract), found)


def capacity(memory_bytes: int) -> int:
    """How many rows an aging buffer holds in a task that may use this memory."""
    return max(1, memory_bytes // _PART_OF_MEMORY // _ROW_BYTES)


def _differing(
    old: RowGroups, new: RowGroups, segments: tuple[Segment, ...], capacity: int, keys: int, number: int
) -> Batches:
    """The pointers to the rows of a segment that differ or have no match."""
    segment = segments[number]
    for result in windowed(_blocks(old, segment.old, keys), _blocks(new, segment.new, keys), capacity):
        if isinstance(result, Aged):
            yield pointers(result.rows.positions, (old if result.is_old else new).begins, result.is_old)
            continue
        differs = any_unequal(result.old.rows.columns, result.new.rows.columns, len(result.old))
        if differs.any():
            yield pointers(result.old.positions[differs], old.begins, is_old=True)
            yield pointers(result.new.positions[differs], new.begins, is_old=False)


def _blocks(groups: RowGroups, bounds: tuple[int, int], keys: int) -> Iterator[Block]:
    for at, rows in rows_between(groups, *bounds):
        own = signatures(rows.columns, keys)
        hashes = pa.RecordBatch.from_pydict({"row_hash": own.row_hash, "key_check": own.key_check})
        yield Block(own.key_hash, np.arange(at, at + rows.num_rows), hashes)
