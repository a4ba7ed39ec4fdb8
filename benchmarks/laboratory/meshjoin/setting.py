"""A relation in the files that each method reads, and the memory to join a stream with it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deltawave.meshjoin.conditions import Equal
from deltawave.meshjoin.operator import MeshJoin
from deltawave.meshjoin.relation import PageFile
from laboratory.meshjoin.data import ROW, MeshData

_ROWS_AT_A_TIME = 10_000


@dataclass(frozen=True)
class Setting:
    """R in files in ``folder``, the stream's data, and the memory to join them in.

    ``direct``: R is read past the operating system's cache; otherwise it lies there.
    """

    data: MeshData
    folder: Path
    memory_bytes: int
    direct: bool

    @property
    def pages(self) -> Path:
        """R for MESHJOIN."""
        return self.folder / f"{self.page_bytes}.pages"

    @property
    def page_bytes(self) -> int:
        """Pages are small compared with the memory if they are part of it: two of them are in memory."""
        return max(1 << 14, min(1 << 20, self.memory_bytes // 12)) if self.direct else 1 << 20

    @property
    def index(self) -> Path:
        """R for lookups: a B-tree by the key, with the rows in its leaves."""
        return self.folder / "r.sqlite"

    @property
    def parquet(self) -> Path:
        """R for Spark."""
        return self.folder / "r.parquet"

    def write(self) -> None:
        """Write R, unless it is there."""
        if not self.pages.exists():
            self.data.write(self.pages, self.page_bytes)
        if not self.index.exists():
            write_index(self.index, self.data)
        if not self.parquet.exists():
            with pq.ParquetWriter(self.parquet, ROW) as file:
                for rows in self.data.relation():
                    file.write_batch(rows)

    def join(self, relation: PageFile, most_pages: int | None = None) -> MeshJoin:
        """The join of this stream."""
        return MeshJoin(relation, Equal.on("id"), self.data.tuple_schema, "inner", self.memory_bytes, most_pages)

    @property
    def window(self) -> int:
        """How many tuples MESHJOIN holds."""
        with PageFile(self.pages, self.direct) as relation:
            return self.join(relation).capacity(self.data.tuple_bytes)


def write_index(path: Path, data: MeshData) -> None:
    """Write R as a B-tree by its key, with the rows in the leaves."""
    order = np.argsort(data.keys, kind="stable")
    rows = pa.Table.from_batches(data.relation())
    with closing(sqlite3.connect(path)) as index:
        index.execute("pragma journal_mode = off")
        index.execute("pragma synchronous = off")
        if data.relation_skew is None:
            index.execute("create table r (id integer primary key, skey integer, name text)")
        else:
            index.execute("create table r (id integer, skey integer, name text, primary key (id, skey)) without rowid")
        for begin in range(0, len(order), _ROWS_AT_A_TIME):
            part = rows.take(pa.array(order[begin : begin + _ROWS_AT_A_TIME]))
            cells = (part.column(name).to_pylist() for name in ROW.names)
            index.executemany("insert into r values (?, ?, ?)", zip(*cells, strict=True))
        index.commit()


def forget(path: Path) -> None:
    """Drop a file's pages from the operating system's cache."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(file)
