"""A hash table of a compressed snapshot in files that tasks of one machine map into memory (LG96 3.1, PHC1).

Rows lie in the order of their key's hash, each at the place that its hash names or at the first free one after it:
linear probing, except that all rows are known. So each segment of sorted rows is written in one pass, by any task, and
needs memory only for itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltawave.differencing.batches import Mask, Places
from deltawave.differencing.hashing import Hashes
from deltawave.differencing.signatures import Checks, Signatures, placed

# Places per row: three for two rows.
_ROOM = 1.5
# Additional places at the end of a segment, for rows whose places are taken. More are seldom needed.
_SPARE = 1024
_HIGHEST = np.uint64(0xFFFFFFFFFFFFFFFF)
# The table's files, with the types of their values. Free places hold 0 in all of them.
_FILES: dict[str, np.dtype[Any]] = {
    "key_hash": np.dtype(np.uint64),
    "row_hash": np.dtype(np.uint64),
    "row_check": np.dtype(np.uint64),
    "key_check": np.dtype(np.uint32),
}


@dataclass(frozen=True)
class Layout:
    """The layout of a table of ``segments``: each has ``room`` places that hashes name, and ``size`` places in all."""

    segments: int
    room: int
    size: int

    @classmethod
    def of(cls, segments: int, rows: int) -> Layout:
        """For segments of up to ``rows`` rows."""
        room = int(rows * _ROOM) + 1
        return cls(segments, room, room + _SPARE)

    def write(self, folder: Path, segment: int, rows: Signatures) -> int:
        """Write the sorted rows of a segment into the table's files: 42 bytes per row, and the key.

        Return the size that the segment needs: if it is more than the layout's, nothing is written.
        """
        folder.mkdir(parents=True, exist_ok=True)
        places = self.places(rows.key_hash)
        # A place after the last row stays free, so that every search ends in its segment.
        needed = int(places[-1]) + 2 if len(rows) else 1
        if needed > self.size:
            return needed
        cells = {
            "key_hash": _stored(rows.key_hash),
            "row_hash": rows.row_hash,
            "row_check": rows.row_check,
            "key_check": rows.key_check,
        }
        for name, kind in _FILES.items():
            laid = np.zeros(self.size, dtype=kind)
            laid[places] = cells[name]
            # Not "wb": other tasks may have written their segments.
            with os.fdopen(os.open(folder / name, os.O_RDWR | os.O_CREAT), "r+b") as file:
                file.truncate(self.segments * laid.nbytes)
                file.seek(segment * laid.nbytes)
                file.write(laid.data)
        keys = rows.keys
        with pa.OSFile(str(folder / f"keys_{segment}"), "wb") as sink, pa.ipc.new_file(sink, keys.schema) as writer:
            writer.write_batch(keys)
        return needed

    def first_places(self, hashes: Hashes) -> Places:
        """The place in the table that each hash names."""
        segment, inside = placed(hashes, self.segments)
        segment *= self.size
        segment += self._named(inside)
        return segment

    def places(self, hashes: Hashes) -> Places:
        """The places of all rows of a segment within it, by their sorted hashes."""
        first = self._named(placed(hashes, self.segments)[1])
        number = np.arange(len(hashes))
        # A row whose place is taken comes right after the one before it.
        places: Places = np.maximum.accumulate(first - number) + number
        return places

    def _named(self, inside: Hashes) -> Places:
        return ((inside * np.uint64(self.room)) >> np.uint64(32)).astype(np.intp)


def _stored(hashes: Hashes) -> Hashes:
    """Hashes as stored in the table: in the opposite order, so that a free place ends a search; none is 0."""
    return ~np.minimum(hashes, _HIGHEST - np.uint64(1))


class HashTable:
    """The table in ``folder`` (none if it has no rows); its pages are shared by all tasks that map it."""

    def __init__(self, folder: Path | None, layout: Layout) -> None:
        self._folder, self._layout = folder, layout
        self.places = layout.segments * layout.size
        self._stored: Hashes = self._mapped("key_hash")
        self._row_hash: Hashes = self._mapped("row_hash")
        self._row_check: Hashes = self._mapped("row_check")
        self._key_check: Checks = self._mapped("key_check")

    def _mapped(self, name: str) -> npt.NDArray[Any]:
        if self._folder is None:
            return np.zeros(self.places, dtype=_FILES[name])
        return np.memmap(self._folder / name, dtype=_FILES[name], mode="r")

    def match(self, rows: Signatures) -> tuple[Places, Mask]:
        """The place of each row's key, -1 if the table lacks it, and whether the row has the kept hash."""
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
        wanted = _stored(rows.key_hash)
        place = self._layout.first_places(rows.key_hash)
        found = self._stored[place]
        pending = np.flatnonzero(found > wanted)
        while len(pending):
            place[pending] += 1
            found[pending] = self._stored[place[pending]]
            pending = pending[found[pending] > wanted[pending]]
        place[found != wanted] = -1
        return place

    def _find_next(self, rows: Signatures, at: int, place: int) -> int:
        """The place of a row whose key shares its hash with another key."""
        stored = self._stored[place]
        while self._stored[place] == stored and self._key_check[place] != rows.key_check[at]:
            place += 1
        return place if self._stored[place] == stored else -1

    def _is_same(self, rows: Signatures, places: Places) -> Mask:
        is_same: Mask = places >= 0
        is_same[is_same] = self._row_hash[places[is_same]] == rows.row_hash[is_same]
        is_same[is_same] = self._row_check[places[is_same]] == rows.row_check[is_same]
        return is_same

    def keys_at(self, is_chosen: Mask) -> Iterator[pa.RecordBatch]:
        """The keys at the chosen places; free places have none."""
        for segment in range(self._layout.segments if self._folder else 0):
            part = slice(segment * self._layout.size, (segment + 1) * self._layout.size)
            chosen = np.flatnonzero(is_chosen[part][self._stored[part] != 0])
            if len(chosen):
                with pa.memory_map(f"{self._folder}/keys_{segment}") as source:
                    yield pa.ipc.open_file(source).get_batch(0).take(pa.array(chosen))
