"""Which results of a stream a table does not have yet, by micro-batch."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import takewhile
from typing import Any, NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from deltawave.comparable import comparable
from deltawave.meshjoin.batch_folders import BATCH, BatchFolders
from deltawave.sql_text import quoted


@dataclass(frozen=True)
class LoadedBatches:
    """Which micro-batches of a folder were found in a table, and what the last run returned.

    - ``first``, ``last``: all from first to last are loaded (none at the beginning). Later passes are negative numbers
    - ``present``: some of them that have rows in the table: if these are missing, it is an earlier state of the table
    - ``run``, ``where``: the run that has returned results last, and its condition
    - ``before``: how many rows the table had of each micro-batch that was not loaded then
    - ``is_appended``: whether all rows that this run's model made of the results were appended
    - ``expired``: the first and the last of those that were deleted by their age; none at the beginning
    """

    first: int = 0
    last: int = -1
    present: tuple[int, ...] = ()
    run: str = ""
    before: Mapping[int, int] | None = None
    where: str | None = None
    is_appended: bool = False
    expired: tuple[int, int] = (0, -1)

    @classmethod
    def of(cls, text: str | None) -> "LoadedBatches":
        """The content of a stored note; without a note nothing is loaded."""
        try:
            note: dict[str, Any] = json.loads(text or "{}")
            if note.get("before") is not None:
                note["before"] = {int(batch): rows for batch, rows in note["before"].items()}
            pairs = {name: tuple(note[name]) for name in ("present", "expired") if name in note}
            return cls(**{**note, **pairs})
        except (ValueError, TypeError, AttributeError):
            # Half of it was written when a machine failed, or another version has written it.
            return cls()

    def text(self) -> str:
        return json.dumps(asdict(self))

    def __contains__(self, batch: int) -> bool:
        return any(first <= batch <= last for first, last in self._ranges)

    @property
    def _ranges(self) -> tuple[tuple[int, int], ...]:
        return (self.first, self.last), self.expired

    def others(self) -> Column:
        """The condition that rows of a table are of no loaded micro-batch; it prunes files and row groups."""
        batch = F.col(BATCH)
        outside = [(batch < first) | (batch > last) for first, last in self._ranges]
        return batch.isNull() | (outside[0] & outside[1])

    def without(self, expired: Collection[int]) -> "LoadedBatches":
        """The note after these have expired, too."""
        low, high = self.expired
        # Otherwise the next run would take the table for an earlier state, and compare all of it.
        present = tuple(batch for batch in self.present if batch not in expired)
        return replace(self, present=present, expired=(min([low, *expired]), max([high, *expired])))

    def returned(self, had: Mapping[int, int], where: str | None) -> Collection[int]:
        """The micro-batches of which the table has what the last run's model made of them.

        ``had``: the number of rows that the table now has by micro-batch. If it has no more than before that run, it
        may have been restored since.
        """
        before = self.before or {}
        grew = any(had.get(batch, 0) > rows for batch, rows in before.items())
        return before.keys() if self.is_appended and grew and self.where == where else ()

    def grown(self, batches: Iterable[int], found: Collection[int], had: Collection[int]) -> "LoadedBatches":
        """The note after the table was found to have ``found`` of these ``batches``, and rows of those in ``had``."""
        others = sorted(batch for batch in batches if batch not in self)
        after = takewhile(found.__contains__, (batch for batch in others if batch > self.last))
        before = takewhile(found.__contains__, (batch for batch in reversed(others) if batch < self.first))
        first, last = min([self.first, *before]), max([self.last, *after])
        seen = [batch for batch in had if first <= batch <= last]
        present = tuple(sorted({min(seen), max(seen)})) if seen else self.present
        return replace(self, first=first, last=last, present=present)


class _Sum(NamedTuple):
    """How many rows a micro-batch has, and the sum of their hashes."""

    rows: int = 0
    total: int = 0


def require_comparable(results: DataFrame) -> None:
    """Raise ``ValueError`` if rows can't be compared, as maps can't."""
    for field in results.schema.fields:
        if comparable(field.name, field.dataType) != quoted(field.name):
            kind = field.dataType.simpleString()
            raise ValueError(f"join_new_rows can't compare column {field.name} of type {kind}: select it as JSON.")


class TableResults:
    """The results of a stream that a table has, of those micro-batches that are not loaded.

    - ``done``: the table ``name``
    - ``kept``: the results in ``folder``, of columns ``schema``
    - ``where``: a condition for results; others are neither returned nor compared

    ``loaded`` says what need not be compared again, ``is_new`` whether that is not noted yet, ``has_some`` whether the
    table has results that had to be compared. Raises ``ValueError`` if the table has results that are not kept.
    """

    def __init__(
        self, done: DataFrame, kept: BatchFolders, schema: StructType, name: str, folder: str, where: str | None
    ) -> None:
        self._folders, self._schema, self._name, self._folder, self._where = kept, schema, name, folder, where
        columns = {column.lower() for column in done.columns}
        if missing := [column for column in schema.names if column.lower() not in columns]:
            raise ValueError(f"{name} has no column {missing[0]} of its stream's results. {self._either(None)}")
        known = kept.batches()
        noted = before = LoadedBatches.of(kept.loaded())
        if any(done.where(F.col(BATCH) == batch).isEmpty() for batch in noted.present):
            before = LoadedBatches(expired=noted.expired)
        pending = [batch for batch in known if batch not in before]
        of_pending = done.where(before.others())
        self._known = set(known)
        self._has = _sums(self._selected(of_pending), schema.names)
        self._kept = _sums(self._selected(kept.rows(schema, pending)), schema.names) if pending else {}
        if unnumbered := [found.rows for batch, found in self._has.items() if batch is None]:
            raise ValueError(
                f"{name} has {unnumbered[0]} row(s) without a number of a micro-batch ({BATCH}), which came by other "
                "means. Delete them."
            )
        for batch, found in sorted(self._has.items()):
            own = self._kept.get(batch, _Sum())
            if found.rows > own.rows:
                whys = ["that folder was deleted", self._by_refresh(batch), "two runs at a time have appended them"]
                may_be = ", or ".join(filter(None, whys))
                raise ValueError(
                    f"{name} has results of micro-batch {batch} that are not in {folder}: {may_be}. "
                    "Restore it, or rebuild the table (--full-refresh)."
                )
            if found.rows == own.rows and found != own:
                raise self._others(batch)
        equal = [batch for batch in pending if self._kept.get(batch, _Sum()).rows == self.rows(batch)]
        begun = [batch for batch in pending if batch not in equal and self.rows(batch)]
        rest = self._rest_of(begun, of_pending) if begun else None
        returned = before.returned({batch: found.rows for batch, found in self._has.items()}, where)
        self._late = [batch for batch in pending if batch not in {*equal, *begun, *returned}]
        # Appended in part: a run was killed meanwhile.
        self._halves = [batch for batch in begun if batch not in returned]
        self._rest = rest.where(F.col(BATCH).isin(self._halves)) if rest is not None and self._halves else None
        self.loaded = before.grown(pending, {*equal, *returned}, self._has)
        self.is_new, self.has_some = self.loaded != noted, bool(self._has)

    def rows(self, batch: int) -> int:
        return self._has.get(batch, _Sum()).rows

    def missing(self) -> tuple[DataFrame, dict[int, int]]:
        """The results that the table does not have, and how many rows of their micro-batches it has.

        These are whole micro-batches, and the rest of those that were half appended.
        """
        whole = [*self._late, *self.new()]
        results = self._selected(self._folders.rows(self._schema, whole))
        had = {batch: self.rows(batch) for batch in [*whole, *self._halves]}
        return (results if self._rest is None else results.union(self._rest)), had

    def new(self) -> list[int]:
        return [batch for batch in self._folders.batches() if batch not in self._known]

    def _selected(self, results: DataFrame) -> DataFrame:
        return results if self._where is None else results.where(self._where)

    def _rest_of(self, begun: Sequence[int], done: DataFrame) -> DataFrame:
        """Results that the table does not have. Raises ``ValueError`` if it has others of these micro-batches."""
        of_begun = F.col(BATCH).isin(list(begun))
        has = self._selected(done.select(*map(quoted, self._schema.names)).where(of_begun))
        rest = self._selected(self._folders.rows(self._schema, begun)).exceptAll(has)
        left = {row[BATCH]: row["count"] for row in rest.groupBy(BATCH).count().collect()}
        for batch in begun:
            if left.get(batch, 0) != self._kept[batch].rows - self.rows(batch):
                raise self._others(batch)
        return rest

    def _by_refresh(self, batch: int | None) -> str | None:
        """How a --full-refresh may be the cause: another one would lose what only a folder that was set aside has."""
        previous, is_confirmed = self._folders.previous(batch), self._folders.is_confirmed
        if is_confirmed and not previous:
            return None
        why = "a run with --full-refresh did not end"
        if is_confirmed:
            why = "the table is from before a run with --full-refresh"
        if not previous:
            return why
        return (
            f"{why} (which set aside {' or '.join(previous)}: give {self._folder} another name, without deleting it, "
            "and its present name to the folder that was set aside)"
        )

    def _others(self, batch: int) -> ValueError:
        return ValueError(
            f"{self._name} has other results of micro-batch {batch} than {self._folder}. {self._either(batch)}"
        )

    def _either(self, batch: int | None) -> str:
        why = self._by_refresh(batch)
        return (
            f"{f'Either {why}, or the' if why else 'The'} model changes results, or somebody changed "
            "rows: a model may leave out rows of what join_new_rows returns, and add columns, but not change it. Then "
            "rebuild the table (--full-refresh)."
        )


def _sums(frame: DataFrame, columns: Sequence[str]) -> dict[int, _Sum]:
    """Row count and sum of hashes of each micro-batch, over these columns."""
    values = [quoted(name) for name in columns]
    # Spark's hash skips nulls.
    flags = [f"isnull({value})" for value in values]
    row_hash = f"cast(xxhash64({', '.join([*values, *flags])}) as decimal(20, 0))"
    found = frame.groupBy(BATCH).agg(F.count("*").alias("rows"), F.sum(F.expr(row_hash)).alias("total"))
    return {row[BATCH]: _Sum(row["rows"], int(row["total"])) for row in found.collect()}
