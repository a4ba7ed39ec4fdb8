"""The window algorithm (LG96 4) on Spark: both snapshots are read once, in their physical order.

Tasks compare aligned segments, each with its own window. Rows that a window does not match, because they moved too far
or over a segment's border, are joined at the end. So the result is exact for snapshots in any order: the order decides
on the time alone.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from uuid import uuid4

import numpy as np
import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import LongType, StructType

from deltawave.differencing import outer_join
from deltawave.differencing.aging import Aged, Block, Matched, windowed
from deltawave.differencing.aligning import Segment, aligned, rows_between
from deltawave.differencing.compression import Freed, plain
from deltawave.differencing.contract import Columns, Contract, Side
from deltawave.differencing.in_place import Batches, NotInPlaceError, RowGroups
from deltawave.differencing.plain_scan import plain_row_groups
from deltawave.differencing.signatures import key_hashes
from deltawave.differencing.unequal import Mask, any_unequal

_LOG = logging.getLogger(__name__)

_SIDES: tuple[Side, Side] = ("old", "new")

# What the rows of an aging buffer are of the memory: both buffers, copies of a part, and what is decoded.
_PART_OF_MEMORY = 8


def changes(
    old: DataFrame,
    new: DataFrame,
    *,
    unique_key: Sequence[str],
    columns: Columns,
    before_image: bool,
    memory_bytes: int = 1 << 30,
) -> Freed:
    """Return the rows that differ, as docs/python_strategies.md has it, and a function that frees what that needs.

    ``memory_bytes``: what a task may use. If each snapshot is a Parquet table or file, tasks read the files without
    Spark. Spark joins the snapshots if one of them is anything else (a filter, a view, a union), if it would read other
    values than the files hold, and if few of the sampled rows lie within the window.
    """
    contract = Contract(columns, before_image)
    try:
        window = _Window.of(old, new, unique_key, contract, memory_bytes)
    except _UnfitError as unfit:
        _LOG.info("no window, Spark joins both snapshots: %s", unfit)
        joined = outer_join.changes(old, new, unique_key=unique_key, columns=columns, before_image=before_image)
        return joined, _nothing
    found = window.found().persist()
    in_old, in_new = (F.col(_position(side)).isNotNull() for side in _SIDES)
    rest = outer_join.changes(
        found.where(~in_new).select(*window.cells("old")),
        found.where(~in_old).select(*window.cells("new")),
        unique_key=unique_key,
        columns=columns,
        before_image=before_image,
    )
    moved = [F.col(_moved("new", number)) for number in range(len(contract.names("new")))]
    pairs = contract.side(found.where(in_old & in_new).select(*window.cells("old"), *moved), "old")
    compared = [F.col(name) for name in pairs.columns[len(moved) :]]
    pairs = contract.side(pairs.select(*compared, *window.cells("new")), "new")
    return contract.changes(pairs, F.lit(True), F.lit(True)).unionByName(rest), found.unpersist


class _UnfitError(Exception):
    """No window fits these snapshots."""


@dataclass(frozen=True)
class _Window:
    """Two snapshots in files, cut into segments."""

    session: SparkSession
    old: RowGroups
    new: RowGroups
    segments: tuple[Segment, ...]
    capacity: int
    capacity_bytes: int
    contract: Contract
    unique_key: Sequence[str]
    schema: StructType

    @classmethod
    def of(
        cls, old: DataFrame, new: DataFrame, unique_key: Sequence[str], contract: Contract, memory_bytes: int
    ) -> _Window:
        """The segments. Raises ``_UnfitError`` if Spark has to join the snapshots."""
        found: list[RowGroups] = []
        for side, frame in zip(_SIDES, (old, new), strict=True):
            try:
                found.append(plain_row_groups(frame))
            except NotInPlaceError as error:
                raise _UnfitError(f"the {side} one is not read in place, {error}") from error
        old_rows, new_rows = found
        session = new.sparkSession
        row_bytes = max(old_rows.row_bytes, new_rows.row_bytes)
        capacity_bytes = memory_bytes // _PART_OF_MEMORY
        capacity = max(1, capacity_bytes // row_bytes)
        alignment = aligned(session, old_rows, new_rows, unique_key, capacity, _parallelism(session))
        near = f"{alignment.near_fraction:.0%} of the sampled rows lie within {capacity:,} rows of each other"
        if not alignment.is_near:
            raise _UnfitError(f"only {near}")
        _LOG.info("window over %d segments: %s", len(alignment.segments), near)
        schema = StructType()
        for side, frame in zip(_SIDES, (old, new), strict=True):
            schema = schema.add(_position(side), LongType())
            types = {field.name.lower(): field.dataType for field in frame.schema.fields}
            for number, name in enumerate(contract.names(side)):
                schema = schema.add(_moved(side, number), types[name.lower()])
        old_rows, new_rows = old_rows.only(contract.names("old")), new_rows.only(contract.names("new"))
        segments = alignment.segments
        return cls(session, old_rows, new_rows, segments, capacity, capacity_bytes, contract, unique_key, schema)

    def found(self) -> DataFrame:
        """The pairs of rows that may differ, and the rows that no window matched, with their positions."""
        count = len(self.segments)
        return self.session.range(0, count, 1, count).mapInArrow(self._comparison(), self.schema)

    def cells(self, side: Side) -> list[Column]:
        """A side's columns by their own names."""
        return [F.col(_moved(side, number)).alias(name) for number, name in enumerate(self.contract.names(side))]

    def _comparison(self) -> Callable[[Batches], Batches]:
        return _Comparison(
            self.old,
            self.new,
            self.segments,
            self.capacity,
            self.capacity_bytes,
            list(self.unique_key),
            [column["name"] for column in self.contract.columns if column["is_compared"]],
            to_arrow_schema(self.schema),
            uuid4().hex,
        )


