"""What a change log holds, as plain values."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from deltawave.reporting.batches import Batch, batches_of, began_with_baseline, begins_with_state, sampled_from
from deltawave.reporting.change_summary import ChangeSummary, change_summary, incomparable
from deltawave.reporting.changes import CHANGE_TYPES, Change, ChangeType, as_texts, collected, is_update, value_in
from deltawave.sql_text import quoted

# Of the last changes of each type, so many are read; so many of the updates are shown, and of each column.
_READ: dict[ChangeType, int] = {"insert": 8, "update": 200, "delete": 8}
_MOST_UPDATES = 24
_MOST_OF_COLUMN = 3
_MOST_QUARANTINED = 10
_MOST_REMOVALS = 50


@dataclass(frozen=True)
class Removal:
    """A row of x__removals: how much an operation has removed from a place; None where files are not shown.

    ``still_there``: what the operation could not free yet, if anything, and when it can be.
    """

    at: str
    operation: str
    place: str
    rows: int
    files_freed: int | None
    bytes_freed: int | None
    still_there: str | None


@dataclass(frozen=True, kw_only=True)
class LogReport(ChangeSummary):
    """The contents of a change log, or of one of its batches.

    - ``batches``: all that no rewind has undone, the oldest first; of one batch only that
    - ``samples``, ``quarantined``: some of the last changes, and of the quarantined rows
    - ``removals``: what was last removed for good, the newest first
    """

    name: str
    key: tuple[str, ...]
    batches: tuple[Batch, ...]
    samples: tuple[Change, ...] = ()
    quarantined: tuple[Mapping[str, str | None], ...] = ()
    removals: tuple["Removal", ...] = ()
    made_at: datetime = field(default_factory=lambda: datetime.now(timezone.utc))


def log_report(
    log: DataFrame,
    batches: DataFrame,
    quarantine: DataFrame | None,
    removals: DataFrame | None = None,
    *,
    name: str,
    key: Sequence[str],
    is_multiset: bool,
    batch: int | None = None,
) -> LogReport:
    """Read a change log.

    - ``batches``, ``quarantine``: what the macros of these names select; ``removals``: the table of receipts
    - ``is_multiset``: whether a key may have several rows
    - ``batch``: only what this one has changed

    Raises ``LookupError`` if there is no such batch, or the log no longer has its changes.
    """
    listed = batches_of(batches)
    summary = change_summary(log, key, incomparable(is_multiset, not began_with_baseline(listed)), batch)
    if batch is not None:
        _require_batch(listed, batch, summary.first_batch)
        listed = [each for each in listed if each.number == batch]
        log = log.where(F.col("_batch_id") == batch)
        quarantine = None if quarantine is None else quarantine.where(F.col("_batch_id") == batch)
    has_quarantined = any(each.quarantined for each in listed)
    return LogReport(
        name=name,
        key=tuple(key),
        batches=tuple(listed),
        samples=tuple(each for kind in CHANGE_TYPES for each in _samples(log, key, listed, kind, summary)),
        quarantined=tuple(_rows(quarantine)) if quarantine is not None and has_quarantined else (),
        removals=_removals(removals) if removals is not None and batch is None else (),
        **vars(summary),
    )


def _require_batch(batches: Sequence[Batch], batch: int, first: int | None) -> None:
    if batch not in [each.number for each in batches]:
        raise LookupError(f"There is no batch {batch}, or a rewind has undone it.")
    if first is not None and batch < first + begins_with_state(batches, first):
        raise LookupError(f"The log no longer has the changes of batch {batch}.")


def _samples(
    log: DataFrame, key: Sequence[str], batches: Sequence[Batch], kind: ChangeType, summary: ChangeSummary
) -> list[Change]:
    """Some of the last changes of a type."""
    first = summary.first_batch
    begin = None if first is None else sampled_from(batches, kind, _READ[kind], first)
    if begin is None:
        return []
    wanted = is_update() if kind == "update" else F.col("_change_type") == kind
    rows = log.where((F.col("_batch_id") >= begin) & wanted)
    last = rows.orderBy(F.col("_batch_id").desc(), *(F.col(quoted(name)) for name in key)).limit(_READ[kind])
    found = collected(last)
    return rarest_first(found, summary.columns) if kind == "update" else found


def rarest_first(updates: Sequence[Change], columns: Mapping[str, int]) -> list[Change]:
    """Some updates, those of rarely changing columns first: these say more than some of thousands alike."""
    shown: Counter[str] = Counter()
    chosen = []
    rarest = sorted(updates, key=lambda each: min((columns.get(name, 0) for name in each.changed or ()), default=0))
    for change in rarest:
        if change.changed is None or any(shown[name] < _MOST_OF_COLUMN for name in change.changed):
            chosen.append(change)
            shown.update(change.changed or ())
    return sorted(chosen[:_MOST_UPDATES], key=lambda change: -change.batch)


def cells_of(change: Change) -> list[tuple[str, str | None, str | None]]:
    """The columns that an update has changed, each with the value before, if known, and after it."""
    return [(name, value_in(change.before, name), value_in(change.row, name)) for name in change.changed or ()]


def _rows(quarantine: DataFrame) -> list[dict[str, str | None]]:
    """Some of the last quarantined rows, as texts. The number of the batch stands for its time, too."""
    fields = [field for field in quarantine.schema.fields if field.name != "_batch_at"]
    last = quarantine.orderBy(F.col("_batch_id").desc()).limit(_MOST_QUARANTINED).select(as_texts(fields))
    names = [field.name for field in fields]
    return [dict(zip(names, texts, strict=True)) for (texts,) in last.collect()]


def _removals(removals: DataFrame) -> tuple[Removal, ...]:
    day = F.date_format("removed_at", "yyyy-MM-dd").alias("removed_on")
    last = removals.orderBy(F.col("removed_at").desc(), "place").limit(_MOST_REMOVALS)
    columns = ("operation", "place", "row_count", "files_freed", "bytes_freed", "still_there")
    return tuple(Removal(*row) for row in last.select(day, *columns).collect())
