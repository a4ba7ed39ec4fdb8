"""Where two snapshots are cut, so that tasks compare corresponding parts."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltawave.differencing import aligning
from deltawave.rows.in_place import RowGroups


def groups(*rows: int) -> RowGroups:
    return RowGroups(tuple(("file", number) for number in range(len(rows))), rows, 8, pa.schema([("id", pa.int64())]))


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 50), min_size=1, max_size=8), st.lists(st.integers(0, 9), max_size=6), st.integers(0, 20)
)
def test_the_parts_are_the_whole_snapshot(starts: list[int], rows: list[int], reach: int) -> None:
    total = sum(rows)
    old = groups(*rows)
    snapped = aligning._snapped(np.array(starts, dtype=np.int64).clip(0, total), old, reach)
    parts = sorted(part for part in aligning._parts(snapped, total) if part[0] < part[1])
    assert [position for part in parts for position in range(*part)] == list(range(total))


def test_files_in_another_order_are_followed() -> None:
    # The first half of the new snapshot is the second of the old one.
    at_new = np.array([0, 1, 500, 501])
    at_old = np.array([500, 501, 0, 1])
    shifts, near = aligning._shifts([0, 500], at_old, at_new, reach=10, stretch=1.0)
    assert (shifts, near) == ([500, -500], 1.0)
    cuts = aligning._cuts([0, 500, 1000], shifts, reach=10, segments=1)
    assert cuts == [0, 1], "a window does not reach over the place where the order changes"
    assert aligning._parts(np.array([500, 0]), 1000) == [(500, 1000), (0, 500)]


def test_there_are_as_many_segments_as_tasks_at_a_time() -> None:
    bounds = list(range(0, 1001, 100))
    for segments in (1, 2, 3, 5, 10, 40):
        cuts = aligning._cuts(bounds, [0] * 10, reach=10, segments=segments)
        assert len(cuts) == min(segments, 10)
        sizes = [end - begin for begin, end in pairwise([*(bounds[each] for each in cuts), 1000])]
        assert max(sizes) <= 2 * min(sizes)


class TestOrder:
    def test_rows_near_each_other_may_be_in_another_order(self) -> None:
        # Rows that moved by 50,000 on average.
        moved = np.argsort(np.arange(400_000) + np.random.default_rng(1).normal(0, 50_000, 400_000))
        at_new = np.concatenate([np.arange(256), np.arange(200_000, 200_256)])
        assert aligning._shifts([0, 200_000], moved[at_new], at_new, reach=900_000, stretch=1.0)[1] == 1.0
        assert aligning._ordered_fraction(2, moved[at_new], at_new) < 0.2

    @pytest.mark.parametrize(
        ("parts", "at_old", "at_new", "fraction"),
        [
            (2, [500, 501, 0, 1], [0, 1, 500, 501], 1.0),
            (1, [3, 0, 1, 2], [0, 1, 2, 3], 0.75),
            (1, [5, 6, -1, 5, 6, -1], [0, 1, 2, 0, 1, 2], 1.0),
            (1, [-1, -1], [0, 1], 1.0),
            (1, [], [], 1.0),
        ],
        ids=["parts that changed places", "a row that moved", "keys sampled again", "keys that are gone", "no keys"],
    )
    def test_rows_in_order(self, parts: int, at_old: list[int], at_new: list[int], fraction: float) -> None:
        assert aligning._ordered_fraction(parts, np.array(at_old, np.int64), np.array(at_new, np.int64)) == fraction


def test_keys_that_are_far_are_reported() -> None:
    at_new = np.arange(4)
    assert aligning._shifts([0], np.array([0, 1, 900, 3]), at_new, reach=10, stretch=1.0) == ([0], 0.75)
    # Keys that the old snapshot lacks say nothing.
    assert aligning._shifts([0], np.array([-1, -1, -1, -1]), at_new, reach=10, stretch=1.0) == ([0], 1.0)
    assert aligning._shifts([0, 2], np.array([7, 8, -1, -1]), at_new, reach=10, stretch=1.0)[0] == [7, 7]
