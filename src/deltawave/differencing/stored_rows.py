"""Rows of Parquet files as frames: of chosen row groups, or at chosen positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from deltawave.differencing.batches import plain
from deltawave.differencing.in_place import Batches, RowGroups
from deltawave.differencing.plain_scan import plain_row_groups
from deltawave.differencing.window import parallelism


@dataclass(frozen=True)
class StoredRows:
    """The rows of a plain frame of Parquet files, in these columns.

    The position of a row is its number in the order of the files. ``token``: Spark treats equal plans as the same, and
    would answer from the rows of earlier files.
    """

    frame: DataFrame
    groups: RowGroups
    schema: StructType

    @classmethod
    def of(cls, frame: DataFrame, names: Sequence[str]) -> StoredRows:
        """Raises ``NotInPlaceError`` if Spark has to read the frame."""
        fields = {field.name.lower(): field for field in frame.schema.fields}
        schema = StructType([fields[name.lower()] for name in names])
        return cls(frame, plain_row_groups(frame).only(names), schema)

    @property
    def begins(self) -> npt.NDArray[np.int64]:
        """The position at which each row group begins, and the one after the last."""
        return np.cumsum([0, *self.groups.rows], dtype=np.int64)

    def of_groups(self, numbers: Sequence[int]) -> DataFrame:
        """The rows of these row groups."""
        ids = self.frame.sparkSession.range(0, len(numbers), 1, max(1, len(numbers)))
        return ids.mapInArrow(
            _OfGroups(self.groups, tuple(numbers), nullable_schema(self.schema), uuid4().hex), self.schema
        )

    def at(self, positions: DataFrame) -> DataFrame:
        """The rows at these positions: ``position`` and ``row_group``. Other row groups are not read."""
        reader = _At(self.groups, nullable_schema(self.schema), uuid4().hex)
        tasks = min(self.groups.tasks, parallelism(positions.sparkSession))
        return positions.repartitionById(tasks, "row_group").select("position").mapInArrow(reader, self.schema)


def nullable_schema(schema: StructType) -> pa.Schema:
    """A schema in Arrow's types. Timestamps are in UTC, whatever the session's zone is."""
    return pa.schema([field.with_nullable(True) for field in to_arrow_schema(schema)])


@dataclass(frozen=True)
class _OfGroups:
    groups: RowGroups
    numbers: tuple[int, ...]
    schema: pa.Schema
    token: str

    def __call__(self, batches: Batches) -> Batches:
        for place in (place for batch in batches for place in batch.column(0).to_pylist()):
            for rows in self.groups.read([self.numbers[place]]):
                yield _typed(rows, self.schema)


@dataclass(frozen=True)
class _At:
    groups: RowGroups
    schema: pa.Schema
    token: str

    def __call__(self, batches: Batches) -> Batches:
        parts = [batch.column(0).to_numpy() for batch in batches]
        positions = np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *parts]))
        begins = np.cumsum([0, *self.groups.rows], dtype=np.int64)
        for number in np.unique(np.searchsorted(begins, positions, side="right") - 1).tolist():
            begin = int(begins[number])
            for rows in self.groups.read([number]):
                first, last = np.searchsorted(positions, [begin, begin + rows.num_rows])
                if first < last:
                    yield _typed(rows.take(pa.array(positions[first:last] - begin)), self.schema)
                begin += rows.num_rows


def _typed(rows: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    cells = [plain(cell).cast(field.type) for cell, field in zip(rows.columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(cells, schema.names)
