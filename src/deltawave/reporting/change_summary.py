"""What moved in a change log, or in one of its batches: which columns, and where the changes concentrate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from deltawave.comparing.comparison import Concentration
from deltawave.comparing.concentrations import measured
from deltawave.reporting.changes import is_update
from deltawave.reporting.concentrations import categories, concentrations
from deltawave.sql_text import quoted

# Logs whose rows are not those of all keys: one that began with a baseline lacks the rows with which changed ones are
# compared, and one of a multiset is no log of keys.
Incomparable: TypeAlias = Literal["baseline", "multiset"]
# The relative error of an estimated number of values. A smaller one takes Spark long to prepare, for many columns.
_PRECISION = 0.15


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


def change_summary(
    log: DataFrame, key: Sequence[str], incomparable: Incomparable | None, batch: int | None = None
) -> ChangeSummary:
    """Read a change log: all of it, or only what ``batch`` has changed."""
    is_counted = is_update() if batch is None else is_update() & (F.col("_batch_id") == batch)
    estimates = {field.name: f"values_{number}" for number, field in enumerate(categories(log))}
    counted: dict[str, Column] = {
        "first_batch": F.min("_batch_id"),
        "updates": F.count_if(is_counted),
        "unrecorded": F.count_if(is_counted & F.col("_changed_columns").isNull()),
        **{alias: F.approx_count_distinct(F.col(quoted(each)), _PRECISION) for each, alias in estimates.items()},
    }
    (counts,) = log.agg(*(value.alias(alias) for alias, value in counted.items())).collect()
    first_batch = counts["first_batch"]
    found: tuple[Concentration, ...] | Incomparable
    if incomparable:
        found = incomparable
    else:
        values = measured(estimates, lambda name: int(counts[estimates[name]]))
        found = tuple(concentrations(log, key, values, first_batch or 0, batch))
    return ChangeSummary(
        batch=batch,
        first_batch=first_batch,
        updates=counts["updates"],
        unrecorded=counts["unrecorded"],
        columns=_columns(log.where(is_counted)) if counts["updates"] > counts["unrecorded"] else {},
        concentrations=found,
    )


def _columns(updates: DataFrame) -> dict[str, int]:
    """In how many updates each column has changed, the most first."""
    names = updates.select(F.explode("_changed_columns").alias("name"))
    counts = names.groupBy("name").agg(F.count(F.lit(1)).alias("updates")).collect()
    return {row["name"]: row["updates"] for row in sorted(counts, key=lambda row: (-row["updates"], row["name"]))}
