"""The relation R of MESHJOIN, on disk: pages that are read in a cycle (MJ08 3.1)."""

import json
import os
import sys
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltawave.meshjoin.batches import Places, Sizes, pieces, require_plain, row_sizes
from deltawave.rows.batches import joined
from deltawave.rows.hashing import Hashes, row_hashes

# Without a cache, disks read whole sectors, into memory that is aligned to them.
SECTOR = 4096

Part = tuple[int, int]
Room = npt.NDArray[np.uint8]
# A part, and where it comes when it is read. Unlike futures, these queues stand an interrupt at any time.
_Order = tuple[Part, "SimpleQueue[Room | Exception]"]


def in_sectors(size: int) -> int:
    """The size in bytes, rounded up to whole sectors."""
    return -(-size // SECTOR) * SECTOR


class DirectFile:
    """Parts of a file, each of which begins at a sector. Two of them are in memory.

    Another thread reads them, which a forked process does not have. Closed files can't be read: ``ValueError``.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._orders: SimpleQueue[_Order | None] = SimpleQueue()
        file = os.open(path, os.O_RDONLY | os.O_DIRECT)
        self._thread = Thread(target=_serve, args=(path, file, self._orders), daemon=True)
        self._thread.start()
        self._end = weakref.finalize(self, self._orders.put, None)
        self._ahead: _Order | None = None

    def read(self, part: Part, following: Part) -> Room:
        """Read a part from its begin to its end, and start reading the following part."""
        if not self._end.alive:
            raise ValueError(f"{self._path} is closed.")
        if self._ahead is None or self._ahead[0] != part:
            self.release()
            self._ahead = self._begin(part)
        # An interrupt may come between any two of these lines: then what was read ahead may be given up.
        (_, answer), self._ahead = self._ahead, None
        found = answer.get()
        if isinstance(found, Exception):
            raise found
        self._ahead = self._begin(following)
        return found

    def _begin(self, part: Part) -> _Order:
        order: _Order = part, SimpleQueue()
        self._orders.put(order)
        return order

    def release(self) -> None:
        """Give up the memory of what was read ahead."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            ahead[1].get()

    def close(self) -> None:
        self._end()
        self._thread.join()


def _serve(path: str | Path, file: int, orders: SimpleQueue[_Order | None]) -> None:
    """Read what is ordered, until nothing more will be; close the file."""
    try:
        while (order := orders.get()) is not None:
            order[1].put(_read(path, file, order[0]))
            # Nobody else may need its memory any more.
            del order
    finally:
        with suppress(OSError):
            os.close(file)


def _read(path: str | Path, file: int, part: Part) -> Room | Exception:
    begin, end = part
    done = 0
    try:
        room = _aligned(in_sectors(end - begin))
        while begin + done < end:
            read = os.preadv(file, [room.data[done:]], begin + done)
            if not read:
                raise OSError(f"{path} ends before its last page.")
            done += read
    except Exception as error:
        return error
    return room


def _aligned(size: int) -> Room:
    memory = np.empty(size + SECTOR, dtype=np.uint8)
    return memory[-memory.ctypes.data % SECTOR :][:size]


# Seeds of other hashes are in deltawave.differencing.signatures.
_SEED = 4
# Arrow's buffers begin at multiples of this.
_ALIGNMENT = 64
# Texts of one array take up to 2 GiB.
_LARGEST_PAGE = 1 << 30
# Changes with the format.
VERSION = 2
_MAGIC = f"deltawave pages {VERSION}".encode()


def key_hashes(rows: pa.RecordBatch, key: Sequence[str]) -> Hashes:
    """The hash of each row's key, by which it is looked up."""
    return row_hashes([rows.column(name) for name in key], _SEED, rows.num_rows)


@dataclass(frozen=True)
class Pages:
    """Consecutive pages: the rows of each, and the hashes of all keys."""

    parts: Sequence[pa.RecordBatch]
    hashes: Hashes

    @property
    def rows(self) -> pa.Table:
        return pa.Table.from_batches(self.parts)

    def take(self, places: Places, columns: Sequence[str]) -> list[pa.RecordBatch]:
        """Copies of these columns of the rows at these places, which ascend if there are several pages."""
        return [rows.take(pa.array(own)) for rows, own in self._parts(places, columns)]

    def sizes(self, places: Places, columns: Sequence[str]) -> Sizes:
        """The bytes of these columns of the rows at these places."""
        found = [row_sizes(rows, own) for rows, own in self._parts(places, columns)]
        return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)

    def known(self, columns: Sequence[str]) -> Places | None:
        """The places of rows without a null in these columns; none if these are all rows."""
        if not any(part.column(name).null_count for part in self.parts for name in columns):
            return None
        found = [np.array([part.column(name).is_valid() for name in columns]).all(axis=0) for part in self.parts]
        return np.flatnonzero(np.concatenate(found))

    def _parts(self, places: Places, columns: Sequence[str]) -> Iterator[tuple[pa.RecordBatch, Places]]:
        begins = np.cumsum([0, *(part.num_rows for part in self.parts)])
        bounds = np.searchsorted(places, begins).tolist() if len(self.parts) > 1 else [0, len(places)]
        for part, begin, (first, last) in zip(self.parts, begins[:-1], pairwise(bounds), strict=True):
            if first < last:
                yield part if part.num_columns == len(columns) else part.select(columns), places[first:last] - begin


