"""Values at numbered places of one range of addresses, of which only the part in use has memory (MJ08 3.1).

The range is a ring: a number's place is the number modulo its size. The operating system gives memory to pages that are
written, and takes it back from those whose values are released.
"""

from __future__ import annotations

import mmap
import sys
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Values = npt.NDArray[Any]
Places = npt.NDArray[np.intp]

# Elsewhere, memory is not taken back at once.
IS_SUPPORTED = sys.platform == "linux"
# A ring needs this many more places than values in use, so that new values never come to a page of the operating system
# of which a part is still to be released: a page holds the bits of so many places.
SPARE_PLACES = 8 * mmap.PAGESIZE


class Ring:
    """Room for ``size`` values of ``width`` bytes; places that were never written, or were released, have zeros."""

    def __init__(self, size: int, width: int) -> None:
        self.size, self._width = size, width
        self._memory = mmap.mmap(-1, max(1, size * width), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        # With large pages, memory would be taken and given back in pieces of 2 MB.
        self._memory.madvise(mmap.MADV_NOHUGEPAGE)
        # Numbers of these widths are copied fastest.
        kind = f"u{width}" if width in (1, 2, 4, 8) else f"V{width}"
        self.values: Values = np.frombuffer(self._memory, dtype=kind)[:size]

    def write(self, begin: int, values: Values) -> None:
        """Write values with the numbers from ``begin`` on."""
        place = begin % self.size
        upto = min(len(values), self.size - place)
        self.values[place : place + upto] = values[:upto]
        self.values[: len(values) - upto] = values[upto:]

    def read(self, column: pa.Array) -> Values:
        """The values of a column; any where it is null."""
        data = column.buffers()[1]
        return np.frombuffer(data or b"", dtype=self.values.dtype)[column.offset : column.offset + len(column)]

    def take(self, places: Places) -> Values:
        """The values at these places."""
        return self.values.take(places)

    def release(self, begin: int, end: int) -> None:
        """Give back the memory of the values with the numbers from ``begin`` to ``end``, the oldest ones."""
        first, last = begin % self.size * self._width, end % self.size * self._width
        if begin // self.size < end // self.size:
            self._give_back(first, len(self._memory))
            first = 0
        self._give_back(first, last)

    def _give_back(self, first: int, last: int) -> None:
        """All pages from that of the first byte up to that of the last one, which may hold later values."""
        first -= first % mmap.PAGESIZE
        if last < len(self._memory):
            last -= last % mmap.PAGESIZE
        if first < last:
            self._memory.madvise(mmap.MADV_DONTNEED, first, last - first)


class BitRing:
    """A bit for each of ``size`` places, a multiple of 8; zero where it was never written, or released."""

    def __init__(self, size: int) -> None:
        self._bytes = Ring(size // 8, 1)
        self._size = size

    def write(self, begin: int, bits: npt.NDArray[np.bool_]) -> None:
        """Write bits with the numbers from ``begin`` on, where there are zeros."""
        place = begin % self._size
        upto = min(len(bits), self._size - place)
        self._write(place, bits[:upto])
        self._write(0, bits[upto:])

    def _write(self, place: int, bits: npt.NDArray[np.bool_]) -> None:
        padded = np.concatenate([np.zeros(place % 8, dtype=bool), bits])
        packed = np.packbits(padded, bitorder="little")
        self._bytes.values[place // 8 : place // 8 + len(packed)] |= packed

    def read(self, column: pa.Array) -> npt.NDArray[np.bool_]:
        """The values of a column; false where it is null."""
        return np.asarray(column.fill_null(False), dtype=bool)

    def take(self, places: Places) -> npt.NDArray[np.bool_]:
        """The bits at these places."""
        found = self._bytes.values.take(places >> 3) >> (places & 7).astype(np.uint8)
        return (found & 1).view(bool)

    def release(self, begin: int, end: int) -> None:
        """Give back the memory of the bits with the numbers from ``begin`` to ``end``, the oldest ones."""
        self._bytes.release(begin // 8, end // 8)
