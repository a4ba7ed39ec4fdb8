"""Where changes concentrate: values that are more frequent among changed rows than among all rows."""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructField

from deltawave.comparing.comparison import Concentration
from deltawave.comparing.concentrations import CATEGORIES, strongest, weighed
from deltawave.comparing.pairs import as_text
from deltawave.reporting.changes import CHANGE_TYPES, before_fields, data_fields, is_recorded, is_update
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
