"""A strategy that compares in Python, for tests: one full outer join, in DataFrames alone."""

from functools import reduce
from operator import and_, or_
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

DOTTED_PATH = f"{__name__}.compare"


def compare(
    old: DataFrame,
    new: DataFrame,
    *,
    unique_key: list[str],
    columns: list[dict[str, Any]],
    before_image: bool,
) -> DataFrame:
    """Return the rows that differ, as docs/python_strategies.md has it."""
    place = {column["name"]: number for number, column in enumerate(columns)}
    same_key = [F.col(f"old_{place[key]}").eqNullSafe(F.col(f"new_{place[key]}")) for key in unique_key]
    differs = {
        column["name"]: ~_is_equal(number, column["tolerance"])
        for number, column in enumerate(columns)
        if column["is_compared"]
    }
    is_insert, is_delete = F.col("in_old").isNull(), F.col("in_new").isNull()
    both = _side("old", old, columns).join(_side("new", new, columns), reduce(and_, same_key), "full")

    rows = [
        F.when(is_delete, _cell("old", number, column)).otherwise(_cell("new", number, column)).alias(column["name"])
        for number, column in enumerate(columns)
    ]
    before = [
        F.when(~is_delete, _cell("old", number, column)).alias(f"before__{column['name']}")
        for number, column in enumerate(columns)
        if before_image and not column["is_key"]
    ]
    change_type = F.when(is_insert, "insert").when(is_delete, "delete").otherwise("update").alias("change_type")
    changed = F.array(*(F.when(is_other, F.lit(name)) for name, is_other in differs.items())).cast("array<string>")
    changed_columns = F.when(~(is_insert | is_delete), F.array_compact(changed)).alias("changed_columns")
    differing = both.where(reduce(or_, differs.values(), is_insert | is_delete))
    return differing.select(*rows, *before, change_type, changed_columns)


def _side(side: str, frame: DataFrame, columns: list[dict[str, Any]]) -> DataFrame:
    """One side with columns that are numbered, what is compared of them, and one that tells that a row is there."""
    numbered = [(number, column) for number, column in enumerate(columns) if column[f"in_{side}"]]
    return frame.select(
        *(F.col(_quoted(column["name"])).alias(f"{side}_{number}") for number, column in numbered),
        *(
            F.expr(column["comparable"]).alias(f"{side}_compared_{number}")
            for number, column in numbered
            if column["is_compared"]
        ),
        F.lit(True).alias(f"in_{side}"),
    )


def _cell(side: str, number: int, column: dict[str, Any]) -> Column:
    if column[f"in_{side}"]:
        return F.col(f"{side}_{number}")
    return F.expr(f"cast(null as {column['data_type']})")


def _is_equal(number: int, tolerance: float | None) -> Column:
    equal = F.col(f"old_compared_{number}").eqNullSafe(F.col(f"new_compared_{number}"))
    if tolerance is None:
        return equal
    distance = F.abs(F.col(f"old_{number}").cast("double") - F.col(f"new_{number}").cast("double"))
    return equal | F.coalesce(distance <= tolerance, F.lit(False))


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
