"""The window algorithm (LG96 4) on Spark: both snapshots are read once, in their physical order.

Tasks compare aligned segments. Rows that a window does not match, because they moved too far or across a segment's
border, are joined at the end. So the result is exact for snapshots in any order: the order only affects the time.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import LongType, StructType

from deltawave.differencing.aging import Aged, Block, Matched, windowed
from deltawave.differencing.aligning import NotSegmentedError, Segment, aligned
from deltawave.differencing.contract import Contract
from deltawave.differencing.signatures import key_hashes
from deltawave.resources import persisted
from deltawave.rows.batches import Batches, Mask, PositionedBatches, any_unequal, typed
from deltawave.rows.in_place import RowGroups, map_numbers
from deltawave.rows.parquet_files import NotInPlaceError
from deltawave.sides import SIDES, Side

_LOG = logging.getLogger(__name__)

# An aging buffer gets one of so many parts of a task's memory. The rest is for the other buffer, copies and batches.
_PART_OF_MEMORY = 8


@dataclass(frozen=True)
class Matching:
    """How a task matches the rows of a segment.

    - ``name``: what the run's messages call it
    - ``match``: pairs the blocks of both sides; further arguments are how many rows and bytes may wait
    - ``keeps_equal``: whether pairs of equal rows belong to the result, as they do in a join
    - ``needs_order``: whether it pairs only rows that keep their order
    """

    name: str
    match: Callable[[Iterator[Block], Iterator[Block], int, int], Iterator[Matched | Aged]]
    keeps_equal: bool = False
    needs_order: bool = False


WINDOW = Matching("window", windowed)


def changes(matching: Matching, old: DataFrame, new: DataFrame, contract: Contract, memory_bytes: int) -> DataFrame:
    """Return the rows that differ, in the contract's columns.

    ``memory_bytes``: what a task may use. Tasks read the files of Parquet tables without Spark. Spark joins the
    snapshots instead if they are no such tables, if it reads other values than the files hold, or if rows lie too far
    apart.
    """
    try:
        found = found_in_order(matching, old, new, contract, memory_bytes)
    except NotSegmentedError as reason:
        _LOG.info("no %s, Spark joins both snapshots: %s", matching.name, reason)
        return contract.outer_join(old, new)
    return changes_found(found, contract)


def changes_found(pairs_and_rest: DataFrame, contract: Contract) -> DataFrame:
    """The changes among pairs of rows that may differ and rows without a partner, in the columns of ``found_schema``.

    The rows without a partner are joined, as the window may only have missed one.
    """
    found = persisted(pairs_and_rest)
    in_old, in_new = in_both()
    rest = contract.outer_join(
        found.where(~in_new).select(*cells(contract, "old")), found.where(~in_old).select(*cells(contract, "new"))
    )
    pairs = paired(contract, found.where(in_old & in_new))
    return contract.changes(pairs, F.lit(True), F.lit(True)).unionByName(rest)


def found_in_order(
    matching: Matching,
    old: DataFrame,
    new: DataFrame,
    contract: Contract,
    memory_bytes: int,
    rows: tuple[RowGroups, RowGroups] | None = None,
) -> DataFrame:
    """The pairs of rows that may differ and the rows without a match, in the columns of ``found_schema``.

    Tasks compare aligned segments of the files. ``rows``: the row groups to compare; by default all. Raises
    ``NotSegmentedError`` if Spark has to join the snapshots.
    """
    old_rows, new_rows = rows or (_row_groups(old, "old"), _row_groups(new, "new"))
    old_rows, new_rows = old_rows.within(memory_bytes), new_rows.within(memory_bytes)
    session = new.sparkSession
    capacity, capacity_bytes = capacities(memory_bytes, old_rows, new_rows)
    segments = aligned(session, matching.name, old_rows, new_rows, contract.unique_key, capacity, matching.needs_order)
    schema = found_schema(contract, old, new)
    sides = old_rows.only(contract.names("old")), new_rows.only(contract.names("new"))
    columns = list(contract.unique_key), contract.compared, to_arrow_schema(schema)
    compare = Comparison(matching, *sides, segments, capacity, capacity_bytes, *columns)
    return map_numbers(session, len(segments), compare, schema)


def _row_groups(frame: DataFrame, side: Side) -> RowGroups:
    try:
        return RowGroups.of(frame)
    except NotInPlaceError as error:
        raise NotSegmentedError(f"the {side} one is not read in place, {error}") from error


def capacities(memory_bytes: int, old: RowGroups, new: RowGroups) -> tuple[int, int]:
    """How many rows and bytes an aging buffer holds in a task that may use this memory."""
    capacity_bytes = memory_bytes // _PART_OF_MEMORY
    return max(1, capacity_bytes // max(old.row_bytes, new.row_bytes)), capacity_bytes


def found_schema(contract: Contract, old: DataFrame, new: DataFrame) -> StructType:
    """The columns in which tasks put what they find: each side's position and columns, null if a row has no partner."""
    schema = StructType()
    for side, frame in zip(SIDES, (old, new), strict=True):
        schema = schema.add(position(side), LongType())
        types = {field.name.lower(): field.dataType for field in frame.schema.fields}
        for number, name in enumerate(contract.names(side)):
            schema = schema.add(_moved(side, number), types[name.lower()])
    return schema


