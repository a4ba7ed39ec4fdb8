"""The rows of two tables side by side. Columns are numbered: no name of a table's column gets into a query.

``k0``, ``k1``, ... are the key; ``old_rows``, ``new_rows`` how many rows each table has of it; ``old_2``, ``new_2``,
... the other columns; ``differs_2``, ... whether a compared one differs; ``kind`` is equal, changed, only_old or
only_new.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_

from pyspark.sql import Column as Value
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from deltawave.comparable import comparable
from deltawave.comparing.columns import EXACT, Column
from deltawave.differencing.contract import SIDES, Side

# How many characters of a value are shown.
MOST_CHARACTERS = 1000
# The share of a number that rounding explains: 1.01 - 1.0 is not above 0.01. A double has 15 digits, a float 6.
_ROUNDING, _ROUNDING_OF_FLOAT = 1e-15, 1e-6


def cell(column: Column, side: Side) -> str:
    """The name of its column of pairs."""
    return f"k{column.number}" if column.is_key else f"{side}_{column.number}"


def differs(column: Column) -> str:
    return f"differs_{column.number}"


def pairs(frames: Mapping[Side, DataFrame], columns: Sequence[Column]) -> DataFrame:
    """One row for each key, with the row of each table that has it: the first one if it has several."""
    keys = [cell(column, "old") for column in columns if column.is_key]
    old, new = (_rows(frames[side], side, columns) for side in SIDES)
    # Grouped, not joined: one sort is enough, and many rows with one key do not multiply.
    together = old.unionByName(new, allowMissingColumns=True).repartition(*keys)
    rows = [F.count(side).alias(f"{side}_rows") for side in SIDES]
    grouped = together.groupBy(*keys).agg(*rows, *(F.first(side, ignorenulls=True).alias(side) for side in SIDES))
    flat = grouped.select(*keys, "old_rows", "new_rows", "old.*", "new.*")
    in_both = (F.col("old_rows") > 0) & (F.col("new_rows") > 0)
    compared = [column for column in columns if column.is_compared]
    marked = flat.select("*", *((in_both & ~_is_equal(column)).alias(differs(column)) for column in compared))
    kind = (
        F.when(F.col("new_rows") == 0, "only_old")
        .when(F.col("old_rows") == 0, "only_new")
        .when(reduce(or_, (F.col(differs(column)) for column in compared), F.lit(False)), "changed")
        .otherwise("equal")
    )
    return marked.select("*", kind.alias("kind"))


def _rows(frame: DataFrame, side: Side, columns: Sequence[Column]) -> DataFrame:
    """A table's rows: the key, and the other columns in a struct, each in the type in which it is compared."""
    places = {name.lower(): place for place, name in enumerate(frame.columns)}

    def value(column: Column) -> Value:
        kind = column.types[side]
        found = F.expr(comparable(f"c{places[column.name.lower()]}", kind))
        is_same = kind.simpleString() == column.kind.simpleString()
        return (found if is_same else found.cast(column.kind)).alias(cell(column, side))

    own = [column for column in columns if side in column.types]
    others = [value(column) for column in own if not column.is_key]
    row = F.struct(F.lit(True).alias(f"in_{side}"), *others).alias(side)
    renamed = frame.toDF(*(f"c{place}" for place in range(len(frame.columns))))
    return renamed.select(*(value(column) for column in own if column.is_key), row)


def _is_equal(column: Column) -> Value:
    """Whether the values of both rows count as equal: null equals null, NaN NaN, and -0.0 0.0."""
    old, new = (F.col(cell(column, side)) for side in SIDES)
    if "ignore_blanks" in column.options:
        old, new = (F.trim(F.regexp_replace(value, r"(?U)\s+", " ")) for value in (old, new))
    if "ignore_case" in column.options:
        old, new = F.lower(old), F.lower(new)
    is_same = old.eqNullSafe(new)
    tolerance, relative = (column.options.get(option, 0.0) for option in ("tolerance", "relative_tolerance"))
    if not tolerance and not relative:
        return is_same
    one, other = old.cast("double"), new.cast("double")
    size = F.greatest(F.abs(one), F.abs(other))
    apart, rounding = F.abs(one - other), _ROUNDING
    if isinstance(column.kind, T.FloatType):
        rounding = _ROUNDING_OF_FLOAT
    elif isinstance(column.kind, EXACT):
        kind = T.LongType() if isinstance(column.kind, T.IntegralType) else column.kind
        apart, rounding = F.abs(F.try_subtract(old.cast(kind), new.cast(kind)).cast("double")), 0.0
    # A share of the value is a double, even of exact numbers.
    share = relative + max(rounding, _ROUNDING) if relative else rounding
    allowed = F.greatest(F.lit(tolerance) + size * rounding, size * share)
    # To Spark NaN is larger than infinity, and equal to itself: neither is near to a number.
    is_near = (apart < F.lit(float("inf"))) & (apart <= allowed)
    return is_same | F.coalesce(is_near, F.lit(False))


def shown(column: Column, side: Side) -> Value:
    """A column's values as texts."""
    return as_text(F.col(cell(column, side)), column.kind)


def as_text(value: Value, kind: T.DataType) -> Value:
    """A value of that type as a text for people; binary ones in hexadecimal digits."""
    return cut(F.hex(value) if isinstance(kind, T.BinaryType) else value.cast("string"))


def cut(text: Value) -> Value:
    """A text of at most ``MOST_CHARACTERS`` characters."""
    short = F.concat(F.left(text, F.lit(MOST_CHARACTERS - 1)), F.lit("…"))
    return F.when(F.length(text) > MOST_CHARACTERS, short).otherwise(text)


def texts(columns: Sequence[Column], side: Side) -> Value:
    """The values of some columns, as an array ``texts``."""
    return F.array(*(shown(column, side) for column in columns)).alias("texts")
