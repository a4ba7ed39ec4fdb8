"""Longest common subsequences of keys, whole and a section at a time: LG95 3.5."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.test_aging import SIZES, Positions, block, blocks, positions

from deltawave.differencing import aging
from deltawave.differencing.aging import Block, Matched
from deltawave.differencing.text_diff import common_subsequence, in_sequence

KEYS = st.lists(st.integers(0, 30), max_size=30, unique=True)
REPEATED = st.lists(st.integers(0, 5), max_size=20)


def subsequence(old: list[int], new: list[int]) -> tuple[list[int], list[int]]:
    at_old, at_new = common_subsequence(np.array(old, dtype=np.uint64), np.array(new, dtype=np.uint64))
    return at_old.tolist(), at_new.tolist()


def longest(old: list[int], new: list[int]) -> int:
    """The length of a longest common subsequence, by the textbook's table."""
    row = [0] * (len(new) + 1)
    for one in old:
        before, row = row, [0]
        for place, other in enumerate(new):
            row.append(before[place] + 1 if one == other else max(before[place + 1], row[-1]))
    return row[-1]


def compared(
    old: list[int], new: list[int], capacity: int, sizes: list[int], others: list[int], capacity_bytes: int = 1 << 20
) -> Positions:
    return positions(in_sequence(blocks(old, sizes), blocks(new, others), capacity, capacity_bytes), old, new)


class TestCommonSubsequence:
    @settings(deadline=None)
    @given(KEYS, KEYS)
    def test_it_is_a_longest_one(self, old: list[int], new: list[int]) -> None:
        at_old, at_new = subsequence(old, new)
        assert [old[at] for at in at_old] == [new[at] for at in at_new]
        assert all(one < other for at in (at_old, at_new) for one, other in pairwise(at))
        assert len(at_old) == longest(old, new)

    @settings(deadline=None)
    @given(REPEATED, REPEATED)
    def test_repeated_symbols_are_in_order(self, old: list[int], new: list[int]) -> None:
        at_old, at_new = subsequence(old, new)
        assert [old[at] for at in at_old] == [new[at] for at in at_new]
        assert all(one < other for at in (at_old, at_new) for one, other in pairwise(at))

    def test_a_row_that_moved_to_the_end(self) -> None:
        assert subsequence([*range(100)], [*range(1, 100), 0]) == ([*range(1, 100)], [*range(99)])

    def test_opposite_orders_have_one_row_in_common(self) -> None:
        assert len(subsequence([*range(50)], [*range(49, -1, -1)])[0]) == 1


class TestSections:
    @settings(deadline=None)
    @given(REPEATED | KEYS, REPEATED | KEYS, st.integers(1, 50), SIZES, SIZES)
    def test_each_row_comes_once(
        self, old: list[int], new: list[int], capacity: int, sizes: list[int], others: list[int]
    ) -> None:
        pairs, _, _ = compared(old, new, capacity, sizes, others)
        assert pairs == sorted(pairs), "the order is kept"

    @settings(deadline=None)
    @given(KEYS, KEYS, SIZES, SIZES)
    def test_of_ordered_dumps_no_row_is_left_over(
        self, old: list[int], new: list[int], sizes: list[int], others: list[int]
    ) -> None:
        pairs, _, _ = compared(sorted(old), sorted(new), 1000, sizes, others)
        assert len(pairs) == len(set(old) & set(new))

    @pytest.mark.parametrize(("capacity", "is_matched"), [(19, False), (20, True)])
    def test_rows_wait_as_long_as_there_is_room(self, capacity: int, is_matched: bool) -> None:
        # Twenty rows arrived in front.
        old, new = [*range(100, 120)], [*range(20), *range(100, 120)]
        pairs, deletes, _ = compared(old, new, capacity, [5], [5])
        assert len(pairs) == (20 if is_matched else 19)
        assert len(deletes) == 20 - len(pairs)

    def test_bytes_are_bounded_too(self) -> None:
        # Eight bytes a row: ten of the rows may wait.
        pairs, deletes, _ = compared([*range(100, 120)], [*range(20), *range(100, 120)], 1000, [5], [5], 80)
        assert 0 < len(deletes) == 20 - len(pairs)

    def test_parts_that_wait_are_bounded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        concat, sizes = Block.concat, []

        def noted(parts: list[Block]) -> Block:
            found = concat(parts)
            sizes.append(found.size)
            return found

        monkeypatch.setattr(aging, "PART_BYTES", 80)
        monkeypatch.setattr(Block, "concat", noted)
        old, new = [*range(100, 200)], [*range(90), *range(100, 200)]
        pairs, deletes, _ = compared(old, new, 1000, [5], [5])
        assert len(pairs) == 100
        assert not deletes
        assert 0 < max(sizes) <= 80

    def test_rows_that_wait_do_not_hold_the_block_that_they_came_from(self) -> None:
        seen = []

        def read():
            yield block([*range(1000)])
            yield block([*range(1000, 1010)], 1000)

        for each in in_sequence(read(), iter([block([*range(990)])]), 1000, 1 << 20):
            if not isinstance(each, Matched):
                seen += [buffer.size for column in each.rows.rows.columns for buffer in column.buffers() if buffer]
        assert seen
        assert max(seen) < 1000
