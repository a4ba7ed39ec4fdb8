"""Where differences concentrate: values that are more frequent among the rows that differ than among the others."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from pyspark.sql import Column as Value
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from deltawave.comparing.columns import Column
from deltawave.comparing.comparison import Concentration, Kind
from deltawave.comparing.pairs import cell, cut
from deltawave.differencing.contract import Side
from deltawave.spark_versions import DATETIMES

Category = TypeVar("Category")

# A column with more than about MOST_VALUES values is no category. The MOST_COLUMNS with the fewest are measured.
MOST_VALUES = 100
MOST_COLUMNS = 20
# The relative error of an estimated number of values. A smaller one takes Spark long to prepare, for many columns.
PRECISION = 0.15
# Types whose values may divide rows into groups.
CATEGORIES = (T.StringType, T.BooleanType, T.NumericType, *DATETIMES)
# A value is reported if at least LEAST_ROWS differing rows have it, and it is LEAST_LIFT times as frequent among them
# as among all rows, or its absence is that much rarer. The effect (Cohen's h) and the distance from chance, in standard
# deviations, have to be this large, too.
LEAST_ROWS = 5
LEAST_LIFT = 1.5
LEAST_EFFECT = 0.5
LEAST_DEVIATIONS = 4.0
MOST_REPORTED = 10

# For each kind of rows, the side whose values are counted.
_SIDES: dict[Kind, Side] = {"changed": "old", "only_old": "old", "only_new": "new"}


def is_category(column: Column) -> bool:
    """Whether the column may divide rows into groups."""
    return column.is_shared and isinstance(column.kind, CATEGORIES)


def estimate(column: Column) -> str:
    """The name that the estimated number of a column's values has in ``counts``."""
    return f"values_{column.number}"


def measured(columns: Iterable[Category], values_of: Callable[[Category], int]) -> list[Category]:
    """The categories with few values, the fewest first; ``values_of``: about how many values one has."""
    return sorted((column for column in columns if 2 <= values_of(column) <= MOST_VALUES), key=values_of)[:MOST_COLUMNS]


def as_value(value: Value, kind: T.DataType) -> Value:
    """A category's value as a text. -0.0 is 0.0."""
    is_float = isinstance(kind, (T.FloatType, T.DoubleType))
    return (F.when(value == 0, F.lit(0).cast(kind)).otherwise(value) if is_float else value).cast("string")


def concentrations(
    pairs: DataFrame, columns: Sequence[Column], counts: Mapping[str, int], equal_values: DataFrame | None
) -> list[Concentration]:
    """Count the values of some columns, in one job, and return what is worth reporting, the largest effect first.

    - ``columns``: the categories
    - ``counts``: the rows of each kind, and about how many values each category has
    - ``equal_values``: for equal rows that are not among the pairs, how many have each value. Columns: ``kind``, always
      'equal', ``side``, ``number`` of the column, ``value`` and ``rows``
    """
    chosen = measured(columns, lambda column: counts[estimate(column)])
    names = {column.number: column.name for column in chosen}
    in_both = counts["changed"] + counts["equal"]
    populations = {kind: in_both if kind == "changed" else in_both + counts[kind] for kind in _SIDES}
    kinds = [kind for kind in _SIDES if LEAST_ROWS <= counts[kind] < populations[kind]]
    if not chosen or not kinds:
        return []
    cells = [
        F.when(
            F.col(f"{side}_rows") > 0,
            F.struct(
                F.lit(side).alias("side"),
                F.lit(column.number).alias("number"),
                as_value(F.col(cell(column, side)), column.kind).alias("value"),
            ),
        )
        for side in dict.fromkeys(_SIDES[kind] for kind in kinds)
        for column in chosen
    ]
    listed = pairs.select("kind", F.explode(F.array(*cells)).alias("cell")).where("cell is not null")
    values = listed.select("kind", "cell.*", F.lit(1).alias("rows"))
    if equal_values is not None:
        values = values.unionByName(equal_values)

    def rows_if(condition: Value) -> Value:
        return F.sum(F.when(condition, F.col("rows")).otherwise(0))

    counted = (
        values.groupBy("side", "number", "value")
        .agg(
            F.sum("rows").alias("all_rows"),
            rows_if(F.col("kind").isin("changed", "equal")).alias("paired_rows"),
            *(rows_if(F.col("kind") == kind).alias(kind) for kind in kinds),
        )
        .withColumn("value", cut(F.col("value")))
    )
    found = []
    for row in counted.collect():
        for kind in (kind for kind in kinds if _SIDES[kind] == row["side"]):
            all_rows = row["paired_rows" if kind == "changed" else "all_rows"]
            value = names[row["number"]], row["value"]
            found.append(weighed(kind, *value, row[kind], counts[kind], all_rows, populations[kind]))
    return strongest(found, kinds)


def strongest(found: Iterable[Concentration | None], kinds: Iterable[str]) -> list[Concentration]:
    """What is worth reporting of each kind, the largest effect first."""
    ordered = sorted(filter(None, found), key=lambda each: (-each.effect, each.column, each.value or ""))
    return [each for kind in kinds for each in [one for one in ordered if one.kind == kind][:MOST_REPORTED]]


def weighed(
    kind: str, column: str, value: str | None, rows: int, of: int, all_rows: int, of_all: int
) -> Concentration | None:
    """Describe a value that ``rows`` of ``of`` differing rows have, and ``all_rows`` of ``of_all`` rows.

    None if too few rows have it, if the effect is small, or if it may be chance.
    """
    if min(rows, of_all - of) < LEAST_ROWS:
        return None
    share, all_share = rows / of, all_rows / of_all
    is_frequent = share >= LEAST_LIFT * all_share or 1 - all_share >= LEAST_LIFT * (1 - share)
    expected = of * all_share
    deviation = math.sqrt(expected * (1 - all_share) * (of_all - of) / (of_all - 1))
    if not is_frequent or rows - expected < LEAST_DEVIATIONS * deviation:
        return None
    others = (all_rows - rows) / (of_all - of)
    effect = 2 * math.asin(math.sqrt(share)) - 2 * math.asin(math.sqrt(others))
    if effect < LEAST_EFFECT:
        return None
    return Concentration(kind, column, value, rows, share, all_rows, all_share, share / all_share, effect)
