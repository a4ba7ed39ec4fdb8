"""Memory for values that come and go in order: only those that are in use take memory (MJ08 3.1).

A value's place is its number modulo the size of the ring. The operating system gives memory to a page of addresses when
one of its values is written, and takes it back when they are released.
"""

from __future__ import annotations

import mmap
import sys
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from deltawave.meshjoin.batches import Places

Values = npt.NDArray[Any]
Bits = npt.NDArray[np.bool_]

# Elsewhere, memory is not returned at once.
IS_SUPPORTED = sys.platform == "linux"
# A page is given back when all of its values are released. Until then no new value may be written there: so a ring has
# this many more places than values in use, as many as a page has bits.
SPARE_PLACES = 8 * mmap.PAGESIZE


class Ring:
    """Room for ``size`` values of ``width`` bytes; zeros where nothing was written, or all of a page is released."""

    def __init__(self, size: int, width: int) -> None:
        self._size, self._width = size, width
        self._memory = mmap.mmap(-1, max(1, size * width), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        # With large pages, memory would be taken and given back in pieces of 2 MB. Not every kernel knows them.
        with suppress(OSError):
            self._memory.madvise(mmap.MADV_NOHUGEPAGE)
        # Numbers of these widths are copied fastest.
        kind = f"u{width}" if width in (1, 2, 4, 8) else f"V{width}"
        self._values: Values = np.frombuffer(self._memory, dtype=kind)[:size]

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values for numpy."""
        return self._values.dtype

    def write(self, begin: int, values: Values) -> None:
        """Write values with the numbers from ``begin`` on."""
        place = begin % self._size
        upto = min(len(values), self._size - place)
        self._values[place : place + upto] = values[:upto]
        self._values[: len(values) - upto] = values[upto:]

    def add_bits(self, begin: int, values: Values) -> None:
        """Set the bits of these values at the places from ``begin`` on."""
        self._values[begin : begin + len(values)] |= values

    def take(self, places: Places) -> Values:
        """The values at these places."""
        return self._values.take(places)

    def release(self, begin: int, end: int) -> None:
        """Give back the memory of the values with the numbers from ``begin`` to ``end``, the oldest ones."""
        first, last = begin % self._size * self._width, end % self._size * self._width
        if begin // self._size < end // self._size:
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
    """Room for a bit at each of ``size`` places, a multiple of 8; zeros as in a ring of bytes."""

    def __init__(self, size: int) -> None:
        self._size, self._bytes = size, Ring(size // 8, 1)

    def write(self, begin: int, bits: Bits) -> None:
        """Write bits with the numbers from ``begin`` on, where there are zeros."""
        place = begin % self._size
        upto = min(len(bits), self._size - place)
        self._write(place, bits[:upto])
        self._write(0, bits[upto:])

    def _write(self, place: int, bits: Bits) -> None:
        padded = np.concatenate([np.zeros(place % 8, dtype=bool), bits])
        self._bytes.add_bits(place // 8, np.packbits(padded, bitorder="little"))

    def take(self, places: Places) -> Bits:
        """The bits at these places."""
        found = self._bytes.take(places >> 3) >> (places & 7).astype(np.uint8)
        return (found & 1).view(bool)

    def release(self, begin: int, end: int) -> None:
        """Give back the memory of the bits with the numbers from ``begin`` to ``end``, the oldest ones."""
        self._bytes.release(begin // 8, end // 8)
