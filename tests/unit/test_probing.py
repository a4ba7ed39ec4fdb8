"""Probing compressed rows finds what merging them finds, or says that it cannot tell."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from deltawave.differencing.merging import Differences, differences, probed
from deltawave.differencing.signatures import Signatures

ROWS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 2)), max_size=20, unique_by=lambda row: row[0])


def rows(pairs: list[tuple[int, int]], checks: list[int] | None = None) -> Signatures:
    hashes, values = ([pair[place] for pair in pairs] for place in (0, 1))
    return Signatures(
        np.array(hashes, dtype=np.uint64),
        np.array(checks or hashes, dtype=np.uint32),
        np.array(values, dtype=np.uint64),
        pa.RecordBatch.from_pydict({"position": pa.array(range(len(pairs)), pa.int64())}),
    )


def told(old: Signatures, new: Signatures, found: Differences) -> tuple[set[int], set[tuple[int, int]]]:
    """The positions of deleted rows, and of rows that arrived with those that they follow."""
    at_old, at_new = (side.keys.column(0).to_pylist() for side in (old, new))
    pairs = zip(found.upserted.tolist(), found.previous.tolist(), strict=True)
    return {at_old[at] for at in found.deleted}, {(at_new[at], at_old[to] if to >= 0 else -1) for at, to in pairs}


@settings(deadline=None)
@given(ROWS, ROWS)
def test_it_finds_what_merging_finds(old: list[tuple[int, int]], new: list[tuple[int, int]]) -> None:
    left, right = rows(old), rows(new)
    found = probed(left, right)
    assert found is not None
    merged = differences(left.sorted(), right.sorted())
    assert told(left, right, found) == told(left.sorted(), right.sorted(), merged)


def test_it_does_not_tell_apart_what_has_one_hash() -> None:
    once, twice = rows([(1, 0), (2, 0)]), rows([(1, 0), (1, 1)])
    assert probed(once, twice) is None
    assert probed(twice, once) is None
    assert probed(rows([(3, 0)]), rows([(7, 0), (7, 1)])) is None, "neither of them has a partner"
    assert probed(rows([(3, 0)], [1]), rows([(3, 0)], [2])) is None, "other keys, as their second hash tells"
