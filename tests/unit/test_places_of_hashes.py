"""Where hashes lie in a table of hashes, whichever of their bits are equal."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from deltawave.differencing.aging import equal_hashes
from deltawave.rows.hashing import places_of

# Hashes that differ in a few bits only, wherever these are.
HASHES = st.lists(st.builds(lambda value, shift: value << shift, st.integers(0, 9), st.integers(0, 60)), max_size=60)


@settings(deadline=None)
@given(HASHES, HASHES)
def test_the_first_place_is_found(hashes: list[int], table: list[int]) -> None:
    found = places_of(np.array(hashes, dtype=np.uint64), np.array(table, dtype=np.uint64))
    assert found.tolist() == [table.index(each) if each in table else -1 for each in hashes]


def test_many_hashes() -> None:
    table = np.random.default_rng(1).integers(0, 1 << 63, 50_000).astype(np.uint64)
    wanted = np.concatenate([table[::-1], table + np.uint64(1 << 63)])
    found = places_of(wanted, table)
    assert found.tolist() == [*range(49_999, -1, -1), *[-1] * 50_000]


@settings(deadline=None)
@given(HASHES, HASHES)
def test_as_many_pairs_as_there_are(left: list[int], right: list[int]) -> None:
    at_left, at_right = equal_hashes(np.array(left, dtype=np.uint64), np.array(right, dtype=np.uint64))
    assert [left[place] for place in at_left] == [right[place] for place in at_right]
    assert sorted(set(at_left.tolist())) == at_left.tolist()
    assert len(set(at_right.tolist())) == len(at_right)
    assert len(at_left) == (Counter(left) & Counter(right)).total()