class Relation:
    """Rows on pages. Without pages, as this one, it has no rows.

    - ``key``: the columns whose hashes are stored with the pages; none if there are no pages
    - ``row_counts``: how many rows each page has
    - ``page_bytes``: the memory of the largest page (v_P)
    - ``reads_ahead``: whether pages are read while others are processed
    """

    key: Sequence[str] | None = None
    reads_ahead = False
    row_counts: Sequence[int] = ()
    page_bytes = 0

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema

    @property
    def pages(self) -> int:
        """How many pages there are (N_R)."""
        return len(self.row_counts)

    def read(self, first: int, count: int) -> Pages:
        """Read consecutive pages; they are valid until others are read."""
        raise IndexError("The relation has no pages.")

    def release(self) -> None:
        """Give up the memory of pages that were read or are read ahead."""


class PageFile(Relation):
    """A file of pages as :func:`write_pages` writes it.

    ``direct``: read past the operating system's cache, in which a relation larger than the machine's memory does not
    fit. Otherwise the file is mapped into memory: its pages are in that cache, and only the hashes are copied.

    Raises ``FileNotFoundError``, and ``ValueError`` for another file.
    """

    def __init__(self, path: str | Path, direct: bool = False) -> None:
        with Path(path).open("rb") as file:
            file.seek(-min(SECTOR, os.fstat(file.fileno()).st_size), os.SEEK_END)
            end = file.read()
            if not end.endswith(_MAGIC):
                raise ValueError(f"{path} is no file of pages, or was not written to its end.")
            size = int.from_bytes(end[-len(_MAGIC) - 8 : -len(_MAGIC)], "little")
            file.seek(-len(_MAGIC) - 8 - size, os.SEEK_END)
            index = json.loads(file.read(size))
        super().__init__(pa.ipc.read_schema(pa.py_buffer(bytes.fromhex(index["schema"]))))
        self.key, self.row_counts = index["key"], index["row_counts"]
        self._places: list[tuple[int, int]] = [(begin, size) for begin, size in index["pages"]]
        # Two pages are in memory: one is read while the other is processed.
        in_memory = (2 * in_sectors(size) for _, size in self._places) if direct else map(_hash_bytes, self.row_counts)
        self.page_bytes = max(in_memory, default=0)
        self._direct = DirectFile(path) if direct else None
        self.reads_ahead = direct
        self._mapped: pa.Buffer | None = None
        if self.pages and not direct:
            with pa.memory_map(str(path)) as mapped:
                self._mapped = mapped.read_buffer()

    def read(self, first: int, count: int) -> Pages:
        places = self._places[first : first + count]
        begin = places[0][0]
        if self._direct is None:
            assert self._mapped is not None
            data = self._mapped.slice(begin)
        else:
            following = (first + count) % self.pages
            data = pa.py_buffer(self._direct.read(self._part(first, count), self._part(following, count)))
        hashes, parts = [], []
        for (at, size), rows in zip(places, self.row_counts[first : first + count], strict=True):
            hashes.append(np.frombuffer(data, dtype=np.uint64, count=rows, offset=at - begin))
            own = _hash_bytes(rows)
            parts.append(pa.ipc.read_record_batch(data.slice(at - begin + own, size - own), self.schema))
        return Pages(parts, np.concatenate(hashes) if len(hashes) > 1 else hashes[0])

    def release(self) -> None:
        if self._direct is not None:
            self._direct.release()

    def _part(self, first: int, count: int) -> tuple[int, int]:
        """The range of bytes of these pages in the file, up to the last one."""
        return self._places[first][0], sum(self._places[min(first + count, self.pages) - 1])

    def close(self) -> None:
        if self._direct is not None:
            self._direct.close()
        self._mapped = None

    def __enter__(self) -> "PageFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def require_key(relation: Relation, key: Sequence[str]) -> None:
    """Raise ``ValueError`` if the relation's hashes are not those of the columns that are compared for equality."""
    if relation.key is not None and list(relation.key) != list(key):
        stored = f"stored by the key {', '.join(relation.key)}" if relation.key else "stored without a key"
        raise ValueError(f"The relation is {stored}, and compared by {', '.join(key)}: store it by these columns.")


