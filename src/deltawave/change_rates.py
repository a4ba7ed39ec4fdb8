"""How often the columns of a table change."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.types import StructType


def column_change_rates(log: DataFrame) -> DataFrame:
    """Return how often each column changed in each batch of a change log.

    ``log`` is a change log under the delta contract (``_change_type``, ``_changed_columns``,
    ``_before``, ``_batch_id``, ``_batch_at``) that starts with its first dump's inserts. There is a
    row for each non-key column and each batch that had rows to compare:

    - ``batch_id``, ``batch_at``, ``column_name``
    - ``changed_rows``: updates that changed the column (rows)
    - ``updated_rows``: updates of the batch (rows), without backfills of a new column
    - ``compared_rows``: keys in both dumps (rows): what the log had inserted and not deleted before
      the batch, minus the batch's deletes
    - ``share_of_updates``: ``changed_rows / updated_rows``, 0 to 1, null without updates
    - ``change_rate``: ``changed_rows / compared_rows``, 0 to 1

    A dump that equals the previous one has no rows in the log, and none here.

    Raises ``ValueError`` if the log keeps no before images: its columns are known from them.
    """
    before = log.schema["_before"].dataType
    if not isinstance(before, StructType) or not before.names:
        raise ValueError(
            "column_change_rates: the log keeps no before images (_before has no fields), so keys "
            "can't be distinguished from other columns. Build it with before_image: auto or require."
        )
    batches = _batches(log)
    columns = F.explode(F.array(*map(F.lit, before.names))).alias("column_name")
    cells = batches.select("batch_id", "batch_at", columns, "updated_rows", "compared_rows")
    changed = log.select(F.col("_batch_id").alias("batch_id"), F.explode("_changed_columns").alias("column_name"))
    changed_rows = changed.groupBy("batch_id", "column_name").agg(F.count("*").alias("changed_rows"))
    joined = cells.join(changed_rows, ["batch_id", "column_name"], "left").fillna(0, "changed_rows")
    return joined.select(
        *("batch_id", "batch_at", "column_name", "changed_rows", "updated_rows", "compared_rows"),
        F.try_divide("changed_rows", "updated_rows").alias("share_of_updates"),
        F.try_divide("changed_rows", "compared_rows").alias("change_rate"),
    )


def _batches(log: DataFrame) -> DataFrame:
    """Count the rows of each batch, without batches that had nothing to compare."""
    # A row that only fills a column that joined the log: an update without changed columns.
    is_backfill = F.coalesce(F.size("_changed_columns") == 0, F.lit(False))
    counts = log.groupBy(F.col("_batch_id").alias("batch_id")).agg(
        F.max("_batch_at").alias("batch_at"),
        F.count_if(F.col("_change_type") == "insert").alias("inserts"),
        F.count_if(F.col("_change_type") == "delete").alias("deletes"),
        F.count_if((F.col("_change_type") == "update") & ~is_backfill).alias("updated_rows"),
    )
    # A window without partitions: batches are few, whatever the size of the log.
    earlier = Window.orderBy("batch_id").rowsBetween(Window.unboundedPreceding, -1)
    rows_before = F.coalesce(F.sum(F.col("inserts") - F.col("deletes")).over(earlier), F.lit(0))
    compared = counts.withColumn("compared_rows", rows_before - F.col("deletes"))
    return compared.where("compared_rows > 0")
