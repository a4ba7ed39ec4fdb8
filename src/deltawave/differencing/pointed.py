"""Snapshots compared by keys, hashes and pointers (LG96 3.3: SMC2, PHC2; LG95 4.3) on Spark.

Only a hash of each row's key, a hash of its values and its position are exchanged. Where these show a difference, the
pointer leads to the full row, and only row groups that a pointer names are read again. Keys need not be exchanged: a
hash of 96 bits matches them, and the row holds the key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal
from uuid import uuid4

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from deltawave.differencing import outer_join
from deltawave.differencing.aging import Positions
from deltawave.differencing.compression import (
    KEPT,
    NEW,
    PIECES,
    Compared,
    by_segment,
    merged,
    pieces_of,
    segments_of,
    signatures,
)
from deltawave.differencing.contract import Columns, Contract
from deltawave.differencing.in_place import Batches, NotInPlaceError, RowGroups, quoted
from deltawave.differencing.merging import differences, probed
from deltawave.differencing.signatures import Places, Signatures, gathered
from deltawave.differencing.stored_rows import StoredRows
from deltawave.resources import holding, persisted

Matching = Literal["merge", "hash"]

POINTERS = "is_old boolean, position bigint, row_group int"
# Rows that a task compresses before it passes them on.
_TASK_ROWS = 1 << 20


def changes(
    old: DataFrame,
    new: DataFrame,
    *,
    unique_key: Sequence[str],
    columns: Columns,
    before_image: bool,
    matching: Matching,
) -> DataFrame:
    """Return the rows that differ, in the columns that docs/python_strategies.md describes.

    ``matching``: how a task matches the rows of a segment. ``merge`` sorts both sides by the hash of the key (SMC2),
    ``hash`` builds a hash table of the old one (PHC2). Raises ``NotInPlaceError`` if a snapshot is not just all rows of
    Parquet files, or if Spark has to compute the compared values of a column.
    """
    contract = Contract(columns, before_image)
    cells = [*unique_key, *compared_names(Compared.of(unique_key, columns), columns)]
    old_rows = StoredRows.of(old, contract.names("old"))
    new_rows = StoredRows.of(new, contract.names("new"))
    segments = segments_of(max(int(old_rows.begins[-1]), int(new_rows.begins[-1])))
    pieces = [
        _compressed(rows, cells, len(unique_key), segments, kind) for rows, kind in ((old_rows, KEPT), (new_rows, NEW))
    ]
    compare = _Differing(matching, old_rows.groups.rows, new_rows.groups.rows, uuid4().hex)
    differing = persisted(by_segment(pieces[0].unionByName(pieces[1]), segments).mapInArrow(compare, POINTERS))
    common: dict[str, Any] = {"unique_key": unique_key, "columns": columns, "before_image": before_image}
    return holding(joined_rows(differing, old_rows, new_rows, **common), differing)


def joined_rows(differing: DataFrame, old_rows: StoredRows, new_rows: StoredRows, **common: Any) -> DataFrame:
    """The changes among the rows of both sides that these pointers name."""
    return outer_join.changes(
        old_rows.at(differing.where(F.col("is_old"))), new_rows.at(differing.where(~F.col("is_old"))), **common
    )


def compared_names(compared: Compared, columns: Columns) -> list[str]:
    """The compared columns. Raises ``NotInPlaceError`` if Spark has to compute the compared values of one."""
    names = [column["name"] for column in columns if column["is_compared"]]
    computed = [name for name, cell in zip(names, compared.expressions, strict=True) if cell != quoted(name)]
    if computed:
        raise NotInPlaceError(f"Spark computes what is compared of the column {computed[0]}")
    return names


def _compressed(rows: StoredRows, cells: Sequence[str], keys: int, segments: int, kind: int) -> DataFrame:
    """The compressed rows with their pointers, as pieces of segments."""
    groups = rows.groups.only(cells)
    ids = rows.frame.sparkSession.range(0, groups.tasks, 1, groups.tasks)
    return ids.mapInArrow(_Compress(groups, keys, segments, kind, uuid4().hex), PIECES)


@dataclass(frozen=True)
class _Compress:
    groups: RowGroups
    keys: int
    segments: int
    kind: int
    token: str

    def __call__(self, batches: Batches) -> Batches:
        numbers = [number for batch in batches for number in batch.column(0).to_pylist()]
        rows = ((self.kind, part) for part in self._signatures(numbers))
        yield from (pieces_of(part, self.segments, kind) for kind, part in gathered(rows, _TASK_ROWS))

    def _signatures(self, numbers: Sequence[int]) -> Iterator[Signatures]:
        begins = np.cumsum([0, *self.groups.rows], dtype=np.int64)
        for number in numbers:
            begin = int(begins[number])
            for rows in self.groups.read([number]):
                pointers = pa.array(np.arange(begin, begin + rows.num_rows))
                yield replace(
                    signatures(rows.columns, self.keys), keys=pa.RecordBatch.from_arrays([pointers], ["position"])
                )
                begin += rows.num_rows


@dataclass(frozen=True)
class _Differing:
    """The work of a task on whole segments: it finds the pointers to the rows of both sides that differ."""

    matching: Matching
    old_rows: tuple[int, ...]
    new_rows: tuple[int, ...]
    token: str

    def __call__(self, batches: Batches) -> Batches:
        for _, parts in merged(batches, is_sorted=self.matching == "merge"):
            none = next(iter(parts.values())).slice(0, 0)
            old, new = parts.get(KEPT, none), parts.get(NEW, none)
            found = probed(old, new) if self.matching == "hash" else None
            if found is None:
                old, new = old.sorted(), new.sorted()
                found = differences(old, new)
            previous = found.previous[found.previous >= 0]
            removed = np.concatenate([found.deleted, previous])
            yield pointers(_positions(old, removed), self.old_rows, is_old=True)
            yield pointers(_positions(new, found.upserted), self.new_rows, is_old=False)


def pointers(positions: Positions, groups: Sequence[int], is_old: bool) -> pa.RecordBatch:
    """Pointers to rows at these positions; ``groups``: how many rows each row group has."""
    numbers = np.searchsorted(np.cumsum([0, *groups]), positions, side="right") - 1
    return pa.RecordBatch.from_pydict(
        {
            "is_old": pa.array(np.full(len(positions), is_old)),
            "position": pa.array(positions, pa.int64()),
            "row_group": pa.array(numbers, pa.int32()),
        }
    )


def _positions(rows: Signatures, at: Places) -> Positions:
    positions: Positions = rows.keys.column(0).to_numpy()[at]
    return positions
