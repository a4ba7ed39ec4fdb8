"""What moved in a change log or in one of its batches: which columns, where the changes concentrate; and as tables."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from deltawave.comparing.comparison import Concentration
from deltawave.comparing.concentrations import PRECISION, measured
from deltawave.pages.texts import Table, counted, lines, plain
from deltawave.reporting.changes import is_update
from deltawave.reporting.concentrations import categories, concentrations
from deltawave.sql_text import quoted

# Logs without concentrations: a log that began with a baseline does not have the rows that changed ones are compared
# with, and in a log of a multiset a key may have several rows.
Incomparable: TypeAlias = Literal["baseline", "multiset"]


@dataclass(frozen=True, kw_only=True)
class ChangeSummary:
    """What moved in a log, or in one ``batch``.

    - ``first_batch``: the one with which the log's rows begin; ``None`` for a log without rows
    - ``updates``: how many there are; of ``unrecorded`` ones the log does not know the changed columns
    - ``columns``: how many updates have changed each column, the most first
    - ``concentrations``: the strongest of each type of change first; or why there are none
    """

    batch: int | None = None
    first_batch: int | None = None
    updates: int = 0
    unrecorded: int = 0
    columns: Mapping[str, int] = field(default_factory=dict)
    concentrations: tuple[Concentration, ...] | Incomparable = ()


def incomparable(is_multiset: bool, knows_rows: bool) -> Incomparable | None:
    """``knows_rows``: whether the log has the rows of its first dump."""
    return "multiset" if is_multiset else None if knows_rows else "baseline"


def change_summary(
    log: DataFrame, key: Sequence[str], why_not: Incomparable | None, batch: int | None = None
) -> ChangeSummary:
    """Read a change log: all of it, or only what ``batch`` has changed. ``why_not``: reason for no concentrations."""
    is_counted = is_update() if batch is None else is_update() & (F.col("_batch_id") == batch)
    estimates = {field.name: f"values_{number}" for number, field in enumerate(categories(log))}
    counted: dict[str, Column] = {
        "first_batch": F.min("_batch_id"),
        "updates": F.count_if(is_counted),
        "unrecorded": F.count_if(is_counted & F.col("_changed_columns").isNull()),
        **{alias: F.approx_count_distinct(F.col(quoted(each)), PRECISION) for each, alias in estimates.items()},
    }
    (counts,) = log.agg(*(value.alias(alias) for alias, value in counted.items())).collect()
    first_batch = counts["first_batch"]
    values = measured(estimates, lambda name: int(counts[estimates[name]]))
    return ChangeSummary(
        batch=batch,
        first_batch=first_batch,
        updates=counts["updates"],
        unrecorded=counts["unrecorded"],
        columns=_columns(log.where(is_counted)) if counts["updates"] > counts["unrecorded"] else {},
        concentrations=why_not or tuple(concentrations(log, key, values, first_batch or 0, batch)),
    )


def _columns(updates: DataFrame) -> dict[str, int]:
    """In how many updates each column has changed, the most first."""
    names = updates.select(F.explode("_changed_columns").alias("name"))
    counts = names.groupBy("name").agg(F.count(F.lit(1)).alias("updates")).collect()
    return {row["name"]: row["updates"] for row in sorted(counts, key=lambda row: (-row["updates"], row["name"]))}


# A report shows at most this many columns, however wide the table is.
_MOST_COLUMNS = 30
_INCOMPARABLE = {
    "baseline": "The log began with initial_load: baseline. It lacks the rows that have not changed since, with which "
    "changed ones would be compared.",
    "multiset": "With duplicate_keys: multiset a key may have several rows, and this section counts keys.",
}
_WHAT = {"insert": "inserted later", "update": "updated", "delete": "deleted"}


def columns_table(summary: ChangeSummary, shared: Callable[[float], str]) -> tuple[Table, list[str]]:
    """The columns that change most, and notes; ``shared``: a share, 0 to 1, as text."""
    shown = list(summary.columns.items())[:_MOST_COLUMNS]
    recorded = summary.updates - summary.unrecorded
    share = "of recorded updates" if summary.unrecorded else "of all updates"
    rows = [(plain(name), f"{updates:,}", shared(updates / recorded)) for name, updates in shown]
    of = "log" if summary.batch is None else "batch"
    notes = [
        f"Of {counted(summary.unrecorded, 'update')} the log does not record the columns."
        if summary.unrecorded
        else "",
        f"Not shown: {counted(len(summary.columns) - len(shown), 'column')} with fewer updates."
        if len(summary.columns) > len(shown)
        else "",
        "" if summary.updates else f"The {of} has no updates.",
    ]
    return Table("Columns that change most", ("column", "updates", share), rows), list(filter(None, notes))


def concentrations_table(summary: ChangeSummary) -> tuple[Table, list[str]]:
    """Where the changes concentrate, if they do anywhere, and notes."""
    found: Sequence[Concentration] = ()
    if isinstance(summary.concentrations, str):
        note = _INCOMPARABLE[summary.concentrations]
    elif not summary.concentrations:
        note = "No value is clearly more frequent among changed rows than among all rows."
    else:
        found, is_log = summary.concentrations, summary.batch is None
        whole = "the log, deleted ones included," if is_log else "the table, before and after the batch,"
        note = (
            f"Expected is the share of all rows of {whole} that have the value. A row counts once, as it was before "
            "its last update."
        )
    what = _WHAT if summary.batch is None else {**_WHAT, "insert": "inserted"}
    heads = ("rows", "column", "value", "number", "of these rows", "expected", "times as often", "effect")
    return Table("Where the changes concentrate", heads, [each.cells(what[each.kind]) for each in found]), [note]


def summary_lines(summary: ChangeSummary) -> Iterator[str]:
    """Both tables, as lines for a terminal."""
    for table, notes in (columns_table(summary, lambda share: f"{share:.1%}"), concentrations_table(summary)):
        yield from ("", table.title, "")
        # What the figures mean is in the documentation.
        yield from lines(table) if table.rows else (f"  {note}" for note in notes)
