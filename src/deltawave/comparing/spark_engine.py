"""Tables of a Spark session, compared by Spark."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import reduce
from operator import or_
from typing import Any
from uuid import uuid4

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from deltawave.comparable import comparable, fields_of
from deltawave.comparing.columns import Column, compared, keys_of
from deltawave.comparing.dialects import SparkDialect
from deltawave.comparing.engine import Engine
from deltawave.comparing.equality import cell, differs, is_equal
from deltawave.comparing.kinds import Kind, array, map_of, struct
from deltawave.resources import persisted, releasing
from deltawave.sides import SIDES, Side


def kind_of(type_: T.DataType) -> Kind:
    if isinstance(type_, T.ArrayType):
        return array(kind_of(type_.elementType))
    if isinstance(type_, T.MapType):
        return map_of(kind_of(type_.keyType), kind_of(type_.valueType))
    if isinstance(type_, T.StructType):
        return struct((each.name, kind_of(each.dataType)) for each in type_.fields)
    return Kind(type_.simpleString())


class SparkEngine(Engine):
    """Use it in a ``with`` block, which drops its temporary views. Pairs are cached meanwhile."""

    dialect = SparkDialect()

    def __init__(self, frames: Mapping[Side, DataFrame]) -> None:
        own = {side: fields_of(f"{side} table", frame) for side, frame in frames.items()}
        self.fields = {side: {each.name: kind_of(each.dataType) for each in own[side].values()} for side in SIDES}
        self._values = {
            side: [comparable(f"c{place}", each.dataType) for place, each in enumerate(own[side].values())]
            for side in SIDES
        }
        self._session = frames["old"].sparkSession
        self._open = ExitStack()
        self._tables = {
            side: self._named(frame.toDF(*(f"c{place}" for place in range(len(frame.columns)))))
            for side, frame in frames.items()
        }

    def __enter__(self) -> "SparkEngine":
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def rows(self, select: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self._session.sql(select).collect()]

    def table(self, side: Side) -> str:
        return self._tables[side]

    def values(self, side: Side) -> list[str]:
        return self._values[side]

    def read(self) -> None:
        """A session's tables stay where they are."""

    def pair(self, columns: Sequence[Column]) -> None:
        """One row for each key, with the row of each table that has it: the first one if it has several."""
        keys = [cell(column, "old") for column in keys_of(columns)]
        old, new = (self._rows(columns, side) for side in SIDES)
        # Grouped, not joined: one sort is enough, and many rows with one key do not multiply.
        together = old.unionByName(new, allowMissingColumns=True).repartition(*keys)
        rows = [F.count(side).alias(f"{side}_rows") for side in SIDES]
        grouped = together.groupBy(*keys).agg(*rows, *(F.first(side, ignorenulls=True).alias(side) for side in SIDES))
        flat = grouped.select(*keys, "old_rows", "new_rows", "old.*", "new.*")
        in_both = (F.col("old_rows") > 0) & (F.col("new_rows") > 0)
        marks = [
            (in_both & ~F.expr(is_equal(column, self.dialect))).alias(differs(column)) for column in compared(columns)
        ]
        kind = (
            F.when(F.col("new_rows") == 0, "only_old")
            .when(F.col("old_rows") == 0, "only_new")
            .when(reduce(or_, (F.col(differs(column)) for column in compared(columns)), F.lit(False)), "changed")
            .otherwise("equal")
        )
        paired = flat.select("*", *marks).select("*", kind.alias("kind"))
        self.pairs = self._named(self._open.enter_context(releasing(persisted(paired))))

    def _rows(self, columns: Sequence[Column], side: Side) -> DataFrame:
        """A table's rows: the key, and the other cells in a struct."""
        found = self._session.sql(self.source(columns, side))
        keys = [cell(column, side) for column in keys_of(columns)]
        others = [name for name in found.columns if name not in keys]
        return found.select(*keys, F.struct(F.lit(True).alias(f"in_{side}"), *others).alias(side))

    def counted(self, columns: Sequence[Column]) -> dict[Side, tuple[int, int]]:
        counts = ", ".join(f"count_if({side}_rows > 0), count_if({side}_rows > 1)" for side in SIDES)
        ((old, old_repeated, new, new_repeated),) = self.rows(f"select {counts} from {self.pairs}")
        return {"old": (old, old_repeated), "new": (new, new_repeated)}

    def repeated(self, side: Side, columns: Sequence[Column]) -> str:
        return f"(select * from {self.pairs} where {side}_rows > 1)"

    def cells(self, side: Side) -> str:
        return f"(select * from {self.pairs} where {side}_rows > 0)"

    def matched(self) -> str:
        return f"(select * from {self.pairs} where old_rows > 0 and new_rows > 0)"

    def estimated_values(self, columns: Sequence[Column]) -> dict[int, int]:
        # A smaller error takes Spark long to prepare, for many columns.
        counts = [f"approx_count_distinct({cell(column, side)}, 0.15D)" for column in columns for side in SIDES]
        (found,) = self.rows(f"select {', '.join(counts)} from {self.pairs}")
        return {column.number: max(found[2 * place : 2 * place + 2]) for place, column in enumerate(columns)}

    def _named(self, frame: DataFrame) -> str:
        name = f"deltawave_{uuid4().hex}"
        frame.createOrReplaceTempView(name)
        self._open.callback(self._session.catalog.dropTempView, name)
        return name
