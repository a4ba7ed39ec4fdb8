"""Which results of a stream a table lacks, by micro-batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    """Raise ``ValueError`` if rows can't be compared, as maps can't."""
    for field in results.schema.fields:
        if comparable(field.name, field.dataType) != quoted(field.name):
            kind = field.dataType.simpleString()
            raise ValueError(f"join_arriving can't compare column {field.name} of type {kind}: select it as JSON.")


class Taken:
    """The results of a stream that a table has. Both are read once: committed results in a folder stay as they are.

    - ``done``: the table ``name``
    - ``kept``: the results in ``folder``
    - ``is_confirmed``: whether the table has taken over results from there before
    - ``former``: the folders of results that were set aside; with a number those that have this micro-batch

    Raises ``ValueError`` if the table has results that are not kept.
    """

    def __init__(
        self,
        done: DataFrame,
        kept: DataFrame,
        name: str,
        folder: str,
        is_confirmed: bool,
        former: Callable[[int | None], Sequence[str]],
    ) -> None:
        self._done, self._name, self._folder = done, name, folder
        self._is_confirmed, self._former = is_confirmed, former
        columns = {column.lower() for column in done.columns}
        if missing := [column for column in kept.columns if column.lower() not in columns]:
            raise ValueError(f"{name} has no column {missing[0]} of its stream's results. {self._either(None)}")
        self._has, self._kept = _told(done, kept), _told(kept, kept)
        if unnumbered := [told.rows for batch, told in self._has.items() if batch is None]:
            raise ValueError(
                f"{name} has {unnumbered[0]} row(s) without a number of a micro-batch ({BATCH}), which came by other "
                "means. Delete them."
            )
        for batch, told in sorted(self._has.items()):
            own = self._kept.get(batch, _Told())
            if told.rows > own.rows:
                whys = ["that folder is gone", self._by_refresh(batch), "two runs at a time have appended them"]
                may_be = ", or ".join(filter(None, whys))
                raise ValueError(
                    f"{name} has results of micro-batch {batch} that are not in {folder}: {may_be}. "
                    "Restore it, or build the table anew (--full-refresh)."
                )
            if told.rows == own.rows and told != own:
                raise self._others(batch)

    @property
    def has_some(self) -> bool:
        """Whether the table has any results."""
        return bool(self._has)

    def lacking(self, results: DataFrame) -> DataFrame:
        """The missing results: whole micro-batches, and the rest of one that was half appended.

        Raises ``ValueError`` if the table has other results of these micro-batches.
        """
        there = self._kept | _told(results.where(~F.col(BATCH).isin(list(self._kept))), results)
        late = [batch for batch, told in there.items() if self._has.get(batch, _Told()).rows < told.rows]
        of_late = F.col(BATCH).isin(late)
        begun = sorted(batch for batch in late if batch in self._has)
        if not begun:
            return results.where(of_late)
        done = self._done.select(*map(quoted, results.columns))
        rest = results.where(of_late).exceptAll(done.where(of_late))
        left = {row[BATCH]: row["count"] for row in rest.groupBy(BATCH).count().collect()}
        for batch in begun:
            if left.get(batch, 0) != there[batch].rows - self._has[batch].rows:
                raise self._others(batch)
        return rest

    def _by_refresh(self, batch: int | None) -> str | None:
        """How a --full-refresh may be the cause: to build anew then loses what only a folder that was set aside has."""
        former = self._former(batch)
        if self._is_confirmed and not former:
            return None
        why = "a run with --full-refresh did not end"
        if self._is_confirmed:
            why = "the table is from before a run with --full-refresh"
        if not former:
            return why
        return (
            f"{why} (which set aside {' or '.join(former)}: rename {self._folder} to another name, without deleting "
            "it, and that one to this name)"
        )

    def _others(self, batch: int) -> ValueError:
        return ValueError(
            f"{self._name} has other results of micro-batch {batch} than {self._folder}. {self._either(batch)}"
        )

    def _either(self, batch: int | None) -> str:
        why = self._by_refresh(batch)
        return (
            f"{f'Either {why}, or the' if why else 'The'} model changes results, or somebody changed "
            "rows: a model may leave out rows of what join_arriving returns, and add columns, but not change it. Then "
            "build the table anew (--full-refresh)."
        )


def _told(frame: DataFrame, results: DataFrame) -> dict[int, _Told]:
    """Row count and sum of hashes of each micro-batch, over the columns of ``results``."""
    values = [quoted(name) for name in results.columns]
    # Spark's hash skips nulls.
    flags = [f"isnull({value})" for value in values]
    row_hash = f"cast(xxhash64({', '.join([*values, *flags])}) as decimal(20, 0))"
    told = frame.groupBy(BATCH).agg(F.count("*").alias("rows"), F.sum(F.expr(row_hash)).alias("total"))
    return {row[BATCH]: _Told(row["rows"], int(row["total"])) for row in told.collect()}