def _position(side: Side) -> str:
    return f"__{side}_position"


def _moved(side: Side, number: int) -> str:
    # No column of a log begins so.
    return f"__{side}_cell_{number}"


@dataclass(frozen=True)
class _Comparison:
    """What a task does with its segments."""

    old: RowGroups
    new: RowGroups
    segments: tuple[Segment, ...]
    capacity: int
    capacity_bytes: int
    unique_key: list[str]
    compared: list[str]
    found: pa.Schema
    # Spark takes equal plans for one, and would answer from the rows that an earlier comparison has cached.
    token: str

    def __call__(self, batches: Batches) -> Batches:
        for number in (number for batch in batches for number in batch.column(0).to_pylist()):
            segment = self.segments[number]
            old, new = self._blocks("old", segment.old), self._blocks("new", segment.new)
            for met in windowed(old, new, self.capacity, self.capacity_bytes):
                if isinstance(met, Aged):
                    yield self._batch(met.rows, None) if met.is_old else self._batch(None, met.rows)
                    continue
                is_other_key = self._differs(met, self.unique_key)
                differing = np.flatnonzero(self._differs(met, self.compared) & ~is_other_key)
                if len(differing):
                    yield self._batch(met.old.take(differing), met.new.take(differing))
                # Spark tells whether they are equal, as NaN and -0.0 are, or only their hashes.
                apart = np.flatnonzero(is_other_key)
                if len(apart):
                    yield self._batch(met.old.take(apart), None)
                    yield self._batch(None, met.new.take(apart))

    def _blocks(self, side: Side, bounds: tuple[int, int]) -> Iterator[Block]:
        groups: RowGroups = getattr(self, side)
        key = [groups.schema.get_field_index(name) for name in self.unique_key]
        for at, rows in rows_between(groups, *bounds):
            hashes = key_hashes([rows.column(place) for place in key])
            yield Block(hashes, np.arange(at, at + rows.num_rows), rows)

    def _differs(self, pair: Matched, names: list[str]) -> Mask:
        old, new = (
            [rows.column(schema.get_field_index(name)) for name in names]
            for rows, schema in ((pair.old.rows, self.old.schema), (pair.new.rows, self.new.schema))
        )
        return any_unequal(old, new, len(pair.old))

    def _batch(self, old: Block | None, new: Block | None) -> pa.RecordBatch:
        count = len(old or new or ())
        cells: list[pa.Array] = []
        for block, groups in ((old, self.old), (new, self.new)):
            if block is None:
                cells += [pa.nulls(count)] * (1 + len(groups.schema))
            else:
                cells += [pa.array(block.positions), *map(plain, block.rows.columns)]
        typed = [cell.cast(field.type) for cell, field in zip(cells, self.found, strict=True)]
        return pa.RecordBatch.from_arrays(typed, self.found.names)


def _parallelism(session: SparkSession) -> int:
    """How many tasks run at a time."""
    try:
        return max(1, session.sparkContext.defaultParallelism)
    except PySparkException:
        # Through Spark Connect.
        return int(session.conf.get("spark.sql.shuffle.partitions") or 1)


def _nothing() -> None:
    pass
