"""Batches of days for wave indexes, and what an index of them has to show."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from deltawave.wave import WaveIndex
from deltawave.wave.tables import WaveSpec
from deltawave.wave.wave_table import WaveTable, marked

FIRST = date(2026, 1, 1)
SCHEMA = "day date, supplier int, amount decimal(9,2), words array<string>"
COLUMNS = tuple((part.split()[0], part.split()[1]) for part in SCHEMA.split(", "))
Row = tuple[Any, ...]


def day(number: int) -> date:
    """The date of the day of that number; numbers begin at 1."""
    return FIRST + timedelta(days=number - 1)


def batch(number: int, count: int = 5) -> list[Row]:
    """Rows of a day: suppliers come again on other days, and each row has several words, one twice, or none."""
    words = [["war", "peace", "war"], [], None, ["peace"], [f"only{number}", None]]
    return [(day(number), (number + 3 * i) % 4, number + i, words[i % len(words)]) for i in range(count)]


def frame(spark: SparkSession, rows: Sequence[Row]) -> DataFrame:
    """Rows as a source delivers them."""
    return spark.createDataFrame(list(rows), SCHEMA.replace("decimal(9,2)", "int")).selectExpr(
        "day", "supplier", "cast(amount as decimal(9,2)) as amount", "words"
    )


def spec(index: WaveIndex, technique: str, search_field: str = "supplier", **options: Any) -> WaveSpec:
    """A specification for these columns, in two buckets."""
    return replace(WaveSpec(index, technique, "day", search_field, COLUMNS, buckets=2), **options)


def counted(rows: DataFrame) -> Counter[Any]:
    """Rows as a bag."""
    return Counter((row["day"], row["supplier"], int(row["amount"]), str(row["words"])) for row in rows.collect())


def bag(rows: Sequence[Row]) -> Counter[Any]:
    """Rows of a source as a bag."""
    return Counter((when, supplier, amount, str(words)) for when, supplier, amount, words in rows)


def expected(batches: Mapping[int, Sequence[Row]], days: Sequence[int]) -> Counter[Any]:
    """The rows of days as a bag."""
    return bag([row for number in days for row in batches.get(number, [])])


def tables_left(spark: SparkSession, table: WaveTable) -> set[str]:
    """The tables of a wave index that the catalog has."""
    found = spark.sql(f"show tables in {table.schema} like '{table.name}__index*'").collect()
    return {row.tableName for row in found}


def tables_named(spark: SparkSession, table: WaveTable) -> dict[str, Any]:
    """What the view tells of its wave index."""
    wave: dict[str, Any] = marked(spark, table.view)["wave"]
    return wave
