"""Rows that arrived since the last run, and surrogate keys for new ones (MJ08 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from deltawave.differencing.compression import free_prefix
from deltawave.differencing.in_place import quoted
from deltawave.meshjoin.mesh_join import mesh_join
from deltawave.meshjoin.stored_relation import StoredRelation


def arrived_since(stream: DataFrame, done: DataFrame | None, batch: str) -> DataFrame:
    """Return the rows of batches later than all in ``done``; all rows if it has no batch.

    ``batch``: the column of both with the batch's number; ``done``: results of former runs, none in the first run.
    Negative numbers, of later passes over shed rows, count downwards, separately from the others. A batch that left
    nothing in ``done`` comes again until a later one leaves something. Raises ``ValueError`` if a frame has no such
    column.
    """
    for frame in (stream, done):
        if frame is not None:
            _demand(frame, [batch], "What arrived")
    if done is None:
        return stream
    number = F.col(quoted(batch))
    first, last = done.agg(F.min(number), F.max(number)).collect()[0]
    if last is None:
        return stream
    if not isinstance(last, int):
        return stream.where(number > F.lit(last))
    return stream.where((number > F.lit(max(last, -1))) | (number < F.lit(min(first, 0))))


def new_keys(
    arrived: DataFrame,
    relation: DataFrame,
    assigned: DataFrame | None,
    *,
    on: Mapping[str, str],
    key: str,
    order: str,
    name: str,
    memory_bytes: int = 64 << 20,
) -> DataFrame:
    """Return the arrived rows that are new, with surrogate keys.

    - ``relation``: the known rows, stored as ``name`` beside the session's tables (``StoredRelation.beside_tables``)
    - ``assigned``: the results of former runs of this function; none in the first run
    - ``on``: the natural key: columns of ``arrived``, and the columns of ``relation`` that they equal. The first row of
      a natural key by ``order`` is taken; rows with a null in it are not
    - ``key``: the column of surrogate keys, whole numbers, of the relation and the result: they continue from the
      highest one, by ``order`` and natural key

    Raises ``ValueError`` for columns that are missing.
    """
    _demand(relation, [*on.values(), key], "The relation")
    _demand(arrived, [*on, order], "What arrived")
    natural = [F.col(quoted(column)) for column in on]
    known = relation.select(*(F.col(quoted(theirs)).alias(own) for own, theirs in on.items()))
    highest = _highest(relation, key)
    if assigned is not None:
        known = known.unionByName(assigned.select(*natural))
        highest = max(highest, _highest(assigned, key))
    stored = StoredRelation.beside_tables(known, name, key=list(on))
    unknown = mesh_join(arrived, stored, on=list(on), how="left_anti", memory_bytes=memory_bytes)
    place = free_prefix("place", arrived.columns)
    placed = unknown.dropna(subset=list(on)).withColumn(
        place, F.row_number().over(Window.partitionBy(*natural).orderBy(quoted(order)))
    )
    number = F.row_number().over(Window.orderBy(F.col(quoted(order)), *natural))
    new_key = (F.lit(highest) + number).cast(relation.schema[key].dataType)
    return placed.where(F.col(place) == 1).drop(place).withColumn(key, new_key)


def _highest(frame: DataFrame, key: str) -> int:
    return int(frame.agg(F.max(quoted(key))).collect()[0][0] or 0)


def _demand(frame: DataFrame, columns: Sequence[str], what: str) -> None:
    if missing := [name for name in columns if name not in frame.columns]:
        raise ValueError(f"{what} has no column {missing[0]}; there are {', '.join(frame.columns)}.")