def cells(contract: Contract, side: Side) -> list[Column]:
    """A side's columns among those of ``found_schema``, by their own names."""
    return [F.col(_moved(side, number)).alias(name) for number, name in enumerate(contract.names(side))]


def paired(contract: Contract, found: DataFrame) -> DataFrame:
    """These rows as the contract compares them. Their other columns stay."""
    for side in SIDES:
        found = contract.side(found.select("*", *cells(contract, side)), side)
    return found


def position(side: Side) -> str:
    """The column with a row's position in its snapshot; null if the pair has no row of it."""
    return f"__{side}_position"


def in_both() -> tuple[Column, Column]:
    """Two conditions: whether a pair has an old row, and whether it has a new one."""
    return F.col(position("old")).isNotNull(), F.col(position("new")).isNotNull()


def _moved(side: Side, number: int) -> str:
    # No column of a log has a name that begins like this.
    return f"__{side}_cell_{number}"


@dataclass(frozen=True)
class Comparison:
    """The work of a task on a segment."""

    matching: Matching
    old: RowGroups
    new: RowGroups
    segments: tuple[Segment, ...]
    capacity: int
    capacity_bytes: int
    unique_key: list[str]
    compared: list[str]
    found: pa.Schema

    def __call__(self, number: int) -> Batches:
        segment = self.segments[number]
        return self.found_in(self.old.between(*segment.old), self.new.between(*segment.new))

    def found_in(self, old: PositionedBatches, new: PositionedBatches) -> Batches:
        """What matching the rows of both sides finds, in the columns of ``found_schema``."""
        for result in self.matching.match(self._blocks(old), self._blocks(new), self.capacity, self.capacity_bytes):
            if isinstance(result, Aged):
                yield self._batch(result.rows, None) if result.is_old else self._batch(None, result.rows)
                continue
            is_other_key = _differ(result, self.unique_key)
            is_wanted = self.matching.keeps_equal | _differ(result, self.compared)
            differing = np.flatnonzero(is_wanted & ~is_other_key)
            if len(differing):
                yield self._batch(result.old.take(differing), result.new.take(differing))
            # The key hashes match, but not the keys. Spark decides whether they are equal nevertheless (NaN, -0.0).
            apart = np.flatnonzero(is_other_key)
            if len(apart):
                yield self._batch(result.old.take(apart), None)
                yield self._batch(None, result.new.take(apart))

    def _blocks(self, rows: PositionedBatches) -> Iterator[Block]:
        for at, batch in rows:
            hashes = key_hashes([batch.column(name) for name in self.unique_key])
            yield Block(hashes, np.arange(at, at + batch.num_rows), batch)

    def _batch(self, old: Block | None, new: Block | None) -> pa.RecordBatch:
        count = len(old or new or ())
        cells: list[pa.Array] = []
        for block, groups in ((old, self.old), (new, self.new)):
            if block is None:
                cells += [pa.nulls(count)] * (1 + len(groups.schema))
            else:
                cells += [pa.array(block.positions), *block.rows.columns]
        return typed(cells, self.found)


def _differ(pair: Matched, names: list[str]) -> Mask:
    """Which pairs differ in one of these columns."""
    # One column at a time, so that its values are compared while the processor still has them in its cache.
    return any_unequal(map(pair.old.column, names), map(pair.new.column, names), len(pair.old))
