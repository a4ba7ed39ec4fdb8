"""The hash table of the kept rows, written and mapped into memory by the tasks of one machine (LG96 3.1, PHC1)."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
from pyspark import SparkFiles, TaskContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from deltawave.differencing.batches import Batches
from deltawave.differencing.compression import KEPT, Compared, old_side, patch_parts
from deltawave.differencing.hash_table import HashTable, Layout
from deltawave.differencing.in_place import NotInPlaceError, map_row_groups, map_rows
from deltawave.differencing.signatures import Signatures
from deltawave.differencing.stored_rows import plain_row_groups

_COUNTED = "segment int, count bigint, attempt bigint"


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
    def of(cls, kept: DataFrame, patches: DataFrame | None, compared: Compared) -> SharedTable:
        """Write the table of the kept rows, with the changes since."""
        session, name = kept.sparkSession, f"deltawave-{uuid4().hex}"
        known = kept.agg(F.max("segments"), F.max("rows"), F.collect_set("segment")).collect()[0]
        segments, largest, there = known[0] or 1, known[1] or 0, set(known[2])
        try:
            patched = _Patches.written(name, patches, compared, segments) if patches is not None else _Patches()
            table = cls(name, Layout.of(segments, largest + max(patched.counts.values(), default=0)))
            pieces = kept.select("segment", "entries")
            while (needed := table._filled(pieces, there, patched)) > table.layout.size:
                table = replace(table, layout=replace(table.layout, size=needed))
        except BaseException:
            cls(name, Layout.of(1, 0)).remove(session)
            raise
        return replace(table, has_rows=bool(there or patched.counts))

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

    def _filled(self, kept: DataFrame, there: Set[int], patched: _Patches) -> int:
        """Write all segments, existing (``there``) and new ones; return the size that the largest one needs."""
        attempts = patched.attempts

        def fill(batches: Batches) -> Batches:
            for batch in batches:
                for segment, entries in zip(batch.column(0).to_pylist(), batch.column(1), strict=True):
                    rows = _rows(self.name, segment, entries, attempts)
                    yield _counted(segment, self.layout.write(self._place(), segment, rows))

        session = kept.sparkSession
        try:
            # One row per segment.
            filled = map_row_groups(session, plain_row_groups(kept), fill, _COUNTED, batch_rows=1)
        except NotInPlaceError:
            filled = kept.mapInArrow(fill, _COUNTED)
        if new := patched.counts.keys() - there:
            others = session.createDataFrame([(segment, None) for segment in new], "segment int, entries binary")
            filled = filled.unionByName(others.mapInArrow(fill, _COUNTED))
        return max((row["count"] for row in filled.collect()), default=0)


def _folder(name: str) -> Path:
    return Path(SparkFiles.getRootDirectory(), name)


def _rows(name: str, segment: int, entries: pa.Scalar, attempts: Set[int]) -> Signatures:
    """The rows of a segment: the kept ones, if there are any, with the changes since."""
    parts = {KEPT: Signatures.from_bytes(entries.as_buffer())} if entries.is_valid else {}
    for folder in (_folder(name) / "patches" / f"{segment}").glob("*"):
        files = [file for file in folder.iterdir() if int(file.name.partition("_")[0]) in attempts]
        if files:
            written = [Signatures.from_bytes(pa.memory_map(str(file)).read_buffer()) for file in files]
            parts[int(folder.name)] = Signatures.concat(written).sorted(are_runs=True)
    return old_side(parts)


@dataclass(frozen=True)
class _Patches:
    """The changes since, in files for the tasks that write the table.

    - ``counts``: how many changed rows each segment has
    - ``attempts``: the task attempts that completed; files of others are ignored
    """

    counts: Mapping[int, int] = field(default_factory=dict)
    attempts: frozenset[int] = frozenset()

    @classmethod
    def written(cls, name: str, patches: DataFrame, compared: Compared, segments: int) -> _Patches:
        def write(batches: Batches) -> Batches:
            context = TaskContext.get()
            assert context is not None
            attempt = context.taskAttemptId()
            for number, (kind, part) in enumerate(patch_parts(batches, len(compared.key))):
                for segment, piece in part.segments(segments):
                    folder = _folder(name) / "patches" / f"{segment}" / f"{kind}"
                    folder.mkdir(parents=True, exist_ok=True)
                    (folder / f"{attempt}_{number}").write_bytes(piece.to_bytes())
                    yield _counted(segment, len(piece), attempt)

        found = map_rows(patches, compared.patch_cells(), write, _COUNTED).collect()
        counts: Counter[int] = Counter()
        for row in found:
            counts[row.segment] += row["count"]
        return cls(counts, frozenset(row.attempt for row in found))


def _counted(segment: int, count: int, attempt: int = 0) -> pa.RecordBatch:
    cells = [pa.array([segment], pa.int32()), pa.array([count], pa.int64()), pa.array([attempt], pa.int64())]
    return pa.RecordBatch.from_arrays(cells, ["segment", "count", "attempt"])
