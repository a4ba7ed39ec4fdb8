"""Text comparison of ordered snapshots (LG95 3.5, 4.5: UNIX diff and bdiff) on Spark, made minimal.

Tasks compare aligned segments by the longest common subsequence of their keys, a section at a time: rows that kept
their order. Keys are unique, so it is an increasing sequence of positions. The other rows were deleted, inserted or
moved: these are joined, which is the report's filter of useless delete-insert pairs.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

from deltawave.differencing import window
from deltawave.differencing.aging import Aged, AgingBuffer, Block, Matched, in_step
from deltawave.differencing.aligning import longest_increasing
from deltawave.rows.batches import Places
from deltawave.rows.hashing import Hashes, places_of


def common_subsequence(old: Hashes, new: Hashes) -> tuple[Places, Places]:
    """Places of equal symbols, increasing on both sides, and as many as possible if no symbol is repeated."""
    matched = places_of(old, new)
    at_old = np.flatnonzero(matched >= 0)
    at_new = matched[at_old]
    chosen = longest_increasing(at_new)
    return at_old[chosen], at_new[chosen]


def in_sequence(
    old: Iterable[Block], new: Iterable[Block], capacity: int, capacity_bytes: int
) -> Iterator[Matched | Aged]:
    """Match the blocks of two snapshots by the longest common subsequence of the rows in memory.

    Like bdiff, it compares sections, here a block of each side. Rows after the last match of a section wait for the
    next one, so that sections need not begin at the same row: per side up to ``capacity`` rows and ``capacity_bytes``.
    """
    old_side, new_side = _Section(True, capacity, capacity_bytes), _Section(False, capacity, capacity_bytes)
    for old_block, new_block in in_step(iter(old), iter(new)):
        old_side.add(old_block)
        new_side.add(new_block)
        at_old, at_new = common_subsequence(old_side.hashes, new_side.hashes)
        for begin, end in _pieces(at_old, at_new, old_side, new_side):
            yield Matched(old_side.take(at_old[begin:end]), new_side.take(at_new[begin:end]))
        yield from old_side.advance(at_old)
        yield from new_side.advance(at_new)
    for side in (old_side, new_side):
        yield from side.drain()


class _Section:
    """The rows of one side that are compared: those that waited, and a block."""

    def __init__(self, is_old: bool, capacity: int, capacity_bytes: int) -> None:
        self._is_old = is_old
        self._waiting = AgingBuffer(capacity, capacity_bytes)
        self._parts: list[Block] = []

    def add(self, block: Block | None) -> None:
        self._parts = self._waiting.drain()
        if block is not None:
            self._parts.append(block)

    @property
    def hashes(self) -> Hashes:
        return np.concatenate([np.zeros(0, dtype=np.uint64), *(part.hashes for part in self._parts)])

    @property
    def bounds(self) -> Places:
        """Where each part begins, and where the last one ends."""
        return np.cumsum([0, *map(len, self._parts)])

    def take(self, at: Places) -> Block:
        """The rows at these places, at least one; all are in one part."""
        part = int(np.searchsorted(self.bounds, at[0], side="right")) - 1
        return self._parts[part].take(at - self.bounds[part])

    def advance(self, matched: Places) -> Iterator[Aged]:
        """Let the rows after the last match wait, as far as there is room, and return the others without a match."""
        ends = int(matched[-1]) + 1 if len(matched) else 0
        for part, begin in zip(self._parts, self.bounds.tolist(), strict=False):
            own = matched[np.searchsorted(matched, begin) : np.searchsorted(matched, begin + len(part))] - begin
            passed = min(max(ends - begin, 0), len(part))
            rest = self._waiting.push(part.slice(passed, len(part) - passed))
            yield from self._aged([part.slice(0, passed).without(own), *rest])
        self._parts = []

    def drain(self) -> Iterator[Aged]:
        """The rows that still wait."""
        return self._aged(self._waiting.drain())

    def _aged(self, parts: list[Block]) -> Iterator[Aged]:
        return (Aged(rows, is_old=self._is_old) for rows in parts if len(rows))


def _pieces(at_old: Places, at_new: Places, old: _Section, new: _Section) -> Iterator[tuple[int, int]]:
    """Parts of the matches that lie in one part of each side."""
    cuts = np.concatenate([np.searchsorted(at_old, old.bounds), np.searchsorted(at_new, new.bounds), [len(at_old)]])
    return pairwise(np.unique(cuts).tolist())


TEXT_DIFF = window.Matching("text diff", in_sequence, needs_order=True)
