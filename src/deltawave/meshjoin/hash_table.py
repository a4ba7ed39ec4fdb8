"""The hash table H of MESHJOIN: which tuples of the window have a key's hash (MJ08 3.1, Figure 3).

Tuples are numbered as they arrive. A slot holds the number of the last tuple that came to it, and each tuple the number
of the one before: a chain from the newest to the oldest. Tuples leave in the order in which they came, so that removing
them moves a bound and touches no chain: a chain ends at the first number below the bound.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from deltawave.differencing.hashing import Hashes

Numbers = npt.NDArray[np.int64]
Places = npt.NDArray[np.intp]
# Rows of a page, and the numbers of the tuples that have the same hash.
Candidates = tuple[Places, Numbers]

# A chain is followed for this many links; the rest of a longer one is found by scanning all tuples. Scanning this many
# tuples takes as long as one more link.
_LINKS, _PER_LINK = 24, 8192
# Candidates returned at a time, and tuples scanned at a time: their arrays do not count as the join's memory.
_CANDIDATES, _PIECE = 1 << 14, 1 << 15
_NONE = np.int32(-1)
_HALF, _LOW = 32, (1 << 32) - 1
# Numbers are 32 bits wide in the table, and count from a base that moves before they are used up.
_HIGHEST = (1 << 31) - 1


class HashTable:
    """A table for up to ``capacity`` tuples.

    It takes ``bytes_for(capacity)`` bytes: for each tuple 32 bits of its hash and its link, and the slots.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._slots = np.full(_slot_count(capacity), _NONE)
        self._links = np.full(capacity, _NONE)
        self._marks = np.zeros(capacity, dtype=np.uint32)
        self._base = 0
        self.begin = self.end = 0

    @staticmethod
    def bytes_for(capacity: int) -> int:
        """Bytes of a table for ``capacity`` tuples."""
        return 8 * capacity + 4 * _slot_count(capacity)

    def __len__(self) -> int:
        return self.end - self.begin

    def add(self, hashes: Hashes) -> None:
        """Add tuples, numbered from ``end`` on. There has to be room for them."""
        count = len(hashes)
        if not count:
            return
        if count > self.capacity - len(self):
            raise ValueError("The window is full.")
        if self.end + count - self._base > _HIGHEST:
            self._rebase()
        # Slot and place in one number: places of one slot are adjacent, in the order of arrival.
        ordered = (self._slot(hashes) << _HALF) | np.arange(count)
        ordered.sort()
        slots, places = ordered >> _HALF, ordered & _LOW
        numbers = (places + (self.end - self._base)).astype(np.int32)
        is_first = np.empty(count, dtype=bool)
        is_first[0] = True
        np.not_equal(slots[1:], slots[:-1], out=is_first[1:])
        # Each tuple is linked to the one before it in its slot.
        links = np.empty(count, dtype=np.int32)
        links[places[1:]] = numbers[:-1]
        links[places[is_first]] = self._slots[slots[is_first]]
        # If a slot gets several values, the last one stays.
        self._slots[slots] = numbers
        begin = self.end % self.capacity
        upto = min(count, self.capacity - begin)
        for held, added in ((self._links, links), (self._marks, hashes.astype(np.uint32))):
            held[begin : begin + upto] = added[:upto]
            held[: count - upto] = added[upto:]
        self.end += count

    def remove(self, count: int) -> None:
        """Remove the oldest tuples."""
        self.begin = min(self.end, self.begin + count)

    def candidates(self, hashes: Hashes) -> Iterator[Candidates]:
        """Pairs of rows and tuples whose hashes agree in all bits that the table holds, some at a time."""
        found: list[Candidates] = []
        waiting = 0
        for pairs in self._met(hashes):
            found.append(pairs)
            waiting += len(pairs[0])
            if waiting >= _CANDIDATES:
                yield _joined(found)
                found, waiting = [], 0
        if found:
            yield _joined(found)

    def _met(self, hashes: Hashes) -> Iterator[Candidates]:
        """The same pairs, in the order in which chains are followed."""
        if self.begin == self.end:
            return
        oldest = self.begin - self._base
        # Added to a tuple's number, it gives the tuple's place, modulo the capacity.
        shift = self.begin % self.capacity - oldest
        numbers = self._slots.take(self._slot(hashes))
        rows = (numbers >= oldest).nonzero()[0]
        numbers, marks = numbers.take(rows), hashes.take(rows).astype(np.uint32)
        for _ in range(max(_LINKS, self.capacity // _PER_LINK)):
            places = numbers + shift
            met = (self._marks.take(places, mode="wrap") == marks).nonzero()[0]
            if len(met):
                yield rows.take(met), numbers.take(met).astype(np.int64) + self._base
            numbers = self._links.take(places, mode="wrap")
            linked = (numbers >= oldest).nonzero()[0]
            if not len(linked):
                break
            rows, numbers, marks = rows.take(linked), numbers.take(linked), marks.take(linked)
        else:
            yield from self._looked_for(rows, hashes[rows], numbers)

    def _looked_for(self, rows: Places, hashes: Hashes, numbers: npt.NDArray[np.int32]) -> Iterator[Candidates]:
        """The rest of long chains, from these numbers downwards: tuples of each hash are searched among all tuples.

        A piece of the window at a time: arrays as long as the window would exceed the join's memory.
        """
        wanted, firsts, groups = np.unique(hashes, return_index=True, return_inverse=True)
        own = np.split(rows[np.argsort(groups, kind="stable")], np.cumsum(np.bincount(groups))[:-1])
        # Rows of one hash have followed the same chain to the same link.
        counts = (numbers[firsts].astype(np.int64) + 1 - (self.begin - self._base)).tolist()
        last = max(counts)
        for begin in range(0, last, _PIECE):
            piece = np.arange(begin, min(begin + _PIECE, last)) + self.begin % self.capacity
            marks = self._marks.take(piece, mode="wrap")
            for hashed, its_rows, count in zip(wanted.astype(np.uint32), own, counts, strict=True):
                met = np.flatnonzero(marks[: max(0, count - begin)] == hashed) + (self.begin + begin)
                step = max(1, _CANDIDATES // len(its_rows))
                for at in range(0, len(met), step):
                    part = met[at : at + step]
                    yield np.repeat(its_rows, len(part)), np.tile(part, len(its_rows))

    def _slot(self, hashes: Hashes) -> Places:
        """The upper half of a hash, scaled to the number of slots."""
        slots = hashes >> np.uint64(32)
        slots *= np.uint64(len(self._slots))
        slots >>= np.uint64(32)
        return slots.view(np.int64)

    def _rebase(self) -> None:
        moved = self.begin - self._base
        for held in (self._slots, self._links):
            np.maximum(held.astype(np.int64) - moved, -1, out=held, casting="unsafe")
        self._base = self.begin


def _slot_count(capacity: int) -> int:
    """Enough slots that the slot of a probing row is free more often than not."""
    return max(1, capacity * 3 // 2)


def _joined(found: list[Candidates]) -> Candidates:
    if len(found) == 1:
        return found[0]
    return np.concatenate([rows for rows, _ in found]), np.concatenate([numbers for _, numbers in found])
