"""Rows of Parquet files as frames: those of chosen row groups, or those at chosen positions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from deltawave.rows.batches import Batches, typed
from deltawave.rows.in_place import RowGroups, map_numbers, nullable_schema, parallelism


@dataclass(frozen=True)
class StoredRows:
    """The rows of a plain frame of Parquet files, in these columns.

    The position of a row is its number in the order of the files.
    """

    frame: DataFrame
    groups: RowGroups
    schema: StructType

    @classmethod
    def of(cls, frame: DataFrame, names: Sequence[str]) -> "StoredRows":
        """Raises ``NotInPlaceError`` if Spark has to read the frame."""
        fields = {field.name.lower(): field for field in frame.schema.fields}
        schema = StructType([fields[name.lower()] for name in names])
        return cls(frame, RowGroups.of(frame).only(names), schema)

    def of_groups(self, numbers: Sequence[int]) -> DataFrame:
        """The rows of these row groups."""
        groups, schema = subset(self.groups, numbers), nullable_schema(self.schema)

        def read(number: int) -> Batches:
            return (typed(rows.columns, schema) for rows in groups.read(number))

        return map_numbers(self.frame.sparkSession, len(numbers), read, self.schema)

    def at(self, positions: DataFrame) -> DataFrame:
        """The rows at these positions: ``position`` and ``row_group``. Other row groups are not read."""
        groups, schema = self.groups, nullable_schema(self.schema)

        def read(batches: Batches) -> Batches:
            wanted = np.sort(np.concatenate([groups.begins[:0], *(batch.column(0).to_numpy() for batch in batches)]))
            for number in np.unique(np.searchsorted(groups.begins, wanted, side="right") - 1).tolist():
                for begin, rows in groups.positioned(number):
                    first, last = np.searchsorted(wanted, [begin, begin + rows.num_rows])
                    if first < last:
                        yield typed(rows.take(pa.array(wanted[first:last] - begin)).columns, schema)

        tasks = min(max(1, len(groups.groups)), parallelism(positions.sparkSession))
        return positions.repartitionById(tasks, "row_group").select("position").mapInArrow(read, self.schema)


def subset(groups: RowGroups, numbers: Sequence[int]) -> RowGroups:
    """Only these row groups."""
    chosen, rows = tuple(groups.groups[number] for number in numbers), tuple(groups.rows[number] for number in numbers)
    return replace(groups, groups=chosen, rows=rows)
