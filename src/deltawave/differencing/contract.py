"""The delta contract: pairs of rows with equal keys become inserts, deletes and updates, by Spark's own comparison.

See docs/python_strategies.md for the columns of a result.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType

from deltawave.sides import SIDES, Side
from deltawave.sql_text import quoted

Columns = Sequence[dict[str, Any]]
# What a comparison takes unless another size is given.
MEMORY_BYTES = 1 << 30


@dataclass(frozen=True)
class Contract:
    """What is compared, by which key, and what is returned.

    - ``columns``: the log's, as mappings
    - ``before_image``: whether a result includes the values before an update
    """

    unique_key: Sequence[str]
    columns: Columns
    before_image: bool

    def names(self, side: Side) -> list[str]:
        """The columns that this side has."""
        return [column["name"] for column in self.columns if column[f"in_{side}"]]

    @property
    def compared(self) -> list[str]:
        """The columns that are compared."""
        return [column["name"] for column in self.columns if column["is_compared"]]

    def side(self, frame: DataFrame, side: Side) -> DataFrame:
        """One side for ``changes``: its cells and their compared values, under names that no column has.

        Columns of the frame that do not belong to the side stay.
        """
        own = [(number, column) for number, column in enumerate(self.columns) if column[f"in_{side}"]]
        known = {column["name"].lower() for _, column in own}
        cells = [F.col(quoted(column["name"])).alias(_cell_name(side, number)) for number, column in own]
        compared = [
            F.expr(column["comparable"]).alias(_cell_name(side, number, "compared"))
            for number, column in own
            if column["is_compared"]
        ]
        others = [F.col(quoted(name)) for name in frame.columns if name.lower() not in known]
        return frame.select(*others, *cells, *compared)

    def same_key(self) -> Column:
        """Whether both sides have the same key: null matches null."""
        places = {column["name"]: number for number, column in enumerate(self.columns)}
        numbers = [places[name] for name in self.unique_key]
        return all_same((F.col(_cell_name("old", at)), F.col(_cell_name("new", at))) for at in numbers)

    def outer_join(
        self, old: DataFrame, new: DataFrame, hint: str | None = None, condition: Column | None = None
    ) -> DataFrame:
        """The rows that differ, by Spark's full outer join.

        ``hint``: Spark's, for the join (LG96 3.1: ``merge`` or ``shuffle_hash``). ``condition``: by default equal keys.
        """
        old, new = (
            self.side(frame.select(*map(quoted, self.names(side))), side).withColumn(f"__in_{side}", F.lit(True))
            for side, frame in zip(SIDES, (old, new), strict=True)
        )
        pairs = (old.hint(hint) if hint else old).join(new, self.same_key() if condition is None else condition, "full")
        return self.changes(pairs, F.col("__in_old").isNotNull(), F.col("__in_new").isNotNull())

    def changes(self, pairs: DataFrame, in_old: Column, in_new: Column) -> DataFrame:
        """The changes among pairs of rows. ``in_old``, ``in_new``: whether a pair has an old, a new row."""
        is_both = in_old & in_new
        differs = {
            column["name"]: ~_is_equal(number, column["tolerance"])
            for number, column in enumerate(self.columns)
            if column["is_compared"]
        }
        rows = [
            F.when(in_new, _cell("new", number, column)).otherwise(_cell("old", number, column)).alias(column["name"])
            for number, column in enumerate(self.columns)
        ]
        before = [
            F.when(in_new, _cell("old", number, column)).alias(f"before__{column['name']}")
            for number, column in enumerate(self.columns)
            if self.before_image and not column["is_key"]
        ]
        change_type = F.when(~in_old, "insert").when(~in_new, "delete").otherwise("update").alias("change_type")
        changed = F.array(*(F.when(is_other, F.lit(name)) for name, is_other in differs.items())).cast("array<string>")
        changed_columns = F.when(is_both, F.array_compact(changed)).alias("changed_columns")
        differing = pairs.where(reduce(or_, differs.values(), ~is_both))
        return differing.select(*rows, *before, change_type, changed_columns)


def flagged_schema(rows: StructType) -> StructType:
    """Of rows that differ from a previous state: whether it has their key, and whether the new snapshot does."""
    fields = [StructField(field.name, field.dataType) for field in rows.fields]
    return StructType(fields).add("was_kept", "boolean").add("is_there", "boolean")


def schema_of_pairs(rows: StructType, before: Iterable[StructField]) -> StructType:
    """Of the same rows with previous ones of these columns, and how these were changed; null where there are none."""
    fields = [StructField(f"before__{field.name}", field.dataType) for field in before]
    return StructType([*flagged_schema(rows).add("_change_type", "string").fields, *fields])


def all_same(pairs: Iterable[tuple[Column, Column]]) -> Column:
    """Whether these columns are equal, pairwise: null equals null."""
    return reduce(and_, (one.eqNullSafe(other) for one, other in pairs))


def _cell_name(side: Side, number: int, of: str = "cell") -> str:
    # No column of a log begins like this.
    return f"__{of}_{side}_{number}"


def _cell(side: Side, number: int, column: dict[str, Any]) -> Column:
    if column[f"in_{side}"]:
        return F.col(_cell_name(side, number))
    return F.lit(None).cast(column["data_type"])


def _is_equal(number: int, tolerance: float | None) -> Column:
    old, new = (F.col(_cell_name(side, number, "compared")) for side in SIDES)
    equal = old.eqNullSafe(new)
    if tolerance is None:
        return equal
    old, new = (F.col(_cell_name(side, number)).cast("double") for side in SIDES)
    return equal | F.coalesce(F.abs(old - new) <= tolerance, F.lit(False))
