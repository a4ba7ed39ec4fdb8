"""The hash table H of MESHJOIN: which tuples of the window have a key's hash (MJ08 3.1, Figure 3).

Tuples are numbered as they come in. A slot holds the number of the last tuple that came to it, and each tuple the
number of the one before: a chain from the newest to the oldest. Tuples leave in the order in which they came. To remove
them moves a bound and touches no chain: a chain ends at the first number below the bound.

Most rows of a relation match no tuple. Each slot has a filter of eight bits, for the hashes of its tuples, so that such
rows cost little more than a look at a small array.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from deltawave.rows.hashing import Hashes

Numbers = npt.NDArray[np.int64]
Places = npt.NDArray[np.intp]
# Rows of a page, and the numbers of the tuples that have the same hash.
Candidates = tuple[Places, Numbers]

# A chain is followed for this many links; the rest of a longer one is found by scanning all tuples. Scanning this many
# tuples takes as long as one more link.
_LINKS, _PER_LINK = 24, 8192
# Rounds in which the first of the tuples that come to a slot is added; the rest of these are sorted.
_ROUNDS = 6
# Candidates returned at a time, and tuples scanned at a time: their arrays do not count as the join's memory.
_CANDIDATES, _PIECE = 1 << 14, 1 << 15
_NONE = np.int32(-1)
# Numbers are 32 bits wide in the table, and count from a base that moves before they are used up.
_HIGHEST = (1 << 31) - 1


class HashTable:
    """A table for up to ``capacity`` tuples.

    It takes ``bytes_for(capacity)`` bytes: for each tuple 16 bits of its hash, its link, and a slot with its filter.
    ``MeshJoin`` in ``operator.py`` chooses the capacity so that table, window and pages fit into its memory.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._slots = np.full(max(1, capacity), _NONE)
        self._filters = np.zeros(len(self._slots), dtype=np.uint8)
        self._links = np.full(capacity, _NONE)
        self._marks = np.zeros(capacity, dtype=np.uint16)
        self._base = 0
        self.begin = self.end = 0

    @staticmethod
    def bytes_for(capacity: int) -> int:
        marks_and_links, slots_and_filters = 2 + 4, 4 + 1
        return marks_and_links * capacity + slots_and_filters * max(1, capacity)

    def add(self, hashes: Hashes) -> None:
        """Add tuples, numbered from ``end`` on. There has to be room for them."""
        count = len(hashes)
        if not count:
            return
        if self.end + count - self._base > _HIGHEST:
            self._rebase()
        links = self._linked(self._slot(hashes), _bits(hashes))
        begin = self.end % self.capacity
        upto = min(count, self.capacity - begin)
        for held, added in ((self._links, links), (self._marks, hashes.astype(np.uint16))):
            held[begin : begin + upto] = added[:upto]
            held[: count - upto] = added[upto:]
        self.end += count

    def _linked(self, slots: Places, bits: npt.NDArray[np.uint8]) -> npt.NDArray[np.int32]:
        """Put new tuples, with their bits of the filters, in front of the chains of their slots; return their links."""
        links = np.empty(len(slots), dtype=np.int32)
        places = np.arange(len(slots), dtype=np.int32)
        # In most slots one tuple is added: then this ends after a few rounds.
        for _ in range(_ROUNDS):
            numbers = places + np.int32(self.end - self._base)
            links[places] = self._put_in_front(slots, numbers, bits)
            left = (self._slots.take(slots) != numbers).nonzero()[0]
            slots, places, bits = slots.take(left), places.take(left), bits.take(left)
            if not len(places):
                return links
        # Tuples of one slot become adjacent, in their order.
        order = np.argsort(slots, kind="stable")
        slots, places = slots.take(order), places.take(order)
        numbers = places + np.int32(self.end - self._base)
        # Each tuple is linked to the one before it in its slot.
        links[places[1:]] = numbers[:-1]
        firsts = np.append(True, slots[1:] != slots[:-1]).nonzero()[0]
        lasts = np.append(firsts[1:], len(slots)) - 1
        found = self._put_in_front(slots[firsts], numbers[lasts], np.bitwise_or.reduceat(bits.take(order), firsts))
        links[places[firsts]] = found
        return links

    def _put_in_front(
        self, slots: Places, numbers: npt.NDArray[np.int32], bits: npt.NDArray[np.uint8]
    ) -> npt.NDArray[np.int32]:
        """Put the first number that comes to each slot in front of its chain; return where the chains began before."""
        found = self._slots.take(slots)
        # Of several values for a slot, the last one stays.
        self._slots[slots[::-1]] = numbers[::-1]
        # Bits of tuples that have left stay until all tuples of the slot have left.
        bits = bits | (self._filters.take(slots) * (found >= self.begin - self._base))
        self._filters[slots[::-1]] = bits[::-1]
        return found

    def remove(self, count: int) -> None:
        self.begin = min(self.end, self.begin + count)

    def candidates(self, hashes: Hashes) -> Iterator[Candidates]:
        """Pairs of rows and tuples with equal hashes, and few others, some at a time."""
        found: list[Candidates] = []
        waiting = 0
        for pairs in self._pairs(hashes):
            found.append(pairs)
            waiting += len(pairs[0])
            if waiting >= _CANDIDATES:
                yield _joined(found)
                found, waiting = [], 0
        if found:
            yield _joined(found)

    def _pairs(self, hashes: Hashes) -> Iterator[Candidates]:
        """The same pairs, in the order in which chains are followed."""
        if self.begin == self.end:
            return
        oldest = self.begin - self._base
        # Added to a tuple's number, it gives the tuple's place, modulo the capacity.
        shift = self.begin % self.capacity - oldest
        slots = self._slot(hashes)
        rows = (self._filters.take(slots) & _bits(hashes)).astype(bool).nonzero()[0]
        numbers = self._slots.take(slots.take(rows))
        used = (numbers >= oldest).nonzero()[0]
        rows, numbers = rows.take(used), numbers.take(used)
        marks = hashes.take(rows).astype(np.uint16)
        for _ in range(max(_LINKS, self.capacity // _PER_LINK)):
            if not len(rows):
                return
            places = numbers + shift
            matched = (self._marks.take(places, mode="wrap") == marks).nonzero()[0]
            if len(matched):
                yield rows.take(matched), numbers.take(matched).astype(np.int64) + self._base
            numbers = self._links.take(places, mode="wrap")
            linked = (numbers >= oldest).nonzero()[0]
            rows, numbers, marks = rows.take(linked), numbers.take(linked), marks.take(linked)
        if len(rows):
            yield from self._scanned_chains(rows, hashes[rows], numbers)

    def _scanned_chains(self, rows: Places, hashes: Hashes, numbers: npt.NDArray[np.int32]) -> Iterator[Candidates]:
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
            for hashed, its_rows, count in zip(wanted.astype(np.uint16), own, counts, strict=True):
                matched = np.flatnonzero(marks[: max(0, count - begin)] == hashed) + (self.begin + begin)
                step = max(1, _CANDIDATES // len(its_rows))
                for at in range(0, len(matched), step):
                    part = matched[at : at + step]
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


def _bits(hashes: Hashes) -> npt.NDArray[np.uint8]:
    """The bit of a filter that a hash has."""
    bits: npt.NDArray[np.uint8] = np.left_shift(np.uint8(1), hashes.astype(np.uint8) & np.uint8(7))
    return bits


def _joined(found: list[Candidates]) -> Candidates:
    if len(found) == 1:
        return found[0]
    return np.concatenate([rows for rows, _ in found]), np.concatenate([numbers for _, numbers in found])
