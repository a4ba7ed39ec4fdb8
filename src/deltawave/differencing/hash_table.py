"""A hash table of a compressed snapshot in a file that tasks of one machine map into memory (LG96 3.1, PHC1).

Rows lie in the order of their key's hash, each at the place that its hash names or after it, as soon as there is room:
linear probing, except that all rows are known. So the table is written from sorted rows in one pass, a segment after
the other, and holds memory for one segment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltawave.differencing.hashing import Hashes
from deltawave.differencing.signatures import Checks, Places, Signatures, placed

# Places for each row: three for two rows.
_ROOM = 1.5
# No row has this hash: free places have it, and a row's hash is at most one less.
_FREE = np.uint64(0xFFFFFFFFFFFFFFFF)
# The files of the table, with what they hold at free places.
_LAID: dict[str, np.generic] = {"key_hash": _FREE, "row_hash": np.uint64(0), "key_check": np.uint32(0)}


def write_table(folder: Path, parts: Iterable[tuple[int, Signatures]], segments: int) -> None:
    """Write the table of these sorted segments, in their order, to a new ``folder``: 30 bytes per row, and the key."""
    folder.mkdir(parents=True)
    room = np.zeros(segments, dtype=np.int64)
    # A place after the last row stays free, so that every search ends in its segment.
    sizes = np.ones(segments, dtype=np.int64)
    batches: list[int] = []
    with ExitStack() as stack:
        files = [stack.enter_context((folder / name).open("wb")) for name in _LAID]
        sink = stack.enter_context(pa.OSFile(str(folder / "keys"), "wb"))
        writer: pa.RecordBatchFileWriter | None = None
        written = 0
        for segment, rows in parts:
            _write_free(files, segment - written)
            room[segment] = int(len(rows) * _ROOM) + 1
            places = _places(rows.key_hash, segments, int(room[segment]))
            sizes[segment] = max(int(room[segment]), int(places[-1]) + 1 if len(rows) else 0) + 1
            laid = [_bounded(rows.key_hash), rows.row_hash, rows.key_check]
            for file, values, free in zip(files, laid, _LAID.values(), strict=True):
                cells = np.full(sizes[segment], free)
                cells[places] = values
                file.write(cells.data)
            writer = writer or stack.enter_context(pa.ipc.new_file(sink, rows.keys.schema))
            writer.write_batch(rows.keys)
            batches.append(segment)
            written = segment + 1
        _write_free(files, segments - written)
    np.savez(folder / "segments.npz", room=room, sizes=sizes, batches=np.array(batches, dtype=np.int64))


def _write_free(files: Iterable[BinaryIO], count: int) -> None:
    """The one place of each of so many empty segments."""
    for file, free in zip(files, _LAID.values(), strict=True):
        file.write(np.full(count, free).data)


class HashTable:
    """The table in ``folder``; its pages are shared by all tasks that map it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        segments = np.load(folder / "segments.npz")
        self._room = segments["room"].astype(np.uint64)
        self._starts = np.concatenate([[0], np.cumsum(segments["sizes"])])
        self._batches: list[int] = segments["batches"].tolist()
        self.places = int(self._starts[-1])
        self._key_hash: Hashes = np.memmap(folder / "key_hash", dtype=np.uint64, mode="r")
        self._row_hash: Hashes = np.memmap(folder / "row_hash", dtype=np.uint64, mode="r")
        self._key_check: Checks = np.memmap(folder / "key_check", dtype=np.uint32, mode="r")

    def match(self, rows: Signatures) -> tuple[Places, npt.NDArray[np.bool_]]:
        """The place of each row's key, -1 where the table lacks it, and whether the row has the hash that is kept."""
        places = self._find(rows)
        is_same = self._is_same(rows, places)
        doubtful = np.flatnonzero((places >= 0) & ~is_same)
        other = doubtful[self._key_check[places[doubtful]] != rows.key_check[doubtful]]
        if len(other):
            for at in other.tolist():
                places[at] = self._find_next(rows, at, int(places[at]))
            is_same = self._is_same(rows, places)
        return places, is_same

    def _find(self, rows: Signatures) -> Places:
        hashes = _bounded(rows.key_hash)
        place = self._first_place(hashes)
        found = self._key_hash[place]
        pending = np.flatnonzero(found < hashes)
        while len(pending):
            place[pending] += 1
            found[pending] = self._key_hash[place[pending]]
            pending = pending[found[pending] < hashes[pending]]
        place[found != hashes] = -1
        return place

    def _find_next(self, rows: Signatures, at: int, place: int) -> int:
        """The place of a row whose key's hash another key has as well."""
        hashed = self._key_hash[place]
        while self._key_hash[place] == hashed and self._key_check[place] != rows.key_check[at]:
            place += 1
        return place if self._key_hash[place] == hashed else -1

    def _is_same(self, rows: Signatures, places: Places) -> npt.NDArray[np.bool_]:
        is_same: npt.NDArray[np.bool_] = places >= 0
        is_same[is_same] = self._row_hash[places[is_same]] == rows.row_hash[is_same]
        return is_same

    def keys_at(self, is_chosen: npt.NDArray[np.bool_]) -> Iterator[pa.RecordBatch]:
        """The keys at the chosen places; of free ones, none."""
        if not self._batches:
            return
        is_taken = self._key_hash != _FREE
        keys = pa.ipc.open_file(pa.memory_map(str(self._folder / "keys")))
        for number, segment in enumerate(self._batches):
            part = slice(int(self._starts[segment]), int(self._starts[segment + 1]))
            chosen = np.flatnonzero(is_chosen[part][is_taken[part]])
            if len(chosen):
                yield keys.get_batch(number).take(pa.array(chosen))

    def _first_place(self, hashes: Hashes) -> Places:
        segment, inside = placed(hashes, len(self._room))
        first: Places = _named(inside, self._room[segment]) + self._starts[segment]
        return first


def _places(hashes: Hashes, segments: int, room: int) -> Places:
    first = _named(placed(_bounded(hashes), segments)[1], np.uint64(room))
    number = np.arange(len(hashes))
    # A row whose place is taken comes right after the one before it.
    places: Places = np.maximum.accumulate(first - number) + number
    return places


def _named(inside: Hashes, room: Hashes | np.uint64) -> Places:
    """The place in a segment of so much room that a hash names."""
    return ((inside * room) >> np.uint64(32)).astype(np.intp)


def _bounded(hashes: Hashes) -> Hashes:
    return np.minimum(hashes, _FREE - np.uint64(1))
