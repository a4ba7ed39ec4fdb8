"""The hash table of the kept rows, written and mapped into memory by the tasks of one machine (LG96 3.1, PHC1)."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
from pyspark import SparkFiles
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from deltawave.differencing.batches import Batches
from deltawave.differencing.compression import Compared, Stored, by_segment, merged, old_pieces, old_side, segments_of
from deltawave.differencing.hash_table import HashTable, Layout


@dataclass(frozen=True)
class SharedTable:
    """A table in a folder that is removed with the session.

    - ``name``: the folder's name
    - ``has_rows``: whether anything was written
    """

    name: str
    layout: Layout
    has_rows: bool = False

    @classmethod
    def of(cls, kept: DataFrame, patches: DataFrame | None, compared: Compared, rows: int) -> SharedTable:
        """Write the table of about so many ``rows``: the kept ones, with the changes since."""
        # With the segments of the kept rows, these need not be exchanged.
        segments, largest = kept.agg(F.max("segments"), F.max("rows")).collect()[0]
        segments = segments or segments_of(rows)
        largest = max(largest or 0, -(-rows // segments))
        table = cls(f"deltawave-{uuid4().hex}", Layout.of(segments, largest))
        try:
            pieces, stored = old_pieces(kept, patches, compared, segments)
            pieces = by_segment(pieces, segments)
            while (needed := table._filled(pieces, stored)) > table.layout.size:
                # Enough for as many rows, whatever their hashes are.
                layout = Layout.of(segments, needed)
                table = replace(table, layout=replace(layout, size=layout.room + needed))
        except BaseException:
            table.remove(kept.sparkSession)
            raise
        return replace(table, has_rows=needed > 0)

    def open(self) -> HashTable:
        """The table, in a task."""
        return HashTable(self._place() if self.has_rows else None, self.layout)

    def remove(self, session: SparkSession) -> None:
        """Remove its files."""
        name = self.name

        def remove(batches: Batches) -> Batches:
            shutil.rmtree(_folder(name), ignore_errors=True)
            yield from batches

        session.range(0, 1, 1, 1).mapInArrow(remove, "id bigint").collect()

    def _place(self) -> Path:
        # A table with another number of places has a folder of its own.
        return _folder(self.name) / f"{self.layout.size}"

    def _filled(self, pieces: DataFrame, stored: Stored | None) -> int:
        """Write all segments; return the size that the largest one needs, 0 without any."""

        def fill(batches: Batches) -> Batches:
            for segment, parts in merged(batches, stored=stored):
                needed = self.layout.write(self._place(), segment, old_side(parts))
                yield pa.RecordBatch.from_pydict({"needed": [needed]})

        return max((row.needed for row in pieces.mapInArrow(fill, "needed bigint").collect()), default=0)


def _folder(name: str) -> Path:
    return Path(SparkFiles.getRootDirectory(), name)
