"""``mapInArrow`` for columns of any name."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from deltawave.differencing.in_place import Batches


def map_in_arrow(frame: DataFrame, work: Callable[[Batches], Batches], schema: StructType | str) -> DataFrame:
    """``frame.mapInArrow``, which takes a name with a dot for a field of a struct."""
    names = frame.columns

    def named(batches: Batches) -> Batches:
        return work(batch.rename_columns(names) for batch in batches)

    return frame.toDF(*(f"c{number}" for number in range(len(names)))).mapInArrow(named, schema)
