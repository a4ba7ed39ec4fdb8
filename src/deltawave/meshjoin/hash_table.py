"""The hash table H of MESHJOIN: which tuples of the window have a key's hash (MJ08 3.1, Figure 3).

Tuples are numbered as they arrive. A slot holds the number of the last tuple that came to it, and each tuple the number
of the one before: a chain from the newest to the oldest. Tuples leave in the order in which they came, so that removing
them moves a bound and touches no chain: a chain ends at the first number below the bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from deltawave.differencing.hashing import Hashes

Numbers = npt.NDArray[np.int64]
Places = npt.NDArray[np.intp]
# Rows of a page, and the numbers of the tuples that have the same hash.
Candidates = tuple[Places, Numbers]

# Chains of so many tuples are followed link by link; what is left of longer ones is found by a look at all tuples.
_LINKS = 24
# Candidates that are handed over at a time.
_CANDIDATES = 1 << 16
_NONE = np.int32(-1)
# Numbers are 32 bits wide in the table, and count from a base that moves before they are used up.
_HIGHEST = (1 << 31) - 1


class HashTable:
    """A table for up to ``capacity`` tuples.

    It takes ``bytes_for(capacity)`` bytes: of each tuple 32 bits of its hash and its link, and the slots.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        bits = _bits(capacity)
        self._shift = np.uint64(64 - bits)
        self._slots = np.full(1 << bits, _NONE)
        self._links = np.full(capacity, _NONE)
        self._marks = np.zeros(capacity, dtype=np.uint32)
        self._base = 0
        self.begin = self.end = 0

    @staticmethod
    def bytes_for(capacity: int) -> int:
        """Bytes of a table for so many tuples."""
        return 8 * capacity + 4 * (1 << _bits(capacity))

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
        numbers = np.arange(self.end - self._base, self.end - self._base + count, dtype=np.int32)
        slots = self._slot(hashes)
        # Those of one slot follow each other, and each is linked to the one before.
        order = np.argsort(slots, kind="stable")
        sorted_slots, sorted_numbers = slots[order], numbers[order]
        is_first = np.empty(count, dtype=bool)
        is_first[0] = True
        np.not_equal(sorted_slots[1:], sorted_slots[:-1], out=is_first[1:])
        former = np.empty(count, dtype=np.int32)
        former[1:] = sorted_numbers[:-1]
        former[is_first] = self._slots[sorted_slots[is_first]]
        is_last = np.roll(is_first, -1)
        self._slots[sorted_slots[is_last]] = sorted_numbers[is_last]
        self._links[self._places(sorted_numbers)] = former
        self._marks[self._places(numbers)] = hashes.astype(np.uint32)
        self.end += count

    def remove(self, count: int) -> None:
        """Remove the oldest tuples."""
        self.begin = min(self.end, self.begin + count)

    def candidates(self, hashes: Hashes) -> Iterator[Candidates]:
        """Pairs of rows and tuples whose hashes are the same in all bits that the table holds, some at a time."""
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
        """The same, as chains are followed."""
        if self.begin == self.end:
            return
        oldest = np.int32(self.begin - self._base)
        numbers = self._slots[self._slot(hashes)]
        rows = np.flatnonzero(numbers >= oldest)
        numbers = numbers[rows]
        marks = hashes[rows].astype(np.uint32)
        for _ in range(_LINKS):
            places = self._places(numbers)
            is_met = self._marks[places] == marks
            if is_met.any():
                yield rows[is_met], numbers[is_met].astype(np.int64) + self._base
            numbers = self._links[places]
            is_linked = numbers >= oldest
            if not is_linked.any():
                break
            rows, numbers, marks = rows[is_linked], numbers[is_linked], marks[is_linked]
        else:
            yield from self._looked_for(rows, hashes[rows], numbers)

    def _looked_for(self, rows: Places, hashes: Hashes, numbers: npt.NDArray[np.int32]) -> Iterator[Candidates]:
        """What is left of long chains, from these numbers downwards: tuples of each hash are looked for among all."""
        alive = self._places(np.arange(self.begin - self._base, int(numbers.max()) + 1))
        marks = self._marks[alive]
        for hashed in np.unique(hashes):
            its_rows = np.flatnonzero(hashes == hashed)
            # Rows of one hash have followed the same chain to the same link.
            upto = int(numbers[its_rows[0]]) + 1 - (self.begin - self._base)
            met = np.flatnonzero(marks[:upto] == np.uint32(hashed & np.uint64(0xFFFFFFFF))) + self.begin
            for begin in range(0, len(met), max(1, _CANDIDATES // len(its_rows))):
                part = met[begin : begin + max(1, _CANDIDATES // len(its_rows))]
                yield np.repeat(rows[its_rows], len(part)), np.tile(part, len(its_rows))

    def _slot(self, hashes: Hashes) -> Places:
        return (hashes >> self._shift).view(np.int64)

    def _places(self, numbers: npt.NDArray[Any]) -> Places:
        """Where tuples of the window, or those that come next, lie in the table."""
        places: Places = numbers + np.intp(self.begin % self.capacity - (self.begin - self._base))
        np.subtract(places, self.capacity, out=places, where=places >= self.capacity)
        return places

    def _rebase(self) -> None:
        moved = self.begin - self._base
        for held in (self._slots, self._links):
            np.maximum(held.astype(np.int64) - moved, -1, out=held, casting="unsafe")
        self._base = self.begin


def _bits(capacity: int) -> int:
    """About a slot for each tuple, and never fewer than half as many."""
    return max(1, (max(1, capacity) * 3 // 4).bit_length())


def _joined(found: list[Candidates]) -> Candidates:
    if len(found) == 1:
        return found[0]
    return np.concatenate([rows for rows, _ in found]), np.concatenate([numbers for _, numbers in found])
