"""The relation R of MESHJOIN, on disk: pages that are read one after the other, over and over (MJ08 3.1)."""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deltawave.differencing.hashing import Hashes, row_hashes

# Seeds of other hashes are in deltawave.differencing.signatures.
_SEED = 4
# Disks read whole sectors where nothing is cached.
_SECTOR = 4096
_MAGIC = b"deltawave pages 1"


def key_hashes(rows: pa.RecordBatch, key: Sequence[str]) -> Hashes:
    """The hash of each row's key, by which it is looked for."""
    return row_hashes([rows.column(name) for name in key], _SEED, rows.num_rows)


@dataclass(frozen=True)
class Pages:
    """Rows of pages that follow each other, and the hashes of their keys where they are stored."""

    rows: pa.Table
    hashes: Hashes | None = None


class Relation(Protocol):
    """``row_counts``: how many rows each page has. ``page_bytes``: of the largest page in memory (v_P)."""

    schema: pa.Schema
    row_counts: Sequence[int]
    page_bytes: int

    @property
    def pages(self) -> int:
        """How many pages there are (N_R)."""
        ...

    def read(self, first: int, count: int) -> Pages:
        """Read pages that follow each other; they are valid until others are read."""
        ...


class EmptyRelation:
    """A relation without rows."""

    pages = 0
    page_bytes = 0
    row_counts: Sequence[int] = ()

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema

    def read(self, first: int, count: int) -> Pages:
        """Never called: there is no page."""
        return Pages(self.schema.empty_table())


class ParquetPages:
    """Parquet files, whose row groups are the pages. Raises ``FileNotFoundError`` if there are none."""

    def __init__(self, files: Sequence[str | Path]) -> None:
        if not files:
            raise FileNotFoundError("The relation has no files.")
        self._files = [pq.ParquetFile(file, memory_map=True) for file in files]
        self.schema: pa.Schema = self._files[0].schema_arrow.remove_metadata()
        self._groups = [
            (file, group)
            for file in self._files
            for group in range(file.num_row_groups)
            if file.metadata.row_group(group).num_rows
        ]
        sizes = [file.metadata.row_group(group) for file, group in self._groups]
        self.row_counts: Sequence[int] = [size.num_rows for size in sizes]
        # Values that repeat themselves take more bytes than they are stored in: all pages decode like the first one.
        largest = max((size.total_byte_size for size in sizes), default=0)
        growth = max(1.0, self.read(0, 1).rows.nbytes / sizes[0].total_byte_size) if sizes else 1.0
        self.page_bytes = int(largest * growth)

    @property
    def pages(self) -> int:
        """How many pages there are (N_R)."""
        return len(self.row_counts)

    def read(self, first: int, count: int) -> Pages:
        """Decode row groups."""
        found = [file.read_row_group(group, use_threads=False) for file, group in self._groups[first : first + count]]
        return Pages(pa.concat_tables([rows.cast(self.schema) for rows in found]))