def write_pages(
    path: str | Path,
    rows: Iterable[pa.RecordBatch],
    schema: pa.Schema,
    *,
    key: Sequence[str],
    page_bytes: int = 1 << 20,
) -> int:
    """Write rows as pages of about ``page_bytes`` bytes, with the hashes of their keys; return the number of rows.

    Raises ``ValueError`` for pages of more than a GiB, and for types that Spark does not have.

    A page begins with the hashes, so that rows are looked up without decoding; then come the rows, as an Arrow message.
    The file gets its name when it is complete. Arrow's own file format does not show where its batches are, which
    reading past the operating system's cache needs.
    """
    if page_bytes > _LARGEST_PAGE:
        raise ValueError(f"Pages of {page_bytes:,} bytes are too large: take up to {_LARGEST_PAGE:,}.")
    require_plain(schema)
    places: list[tuple[int, int]] = []
    row_counts: list[int] = []
    partial = Path(f"{path}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as file:
            for part in joined(_pieces((batch.cast(schema) for batch in rows), page_bytes), page_bytes, sys.maxsize):
                hashes, data = key_hashes(part, key).tobytes(), part.serialize()
                size = _hash_bytes(part.num_rows) + data.size
                places.append((file.tell(), size))
                file.write(hashes.ljust(size - data.size, b"\0"))
                file.write(data)
                file.write(b"\0" * (-size % SECTOR))
                row_counts.append(part.num_rows)
            written = schema.serialize().to_pybytes().hex()
            index = {"schema": written, "key": list(key), "pages": places, "row_counts": row_counts}
            data = json.dumps(index).encode()
            file.write(data + len(data).to_bytes(8, "little") + _MAGIC)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return sum(row_counts)


def _hash_bytes(rows: int) -> int:
    """The bytes of the hashes of this many rows at the beginning of a page."""
    return -(-8 * rows // _ALIGNMENT) * _ALIGNMENT


def _pieces(rows: Iterable[pa.RecordBatch], most_bytes: int) -> Iterator[pa.RecordBatch]:
    for batch in rows:
        for begin, end in pieces(row_sizes(batch, np.arange(batch.num_rows)), most_bytes):
            yield batch.slice(begin, end - begin)
