"""Snapshots compared by keys, hashes and pointers (LG96 3.3: SMC2, PHC2; LG95 4.3) on Spark.

Only a hash of each row's key, a hash of its values and its position are exchanged. Where these show a difference, the
pointer leads to the full row, and only row groups that a pointer names are read again. Keys need not be exchanged: a
hash of 96 bits matches them, and the row holds the key.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from deltawave.differencing import outer_join
from deltawave.differencing.batches import Batches, Positions, flags
from deltawave.differencing.compression import KEPT, NEW, PIECES, by_segment, merged, pieces, segments_of, signatures
from deltawave.differencing.contract import Contract
from deltawave.differencing.in_place import NotInPlaceError, RowGroups, map_numbers
from deltawave.differencing.merging import differences
from deltawave.differencing.signatures import Signatures
from deltawave.differencing.stored_rows import StoredRows
from deltawave.resources import holding, persisted
from deltawave.sql_text import quoted

Matching = Literal["merge", "hash"]

POINTERS = "is_old boolean, position bigint, row_group int"


def changes(old: DataFrame, new: DataFrame, contract: Contract, *, matching: Matching) -> DataFrame:
    """Return the rows that differ, in the columns that docs/python_strategies.md describes.

    ``matching``: how a task matches the rows of a segment. ``merge`` sorts both sides by the hash of the key (SMC2),
    ``hash`` builds a hash table of the old one (PHC2). Raises ``NotInPlaceError`` if a snapshot is not just all rows of
    Parquet files, or if Spark has to compute the compared values of a column.
    """
    cells = hashed_names(contract)
    old_rows = StoredRows.of(old, contract.names("old"))
    new_rows = StoredRows.of(new, contract.names("new"))
    segments = segments_of(max(sum(old_rows.groups.rows), sum(new_rows.groups.rows)))
    keys, session = len(contract.unique_key), new.sparkSession
    old_side, new_side = (
        map_numbers(session, len(groups.groups), partial(_compressed, groups, keys, segments, kind), PIECES)
        for groups, kind in ((old_rows.groups.only(cells), KEPT), (new_rows.groups.only(cells), NEW))
    )
    compare = partial(_differing, matching, old_rows.groups.begins, new_rows.groups.begins)
    differing = persisted(by_segment(old_side.unionByName(new_side), segments).mapInArrow(compare, POINTERS))
    return holding(joined_rows(differing, old_rows, new_rows, contract), differing)


def joined_rows(differing: DataFrame, old_rows: StoredRows, new_rows: StoredRows, contract: Contract) -> DataFrame:
    """The changes among the rows of both sides that these pointers name."""
    return outer_join.changes(
        old_rows.at(differing.where(F.col("is_old"))), new_rows.at(differing.where(~F.col("is_old"))), contract
    )


def hashed_names(contract: Contract) -> list[str]:
    """Key and compared columns. Raises ``NotInPlaceError`` if Spark has to compute the compared values of one."""
    for column in contract.columns:
        if column["is_compared"] and column["comparable"] != quoted(column["name"]):
            raise NotInPlaceError(f"Spark computes what is compared of the column {column['name']}")
    return [*contract.unique_key, *contract.compared]


def _compressed(groups: RowGroups, keys: int, segments: int, kind: int, number: int) -> Batches:
    """The compressed rows of a row group with their pointers, as pieces of segments."""

    def rows() -> Iterator[tuple[int, Signatures]]:
        for begin, batch in groups.positioned(number):
            positions = pa.RecordBatch.from_pydict({"position": np.arange(begin, begin + batch.num_rows)})
            yield kind, replace(signatures(batch.columns, keys), keys=positions)

    return pieces(rows(), segments)


def _differing(matching: Matching, old_begins: Positions, new_begins: Positions, batches: Batches) -> Batches:
    """The pointers to the rows of both sides that differ, in whole segments."""
    are_sorted = matching == "merge"
    for _, parts in merged(batches, are_sorted):
        none = next(iter(parts.values())).slice(0, 0)
        old, new = parts.get(KEPT, none), parts.get(NEW, none)
        found = differences(old, new, are_sorted)
        removed = np.concatenate([found.deleted, found.previous[found.previous >= 0]])
        yield pointers(old.keys.column(0).to_numpy()[removed], old_begins, is_old=True)
        yield pointers(new.keys.column(0).to_numpy()[found.upserted], new_begins, is_old=False)


def pointers(positions: Positions, begins: Positions, is_old: bool) -> pa.RecordBatch:
    """Pointers to rows at these positions; ``begins``: the position at which each row group begins."""
    return pa.RecordBatch.from_pydict(
        {
            "is_old": flags(is_old, len(positions)),
            "position": pa.array(positions, pa.int64()),
            "row_group": pa.array(np.searchsorted(begins, positions, side="right") - 1, pa.int32()),
        }
    )