class PageFile:
    """A file of pages as :func:`write_pages` writes it.

    ``direct``: past the operating system's cache, which a relation that is larger than the machine's memory does not
    fit. Otherwise the file is mapped into memory, and a page takes nothing until its values are looked at.

    Raises ``FileNotFoundError``, and ``ValueError`` for another file.
    """

    def __init__(self, path: str | Path, direct: bool = False) -> None:
        with Path(path).open("rb") as file:
            file.seek(-min(_SECTOR, os.fstat(file.fileno()).st_size), os.SEEK_END)
            end = file.read()
            if not end.endswith(_MAGIC):
                raise ValueError(f"{path} is no file of pages, or was not written to its end.")
            size = int.from_bytes(end[-len(_MAGIC) - 8 : -len(_MAGIC)], "little")
            file.seek(-len(_MAGIC) - 8 - size, os.SEEK_END)
            index = json.loads(file.read(size))
        self.schema: pa.Schema = pa.ipc.read_schema(pa.py_buffer(bytes.fromhex(index["schema"])))
        self._stored: pa.Schema = pa.ipc.read_schema(pa.py_buffer(bytes.fromhex(index["stored"])))
        self._places: list[tuple[int, int]] = [(begin, size) for begin, size in index["pages"]]
        self.row_counts: Sequence[int] = index["row_counts"]
        self.page_bytes = max((-(-size // _SECTOR) * _SECTOR for _, size in self._places), default=0)
        flags = os.O_RDONLY | (os.O_DIRECT if direct else 0)
        self._file = os.open(path, flags)
        # Where the operating system's cache is left out, memory begins at a sector, too, as a page does in the file.
        self._room = mmap.mmap(-1, max(self.page_bytes, _SECTOR)) if direct else None
        self._mapped = pa.memory_map(str(path)) if self.pages and not direct else None

    @property
    def pages(self) -> int:
        """How many pages there are (N_R)."""
        return len(self.row_counts)

    def read(self, first: int, count: int) -> Pages:
        """Read pages, in one piece."""
        places = self._places[first : first + count]
        begin, end = places[0][0], sum(places[-1])
        data = self._read_mapped(begin, end) if self._room is None else self._read_direct(begin, end)
        held = [pa.ipc.read_record_batch(data.slice(at - begin, size), self._stored) for at, size in places]
        hashes = [batch.column(0).to_numpy() for batch in held]
        rows = [pa.RecordBatch.from_arrays(batch.columns[1:], schema=self.schema) for batch in held]
        return Pages(pa.Table.from_batches(rows), np.concatenate(hashes) if len(hashes) > 1 else hashes[0])

    def _read_mapped(self, begin: int, end: int) -> pa.Buffer:
        assert self._mapped is not None
        self._mapped.seek(begin)
        return self._mapped.read_buffer(end - begin)

    def _read_direct(self, begin: int, end: int) -> pa.Buffer:
        assert self._room is not None
        wanted = -(-(end - begin) // _SECTOR) * _SECTOR
        if len(self._room) < wanted:
            self._room = mmap.mmap(-1, wanted)
        room = memoryview(self._room)[:wanted]
        done = 0
        while begin + done < end:
            read = os.preadv(self._file, [room[done:]], begin + done)
            if not read:
                raise OSError("The relation's file ends before its last page.")
            done += read
        return pa.py_buffer(room)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def __enter__(self) -> PageFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def write_pages(
    path: str | Path,
    rows: Iterable[pa.RecordBatch],
    schema: pa.Schema,
    *,
    key: Sequence[str],
    page_bytes: int = 1 << 20,
) -> int:
    """Write rows as pages of about so many bytes, with the hashes of their keys; return how many rows there are.

    The file takes its name when it is complete. Arrow's own file format does not tell where its batches lie, which
    reading past the operating system's cache needs.
    """
    schema = schema.remove_metadata()
    stored = pa.schema([pa.field("", pa.uint64()), *schema])
    places: list[tuple[int, int]] = []
    row_counts: list[int] = []
    partial = Path(f"{path}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as file:
            for part in _pages(rows, schema, page_bytes):
                hashes = pa.array(key_hashes(part, key))
                data = pa.RecordBatch.from_arrays([hashes, *part.columns], schema=stored).serialize()
                places.append((file.tell(), data.size))
                file.write(data)
                file.write(b"\0" * (-data.size % _SECTOR))
                row_counts.append(part.num_rows)
            index = json.dumps(
                {
                    "schema": schema.serialize().to_pybytes().hex(),
                    "stored": stored.serialize().to_pybytes().hex(),
                    "key": list(key),
                    "pages": places,
                    "row_counts": row_counts,
                }
            ).encode()
            file.write(index + len(index).to_bytes(8, "little") + _MAGIC)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return sum(row_counts)


def _pages(rows: Iterable[pa.RecordBatch], schema: pa.Schema, page_bytes: int) -> Iterator[pa.RecordBatch]:
    """The same rows in batches of about so many bytes."""
    waiting: list[pa.RecordBatch] = []
    size = 0
    for batch in rows:
        row_bytes = max(1, batch.nbytes // max(1, batch.num_rows))
        step = max(1, page_bytes // row_bytes)
        for begin in range(0, batch.num_rows, step):
            part = batch.slice(begin, step)
            if size and size + part.nbytes > page_bytes:
                yield _joined(waiting, schema)
                waiting, size = [], 0
            waiting.append(part)
            size += part.nbytes
    if waiting:
        yield _joined(waiting, schema)


def _joined(parts: list[pa.RecordBatch], schema: pa.Schema) -> pa.RecordBatch:
    joined = pa.Table.from_batches([part.cast(schema) for part in parts], schema).combine_chunks()
    return joined.to_batches()[0]
