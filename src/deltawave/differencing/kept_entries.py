"""The kept rows of a segment, read from the files that hold them by the task that merges the segment.

They need not be exchanged: for each segment its number and the place of its entries are enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession

from deltawave.differencing.in_place import Batches, NotInPlaceError, RowGroups, map_row_groups
from deltawave.differencing.plain_scan import plain_row_groups
from deltawave.differencing.signatures import Signatures

_PLACES = "segment int, segments int, row_group int, row int"


@dataclass(frozen=True)
class KeptEntries:
    """``places``: for each segment the row group that holds its entries, and the row in it."""

    groups: RowGroups
    places: Mapping[int, tuple[int, int]]

    @classmethod
    def of(cls, kept: DataFrame, segments: int) -> KeptEntries | None:
        """From what ``kept_hashes`` returned; none if Spark has to read it, or its segments differ."""
        try:
            groups = plain_row_groups(kept)
        except NotInPlaceError:
            return None

        def tell(batches: Batches) -> Batches:
            context = TaskContext.get()
            assert context is not None
            first = 0
            for batch in batches:
                own = [pa.array([context.partitionId()] * batch.num_rows, pa.int32())]
                own.append(pa.array(range(first, first + batch.num_rows), pa.int32()))
                first += batch.num_rows
                yield pa.RecordBatch.from_arrays([*batch.columns, *own], ["segment", "segments", "row_group", "row"])

        # A task reads a row group.
        named = groups.only(["segment", "segments"])
        found = map_row_groups(kept.sparkSession, named, tell, _PLACES).collect() if groups.groups else []
        places = {row.segment: (row.row_group, row.row) for row in found}
        if len(places) < len(found) or any(row.segments != segments for row in found):
            return None
        return cls(groups.only(["entries"]), places)

    def markers(self, session: SparkSession, kind: int, pieces: str) -> DataFrame:
        """A piece without entries for each segment."""
        return session.createDataFrame([(segment, kind, None) for segment in self.places], pieces)

    def read(self, segment: int) -> Signatures:
        """The kept rows of a segment, in a task."""
        row_group, row = self.places[segment]
        batch = next(islice(self.groups.read([row_group], batch_rows=1), row, None))
        return Signatures.from_bytes(batch.column(0)[0].as_buffer())
