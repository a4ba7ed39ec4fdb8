"""Which results of a stream a table lacks, by its micro-batches."""

from __future__ import annotations

from typing import NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from deltawave.differencing.comparable import comparable
from deltawave.differencing.in_place import quoted
from deltawave.meshjoin.batch_folders import BATCH


class _Told(NamedTuple):
    """How many rows a micro-batch has, and the sum of their hashes."""

    rows: int = 0
    total: int = 0


def demand_comparable(results: DataFrame) -> None:
    """Raise ``ValueError`` if rows can't be told from each other, as maps can't."""
    for field in results.schema.fields:
        if comparable(field.name, field.dataType) != quoted(field.name):
            kind = field.dataType.simpleString()
            raise ValueError(f"join_arriving can't compare column {field.name} of type {kind}: select it as JSON.")


def demand_kept(done: DataFrame, kept: DataFrame, name: str, folder: str) -> None:
    """Raise ``ValueError`` if the table ``name``, ``done``, has results that are not ``kept`` in ``folder``."""
    columns = {column.lower() for column in done.columns}
    if missing := [column for column in kept.columns if column.lower() not in columns]:
        raise ValueError(f"{name} has no column {missing[0]} of its stream's results: {_ANEW}")
    has, there = _told(done, kept), _told(kept, kept)
    # A row that somebody else has added may have no number.
    for batch, told in sorted(has.items(), key=lambda each: -1 if each[0] is None else each[0]):
        own = there.get(batch, _Told())
        if told.rows > own.rows:
            raise ValueError(
                f"{name} has results of micro-batch {batch} that are not in {folder}: either that folder is gone, or "
                "two runs at a time have appended them. Restore it, or build the table anew (--full-refresh)."
            )
        if told.rows == own.rows and told != own:
            raise _others(name, batch, folder)


def lacking(results: DataFrame, done: DataFrame, name: str, folder: str) -> DataFrame:
    """The results that are not in ``done``: whole micro-batches, and the rest of one that was half appended.

    Raises ``ValueError`` if ``done`` has others of these micro-batches.
    """
    there, has = _told(results, results), _told(done, results)
    late = [batch for batch, told in there.items() if has.get(batch, _Told()).rows < told.rows]
    of_late = F.col(BATCH).isin(late)
    begun = sorted(batch for batch in late if batch in has)
    if not begun:
        return results.where(of_late)
    rest = results.where(of_late).exceptAll(done.select(*map(quoted, results.columns)).where(of_late))
    left = {row[BATCH]: row["count"] for row in rest.groupBy(BATCH).count().collect()}
    for batch in begun:
        if left.get(batch, 0) != there[batch].rows - has[batch].rows:
            raise _others(name, batch, folder)
    return rest


_ANEW = (
    "a model may leave out rows of what join_arriving returns, and add columns, but not change it. "
    "Then build the table anew (--full-refresh)."
)


def _others(name: str, batch: int, folder: str) -> ValueError:
    return ValueError(
        f"{name} has other results of micro-batch {batch} than {folder}. "
        f"Either a run with --full-refresh did not end, or the model changes results: {_ANEW}"
    )


def _told(frame: DataFrame, results: DataFrame) -> dict[int, _Told]:
    """Of each micro-batch; ``results`` have the columns that count."""
    values = [quoted(name) for name in results.columns]
    # Spark's hash passes over nulls.
    flags = [f"isnull({value})" for value in values]
    row_hash = f"cast(xxhash64({', '.join([*values, *flags])}) as decimal(20, 0))"
    told = frame.groupBy(BATCH).agg(F.count("*").alias("rows"), F.sum(F.expr(row_hash)).alias("total"))
    return {row[BATCH]: _Told(row["rows"], int(row["total"])) for row in told.collect()}
