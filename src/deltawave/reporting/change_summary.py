"""What moved in a change log or in one of its batches: which columns, where the changes concentrate; and as tables."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructField

from deltawave.comparing.comparison import Concentration
from deltawave.comparing.concentrations import measured, strongest, weighed
from deltawave.pages.texts import Table, counted, lines, percent, plain
from deltawave.reporting.changes import CHANGE_TYPES, before_fields, data_fields, is_recorded, is_update
from deltawave.reporting.spark_texts import CATEGORIES, PRECISION, as_text
from deltawave.sql_text import quoted

# Stands for all rows, in place of the number of a column.
_ALL = -1


def categories(log: DataFrame) -> list[StructField]:
    """The columns that may divide rows into groups."""
    return [field for field in data_fields(log) if isinstance(field.dataType, CATEGORIES)]


def concentrations(
    log: DataFrame, key: Sequence[str], names: Sequence[str], first_batch: int, batch: int | None = None
) -> list[Concentration]:
    """Count the values of some columns, in one job, and return what is worth reporting, the largest effect first.

    Inserts are those after the log's first batch. Each key of the log counts once: by its row before the last update,
    if the log has that, otherwise by its last row that has values. With a ``batch`` only its changes
    count, among the rows that the table had before or after it.
    """
    if not names:
        return []
    cells = [
        F.struct(F.lit(place).alias("place"), F.col("row")[f"v{place}"].alias("value")) for place in range(len(names))
    ]
    everything = F.struct(F.lit(_ALL).alias("place"), F.lit(None).cast("string").alias("value"))
    counted = (
        _rows_by_key(log, key, names, first_batch, batch)
        .select(*CHANGE_TYPES, F.explode(F.array(everything, *cells)).alias("cell"))
        .groupBy("cell.place", "cell.value")
        .agg(F.count(F.lit(1)).alias("rows"), *(F.count_if(F.col(kind)).alias(kind) for kind in CHANGE_TYPES))
    )
    rows = [row.asDict() for row in counted.collect()]
    totals = next((row for row in rows if row["place"] == _ALL), {})
    found = [
        weighed(kind, names[row["place"]], row["value"], row[kind], totals[kind], row["rows"], totals["rows"])
        for kind in CHANGE_TYPES
        for row in rows
        if row["place"] != _ALL
    ]
    return strongest(found, CHANGE_TYPES)


def _rows_by_key(
    log: DataFrame, key: Sequence[str], names: Sequence[str], first_batch: int, batch: int | None
) -> DataFrame:
    """One row per key: the values that count for it, in ``row``, and which types of changes it has had."""
    is_counted = F.lit(True)
    if batch is not None:
        log = log.where(F.col("_batch_id") <= batch)
        is_counted = F.col("_batch_id") == batch
    types = {field.name: field.dataType for field in data_fields(log)}
    with_before = {field.name.lower() for field in before_fields(log)}

    def values(is_before: bool) -> Column:
        return F.struct(
            *(
                as_text(
                    F.col(quoted("_before", name) if is_before and name.lower() in with_before else quoted(name)),
                    types[name],
                ).alias(f"v{place}")
                for place, name in enumerate(names)
            )
        )

    # Within a batch deletes come before inserts.
    order = F.struct(F.col("_batch_id"), F.col("_change_type") != "delete")
    has_before = is_counted & is_update() & F.col("_before").isNotNull()
    numbered = log.select(
        *(F.col(quoted(name)).alias(f"k{number}") for number, name in enumerate(key)),
        values(False).alias("after"),
        F.when(is_recorded(log, key), order).alias("order_after"),
        F.when(has_before, values(True)).alias("before"),
        F.when(has_before, order).alias("order_before"),
        (is_counted & is_update()).alias("update"),
        (is_counted & (F.col("_change_type") == "delete")).alias("delete"),
        (is_counted & (F.col("_change_type") == "insert") & (F.col("_batch_id") > first_batch)).alias("insert"),
        order.alias("order"),
        (is_counted | (F.col("_change_type") != "delete")).alias("is_there"),
    )
    grouped = numbered.groupBy(*(f"k{number}" for number in range(len(key)))).agg(
        F.coalesce(F.max_by("before", "order_before"), F.max_by("after", "order_after")).alias("row"),
        *(F.max(kind).alias(kind) for kind in CHANGE_TYPES),
        F.max_by("is_there", "order").alias("is_there"),
    )
    # Without keys that a batch before the counted one deleted: the table does not have them any more.
    return grouped.where("is_there").select("row", *CHANGE_TYPES)


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
    for table, notes in (columns_table(summary, percent), concentrations_table(summary)):
        yield from ("", table.title, "")
        # What the figures mean is in the documentation.
        yield from lines(table) if table.rows else (f"  {note}" for note in notes)
