"""What a change log holds, as plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Literal

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from deltawave.comparing.pairs import as_text
from deltawave.reporting.batches import Batch, batches_of, began_with_baseline, sampled_from
from deltawave.reporting.changes import CHANGE_TYPES, Change, ChangeType, collected, is_update, value_in
from deltawave.reporting.concentrations import Concentration, categories, concentrations, measured
from deltawave.sql_text import quoted

# The relative error of an estimated number of values. A smaller one takes Spark long to prepare, for many columns.
_PRECISION = 0.15
# Of the last changes of each type, so many are read; so many of the updates are shown, and of each column.
_READ: dict[ChangeType, int] = {"insert": 8, "update": 200, "delete": 8}
_MOST_UPDATES = 24
_MOST_OF_COLUMN = 3
_MOST_QUARANTINED = 10


@dataclass(frozen=True)
class LogReport:
    """A change log's contents.

    - ``batches``: all that no rewind has undone, the oldest first; the log's own rows begin with ``first_batch``,
      which is ``None`` for a log without rows
    - ``updates``: the updates in the log; of ``unrecorded`` ones it does not know the changed columns
    - ``columns``: how many updates have changed each column, the most first
    - ``concentrations``: the strongest of each type of change first; or why there are none: a log that began with a
      baseline lacks the rows with which changed ones are compared, and one of a multiset is no log of keys
    - ``samples``: some of the last changes
    - ``quarantined``: some of the quarantined rows
    """

    name: str
    key: tuple[str, ...]
    batches: tuple[Batch, ...]
    first_batch: int | None = None
    updates: int = 0
    unrecorded: int = 0
    columns: Mapping[str, int] = field(default_factory=dict)
    concentrations: tuple[Concentration, ...] | Literal["baseline", "multiset"] = ()
    samples: tuple[Change, ...] = ()
    quarantined: tuple[Mapping[str, str | None], ...] = ()
    made_at: datetime = field(default_factory=lambda: datetime.now(timezone.utc))


def log_report(
    log: DataFrame,
    batches: DataFrame,
    quarantine: DataFrame | None,
    *,
    name: str,
    key: Sequence[str],
    is_multiset: bool,
) -> LogReport:
    """Read a change log.

    - ``batches``, ``quarantine``: what the macros of these names select
    - ``is_multiset``: whether a key may have several rows
    """
    listed = batches_of(batches)
    estimates = {field.name: f"values_{number}" for number, field in enumerate(categories(log))}
    counted: dict[str, Column] = {
        "first_batch": F.min("_batch_id"),
        "updates": F.count_if(is_update()),
        "unrecorded": F.count_if(is_update() & F.col("_changed_columns").isNull()),
        **{alias: F.approx_count_distinct(F.col(quoted(each)), _PRECISION) for each, alias in estimates.items()},
    }
    (counts,) = log.agg(*(value.alias(alias) for alias, value in counted.items())).collect()
    columns = _columns(log) if counts["updates"] > counts["unrecorded"] else {}
    first_batch = counts["first_batch"]
    found: tuple[Concentration, ...] | Literal["baseline", "multiset"]
    if is_multiset:
        found = "multiset"
    elif began_with_baseline(listed):
        found = "baseline"
    else:
        values = measured({each: counts[alias] for each, alias in estimates.items()})
        found = tuple(concentrations(log, key, values, first_batch or 0))
    has_quarantined = quarantine is not None and any(each.quarantined for each in listed)
    return LogReport(
        name=name,
        key=tuple(key),
        batches=tuple(listed),
        first_batch=first_batch,
        updates=counts["updates"],
        unrecorded=counts["unrecorded"],
        columns=columns,
        concentrations=found,
        samples=tuple(each for kind in CHANGE_TYPES for each in _samples(log, key, listed, kind, columns, first_batch)),
        quarantined=tuple(_rows(quarantine)) if quarantine is not None and has_quarantined else (),
    )


def _columns(log: DataFrame) -> dict[str, int]:
    """In how many updates each column has changed, the most first."""
    names = log.where(is_update()).select(F.explode("_changed_columns").alias("name"))
    counts = names.groupBy("name").agg(F.count(F.lit(1)).alias("updates")).collect()
    return {row["name"]: row["updates"] for row in sorted(counts, key=lambda row: (-row["updates"], row["name"]))}


def _samples(
    log: DataFrame,
    key: Sequence[str],
    batches: Sequence[Batch],
    kind: ChangeType,
    columns: Mapping[str, int],
    first_batch: int | None,
) -> list[Change]:
    """Some of the last changes of a type."""
    begin = None if first_batch is None else sampled_from(batches, kind, _READ[kind], first_batch)
    if begin is None:
        return []
    wanted = is_update() if kind == "update" else F.col("_change_type") == kind
    rows = log.where((F.col("_batch_id") >= begin) & wanted)
    last = rows.orderBy(F.col("_batch_id").desc(), *(F.col(quoted(name)) for name in key)).limit(_READ[kind])
    found = collected(last)
    return telling(found, columns) if kind == "update" else found


def telling(updates: Sequence[Change], columns: Mapping[str, int]) -> list[Change]:
    """Some updates, those of rarely changing columns first: these say more than some of thousands alike.

    - ``columns``: how many updates have changed each column
    """

    def rarest(change: Change) -> int:
        return min((columns.get(name, 0) for name in change.changed or ()), default=0)

    shown: Counter[str] = Counter()
    chosen = []
    for change in sorted(updates, key=rarest):
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
    values = F.array(*(as_text(F.col(quoted(field.name)), field.dataType) for field in fields)).alias("texts")
    last = quarantine.orderBy(F.col("_batch_id").desc()).limit(_MOST_QUARANTINED)
    names = [field.name for field in fields]
    return [dict(zip(names, row["texts"], strict=True)) for row in last.select(values).collect()]
