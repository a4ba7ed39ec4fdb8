"""Messages of Kafka as rows: JSON of a schema; messages that are no rows are reported, not lost."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructField, StructType

from deltawave.differencing.compression import free_prefix
from deltawave.differencing.in_place import quoted

_OBJECT = "map<string, string>"


def json_rows(messages: DataFrame, schema: str, key: Sequence[str] = (), unfit: str | None = None) -> DataFrame:
    """Return the rows of messages whose ``value`` is one JSON object of this schema.

    The fields of ``key`` have to be there, though they may be null; others may be missing. Messages without a value are
    skipped. If a value is not such an object, or has only other fields, the query fails and names topic, partition and
    offset. With ``unfit``, a column of that name has topic, partition, offset and value of such a message instead, and
    is null for rows: :func:`deltawave.meshjoin.stream_join` sets these messages aside.
    """
    wanted = messages.sparkSession.createDataFrame([], schema).schema
    names = wanted.names
    wrong = free_prefix("wrong_", names)
    text = F.col("value").cast("string")
    with_wrong = StructType([*wanted, StructField(wrong, StringType())])
    read = messages.where("value is not null").select(
        "topic",
        "partition",
        "offset",
        text.alias("value"),
        F.from_json(text, with_wrong, {"columnNameOfCorruptRecord": wrong}).alias("row"),
        _fields(text).alias("fields"),
    )
    is_wrong = F.col("fields").isNull() | F.col("row").isNull() | F.col(f"row.{quoted(wrong)}").isNotNull()
    is_other = (F.size("fields") > 0) & ~F.arrays_overlap("fields", F.array(*map(F.lit, names)))
    is_unfit = is_wrong | is_other
    for name in key:
        is_unfit = is_unfit | ~F.array_contains("fields", name)
    cells = [F.col(f"row.{quoted(name)}").alias(name) for name in names]
    if unfit is not None:
        told = F.when(is_unfit, F.struct("topic", "partition", "offset", "value")).alias(unfit)
        return read.select(*cells, told)
    message = F.format_string(
        "The message at offset %s of partition %s of topic %s is no JSON of the schema %s: %s. "
        "Correct the schema, or keep such messages aside (--keep-unfit, in Python unfit).",
        *(F.col(name).cast("string") for name in ("offset", "partition", "topic")),
        F.lit(f"{schema}, with {', '.join(key)}" if key else schema),
        F.substring("value", 1, 200),
    )
    checked = F.when(is_unfit, F.raise_error(message)).otherwise(F.col("row")).alias("row")
    return read.select(checked).select(*cells)


def _fields(text: Column) -> Column:
    """The names of an object's fields; null if the text is anything but one object.

    Of several objects, or an object followed by something else, Spark would read only the first. Wrapped in an array
    and in an object, such a text is more than one value, or no JSON: a text can close only one of the two early.
    """
    in_array = F.from_json(F.concat(F.lit("["), text, F.lit("]")), f"array<{_OBJECT}>")
    in_object = F.from_json(F.concat(F.lit('{"value":'), text, F.lit("}")), f"map<string, {_OBJECT}>")
    is_alone = (F.size(in_array) == 1) & (F.size(in_object) == 1)
    return F.when(is_alone, F.map_keys(F.element_at(in_array, 1)))
