"""Snapshots compared by keys, hashes and pointers (LG96 3.3: SMC2, PHC2; LG95 4.3, 4.5) on Spark.

Only a hash of each row's key, a hash of its values and its position are exchanged, or wait in a window. Where these
show a difference, the pointer leads to the full row, and only row groups that a pointer names are read again. Keys need
not be exchanged: a hash of 96 bits matches them, and the row holds the key.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from deltawave.differencing.aging import Aged, Block, windowed
from deltawave.differencing.aligning import Segment, aligned
from deltawave.differencing.compression import KEPT, NEW, PIECES, by_segment, merged, pieces, segments_of, signatures
from deltawave.differencing.contract import Contract
from deltawave.differencing.signatures import Signatures, differences
from deltawave.resources import holding, persisted
from deltawave.rows.batches import Batches, Positions, any_unequal
from deltawave.rows.in_place import RowGroups, map_numbers
from deltawave.rows.parquet_files import NotInPlaceError
from deltawave.sql_text import quoted
from laboratory.differencing.stored_rows import StoredRows

Matching = Literal["merge", "hash", "window"]

_POINTERS = "is_old boolean, position bigint, row_group int"
# Bytes of a compressed row in an aging buffer, with what is computed from it.
_ROW_BYTES = 64
# The share of an aging buffer in the memory, which holds two of them, and decoded blocks.
_PART_OF_MEMORY = 4


def changes(old: DataFrame, new: DataFrame, contract: Contract, memory_bytes: int, *, matching: Matching) -> DataFrame:
    """Return the rows that differ, in the columns that docs/python_strategies.md describes.

    ``matching``: how a task matches rows.

    - ``merge`` sorts both sides of a segment by the hash of the key (SMC2)
    - ``hash`` builds a hash table of the old side (PHC2)
    - ``window`` reads aligned segments in their physical order, as :mod:`~deltawave.differencing.window` does. But
      only hashes and positions wait in an aging buffer, so the same memory, ``memory_bytes`` of a task, holds a window
      that is several times as long (LG95 4.5, similar dumps)

    Raises ``NotInPlaceError`` if a snapshot is not just all rows of Parquet files, if Spark has to compute the compared
    values of a column, or, under ``window``, if the order of the snapshots differs much.
    """
    cells = _hashed_names(contract)
    old_rows = StoredRows.of(old, contract.names("old"))
    new_rows = StoredRows.of(new, contract.names("new"))
    session, sides = new.sparkSession, (old_rows.groups.only(cells), new_rows.groups.only(cells))
    if matching == "window":
        pointers = _in_order(session, *sides, contract.unique_key, memory_bytes)
    else:
        pointers = _by_segments(session, *sides, len(contract.unique_key), matching == "merge")
    found = persisted(pointers)
    rows = old_rows.at(found.where("is_old")), new_rows.at(found.where("not is_old"))
    return holding(contract.outer_join(*rows), found)


def _hashed_names(contract: Contract) -> list[str]:
    """Key and compared columns. Raises ``NotInPlaceError`` if Spark has to compute the compared values of one."""
    for column in contract.columns:
        if column["is_compared"] and column["comparable"] != quoted(column["name"]):
            raise NotInPlaceError(f"Spark computes what is compared of the column {column['name']}")
    return [*contract.unique_key, *contract.compared]


def _by_segments(session: SparkSession, old: RowGroups, new: RowGroups, keys: int, are_sorted: bool) -> DataFrame:
    """Pointers to the rows that differ: tasks exchange compressed rows by the hash of the key."""
    segments = segments_of(max(sum(old.rows), sum(new.rows)))
    old_side, new_side = (
        map_numbers(session, len(groups.groups), partial(_compressed, groups, keys, segments, kind), PIECES)
        for groups, kind in ((old, KEPT), (new, NEW))
    )
    compare = partial(_differing, are_sorted, old.begins, new.begins)
    return by_segment(old_side.unionByName(new_side), segments).mapInArrow(compare, _POINTERS)


def _compressed(groups: RowGroups, keys: int, segments: int, kind: int, number: int) -> Batches:
    """The compressed rows of a row group with their pointers, as pieces of segments."""

    def rows() -> Iterator[tuple[int, Signatures]]:
        for begin, batch in groups.positioned(number):
            positions = pa.RecordBatch.from_pydict({"position": np.arange(begin, begin + batch.num_rows)})
            yield kind, replace(signatures(batch.columns, keys), keys=positions)

    return pieces(rows(), segments)


def _differing(are_sorted: bool, old_begins: Positions, new_begins: Positions, batches: Batches) -> Batches:
    """The pointers to the rows of both sides that differ, in whole segments."""
    for _, parts in merged(batches, are_sorted):
        none = next(iter(parts.values())).slice(0, 0)
        old, new = parts.get(KEPT, none), parts.get(NEW, none)
        found = differences(old, new, are_sorted)
        removed = np.concatenate([found.deleted, found.previous[found.previous >= 0]])
        yield _pointers(old.keys.column(0).to_numpy()[removed], old_begins, is_old=True)
        yield _pointers(new.keys.column(0).to_numpy()[found.upserted], new_begins, is_old=False)


def _in_order(
    session: SparkSession, old: RowGroups, new: RowGroups, unique_key: Sequence[str], memory_bytes: int
) -> DataFrame:
    """Pointers to the rows that differ or that no window matches."""
    old, new, reach = old.within(memory_bytes), new.within(memory_bytes), capacity(memory_bytes)
    segments = aligned(session, "window of hashes", old, new, unique_key, reach)
    compare = partial(_unmatched, old, new, segments, reach, len(unique_key))
    return map_numbers(session, len(segments), compare, _POINTERS)


def capacity(memory_bytes: int) -> int:
    """How many rows an aging buffer holds in a task that may use this memory."""
    return max(1, memory_bytes // _PART_OF_MEMORY // _ROW_BYTES)


def _unmatched(
    old: RowGroups, new: RowGroups, segments: tuple[Segment, ...], capacity: int, keys: int, number: int
) -> Batches:
    """The pointers to the rows of an aligned segment that differ or have no match."""
    segment = segments[number]
    sides = _blocks(old, segment.old, keys), _blocks(new, segment.new, keys)
    for result in windowed(*sides, capacity, capacity * _ROW_BYTES):
        if isinstance(result, Aged):
            yield _pointers(result.rows.positions, (old if result.is_old else new).begins, result.is_old)
            continue
        differs = any_unequal(result.old.rows.columns, result.new.rows.columns, len(result.old))
        if differs.any():
            yield _pointers(result.old.positions[differs], old.begins, is_old=True)
            yield _pointers(result.new.positions[differs], new.begins, is_old=False)


def _blocks(groups: RowGroups, bounds: tuple[int, int], keys: int) -> Iterator[Block]:
    for at, rows in groups.between(*bounds):
        own = signatures(rows.columns, keys)
        names = ("row_hash", "row_check", "key_check")
        hashes = pa.RecordBatch.from_pydict({name: getattr(own, name) for name in names})
        yield Block(own.key_hash, np.arange(at, at + rows.num_rows), hashes)


def _pointers(positions: Positions, begins: Positions, is_old: bool) -> pa.RecordBatch:
    """Pointers to rows at these positions; ``begins``: the position at which each row group begins."""
    return pa.RecordBatch.from_pydict(
        {
            "is_old": pa.repeat(is_old, len(positions)),
            "position": pa.array(positions, pa.int64()),
            "row_group": pa.array(np.searchsorted(begins, positions, side="right") - 1, pa.int32()),
        }
    )
