"""The batches of a change log, and groups of them for a chart."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from deltawave.pages.texts import short
from deltawave.reporting.changes import ChangeType, instant, times

# Operations on a log are batches without changes.
_OPERATIONS = ("rewind", "expire", "compact", "purge", "erase")
_COUNTS = ("inserts", "updates", "deletes", "backfilled", "quarantined")


@dataclass(frozen=True)
class Batch:
    """A batch as its log's table of batches has it; ``at`` is in UTC, numbers are rows.

    - ``bytes_full``: what a full comparison would have read
    - ``dump``: the date, number or text that names the dump; of a wave index, the last day that it loaded
    """

    number: int
    at: datetime
    strategy: str
    reason: str
    rows_old: int
    rows_read: int | None
    rows_new: int | None
    inserts: int
    updates: int
    deletes: int
    backfilled: int
    quarantined: int
    seconds: float | None
    bytes_read: int | None = None
    bytes_full: int | None = None
    dump: str | None = None

    @property
    def is_operation(self) -> bool:
        return self.strategy in _OPERATIONS

    @property
    def is_load(self) -> bool:
        """Whether all rows are new, as in the first batch."""
        return not self.rows_old and not self.is_operation

    @property
    def changes(self) -> int:
        return self.inserts + self.updates + self.deletes

    @property
    def share_read(self) -> float | None:
        """The rows read of the source, as a share of those that a full comparison reads: the whole table."""
        if self.is_operation or self.rows_read is None or not self.rows_new:
            return None
        return self.rows_read / self.rows_new

    @property
    def bytes_spared(self) -> int:
        """The bytes that only a full comparison would have read; 0 where nobody knows."""
        return max(0, (self.bytes_full or 0) - (self.bytes_read or 0))

    def count(self, kind: ChangeType) -> int:
        return {"insert": self.inserts, "update": self.updates, "delete": self.deletes}[kind]


def batches_of(table: DataFrame) -> list[Batch]:
    """The batches that ``deltawave.batches`` selects, the oldest first."""
    rows = table.select(
        F.col("batch_id").cast("bigint").alias("number"),
        F.unix_micros("batch_at").alias("at"),
        *(F.coalesce(name, F.lit("")).alias(name) for name in ("strategy", "reason")),
        *(F.coalesce(name, F.lit(0)).cast("bigint").alias(name) for name in ("rows_old", *_COUNTS)),
        *("rows_new", "seconds", "bytes_full"),
        F.col("rows_dump").alias("rows_read"),
        F.col("bytes_dump").alias("bytes_read"),
        F.col("snapshot_date").alias("dump"),
    )
    found = (row.asDict() for row in rows.orderBy("number").collect())
    return [Batch(**{**row, "at": instant(row["at"])}) for row in found]


def dumps_of(batches: Iterable[Batch]) -> dict[int, str]:
    """The names of dumps, by batch number; empty if each dump is named by the date of its batch's time."""
    named = [each for each in batches if each.dump is not None]
    are_dates = all((each.dump or "").startswith(f"{each.at:%Y-%m-%d}") for each in named)
    return {} if are_dates else {each.number: short(each.dump) for each in named}


def labels(batches: Sequence[Batch]) -> list[str]:
    """A label for each batch, to be shown next to its number: the name of its dump, or else its time."""
    dumps = dumps_of(batches)
    return [dumps.get(each.number, day) for each, day in zip(batches, times(each.at for each in batches), strict=True)]


def grouped(batches: Sequence[Batch], most: int) -> list[Sequence[Batch]]:
    """The batches in at most ``most`` groups: of one batch each if they are few, otherwise of several."""
    size = max(1, -(-len(batches) // most))
    return [batches[begin : begin + size] for begin in range(0, len(batches), size)]


def began_with_baseline(batches: Sequence[Batch]) -> bool:
    """Whether the log has no rows of its first dump: the last load, which began its generation, logged none."""
    loads = [each for each in batches if each.is_load]
    return bool(loads) and bool(loads[-1].rows_new) and not loads[-1].inserts


def is_cut(batches: Sequence[Batch], first: int | None) -> bool:
    """Whether a log whose rows begin with batch ``first`` has lost earlier changes, by an expire or a full refresh."""
    return any(each.changes and (first is None or each.number < first) for each in batches)


def begins_with_state(batches: Sequence[Batch], first: int | None) -> bool:
    """Whether the first batch's rows are no changes, but the whole table after that batch, as an expire left it."""
    return is_cut(batches, first) and not began_with_baseline(batches)


def sampled_from(batches: Sequence[Batch], kind: ChangeType, wanted: int, first: int) -> int | None:
    """The newest batch such that it and later ones have ``wanted`` changes of a type, or else all; or ``None``.

    Loads are left out if other batches have such changes; the state that an expire left is always left out.
    ``first``: the log's first batch.
    """
    begin = first + 1 if begins_with_state(batches, first) else first
    held = [each for each in batches if each.number >= begin or (each.number == first and each.is_load)]
    changing = [each for each in held if each.count(kind)]
    found = [each for each in changing if not each.is_load] or changing
    number = None
    for each in reversed(found):
        number = each.number
        wanted -= each.count(kind)
        if wanted <= 0:
            break
    return number
