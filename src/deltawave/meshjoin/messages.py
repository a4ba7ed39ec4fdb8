"""Messages of Kafka as rows: JSON of a schema, where what is none is told and not lost."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StringType

from deltawave.differencing.compression import free_prefix
from deltawave.differencing.in_place import quoted

# Spark's name for it.
CORRUPT = "_corrupt_record"


def json_rows(messages: DataFrame, schema: str) -> DataFrame:
    """Return the rows of messages whose ``value`` is a JSON object of this schema; fields may be missing.

    A message without a value is no row. One whose value is not such an object, or has none of these fields but others,
    fails the query with its topic, partition and offset; or if the schema has a text column ``_corrupt_record``, that
    has its value.
    """
    wanted = messages.sparkSession.createDataFrame([], schema).schema
    names = [field.name for field in wanted.fields if field.name != CORRUPT]
    wrong = CORRUPT if CORRUPT in wanted.names else free_prefix("wrong_", names)
    if wrong not in wanted.names:
        wanted = wanted.add(wrong, StringType())
    text = F.col("value").cast("string")
    read = messages.where("value is not null").select(
        "topic",
        "partition",
        "offset",
        text.alias("value"),
        F.from_json(text, wanted, {"columnNameOfCorruptRecord": wrong}).alias("row"),
        F.json_object_keys(text).alias("keys"),
    )
    is_other = (F.size("keys") > 0) & ~F.arrays_overlap("keys", F.array(*map(F.lit, names)))
    unfit = F.coalesce(f"row.{quoted(wrong)}", F.when(F.col("row").isNull() | is_other, F.col("value")))
    told = F.format_string(
        "The message at offset %s of partition %s of topic %s is no JSON of the schema %s: %s. "
        f"Correct the schema, or add a column {CORRUPT} string to it, which keeps such messages.",
        *(F.col(name).cast("string") for name in ("offset", "partition", "topic")),
        F.lit(schema),
        F.substring("value", 1, 200),
    )
    cells = [F.col(f"row.{quoted(name)}").alias(name) for name in names]
    if wrong == CORRUPT:
        return read.select(*cells, unfit.alias(CORRUPT))
    checked = F.when(unfit.isNotNull(), F.raise_error(told)).otherwise(F.col("row")).alias("row")
    return read.select(checked).select(*cells)
