"""The hash table H of MESHJOIN: pairs of equal hashes are found, and little lies in memory beside it."""

import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltawave.meshjoin import stream_hash_table as hash_table
from deltawave.meshjoin.stream_hash_table import HashTable


@settings(deadline=None, max_examples=60)
@given(
    added=st.lists(st.integers(0, 4), min_size=1, max_size=300),
    gone=st.integers(0, 200),
    wanted=st.lists(st.integers(0, 6), max_size=20),
    spare=st.integers(0, 50),
    links=st.integers(1, 24),
    rounds=st.integers(0, 6),
)
def test_long_chains_give_each_pair_once(
    added: list[int], gone: int, wanted: list[int], spare: int, links: int, rounds: int
) -> None:
    """Links are few and pieces small, so that chains of some tuples are long ones; numbers are soon used up."""
    capacity = len(added) + spare
    small = {"_LINKS": links, "_ROUNDS": rounds, "_PIECE": 16, "_CANDIDATES": 8, "_HIGHEST": capacity}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in small.items():
            patch.setattr(hash_table, name, value)
        table = HashTable(capacity)
        half = len(added) // 2
        # The second half may begin again at the table's beginning.
        hashes = np.array(added[:half] + added, dtype=np.uint64)
        table.add(hashes[:half])
        table.remove(half)
        table.add(hashes[half:])
        table.remove(gone)
        found = [
            (int(row), int(number))
            for rows, numbers in table.candidates(np.array(wanted, dtype=np.uint64))
            for row, number in zip(rows, numbers, strict=True)
        ]
    present = list(enumerate(hashes.tolist()))[half + gone :]
    expected = [(row, number) for row, one in enumerate(wanted) for number, other in present if one == other]
    assert Counter(found) == Counter(expected)


def test_what_lies_beside_the_table_does_not_grow_with_it() -> None:
    """Two million tuples of one key, of which a chain is by far too long to be followed link by link."""
    count = 2_000_000
    table = HashTable(count)
    table.add(np.full(count, 7 << 40, dtype=np.uint64))
    tracemalloc.start()
    found = sum(len(numbers) for _, numbers in table.candidates(np.array([7 << 40], dtype=np.uint64)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == count
    assert peak < 6 << 20
