"""Keys whose hashes collide, under the algorithms that the library does not have."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.test_colliding_hashes import MANY, ROWS, SCHEMA, Rows, check, colliding, cut, differing  # noqa: F401

from deltawave.differencing.aligning import Segment
from deltawave.differencing.compression import KEPT, NEW
from deltawave.rows.in_place import RowGroups
from laboratory.differencing import pointed
from laboratory.differencing.hybrid_hash import _MATCHING as HYBRID


def at_positions(found: list[dict[str, Any]], rows: Rows, is_old: bool) -> Rows:
    """The rows to which pointers lead, each once."""
    positions = [each["position"] for each in found if each["is_old"] is is_old]
    assert len(set(positions)) == len(positions)
    return {key: rows[key] for key in (list(rows)[at] for at in positions)}


@MANY
@given(old=ROWS, new=ROWS, size=st.integers(1, 5), capacity=st.integers(1, 9), memory=st.sampled_from([1, 90, 1 << 20]))
def test_a_hybrid_hash_join_compares_rows_by_their_keys(
    old: Rows, new: Rows, size: int, capacity: int, memory: int
) -> None:
    check(HYBRID, old, new, size, capacity, memory)


@pytest.mark.parametrize("are_sorted", [True, False])
@MANY
@given(old=ROWS, new=ROWS, size=st.integers(1, 5), segments=st.integers(1, 5))
def test_pointers_lead_to_rows_that_differ(
    monkeypatch: pytest.MonkeyPatch, are_sorted: bool, old: Rows, new: Rows, size: int, segments: int
) -> None:
    pieces = []
    for kind, rows in ((KEPT, old), (NEW, new)):
        read = RowGroups((("file", 0),), (len(rows),), 1, SCHEMA)
        monkeypatch.setattr(RowGroups, "read", lambda self, number, own=rows: (part for _, part in cut(own, size)))
        pieces += [row for part in pointed._compressed(read, 1, segments, kind, 0) for row in part.to_pylist()]
    pieces.sort(key=lambda row: (row["segment"], row["kind"]))
    reported = [pa.RecordBatch.from_pylist(pieces)] if pieces else []
    begins = np.array([0, len(old)]), np.array([0, len(new)])
    found = [row for part in pointed._differing(are_sorted, *begins, reported) for row in part.to_pylist()]
    assert differing(*(at_positions(found, rows, rows is old) for rows in (old, new))) == differing(old, new)


@MANY
@given(old=ROWS, new=ROWS, size=st.integers(1, 5), capacity=st.integers(1, 9))
def test_a_window_of_hashes_tells_keys_apart(
    monkeypatch: pytest.MonkeyPatch, old: Rows, new: Rows, size: int, capacity: int
) -> None:
    sides = [RowGroups((("file", 0),), (len(rows),), 1, SCHEMA) for rows in (old, new)]
    parts = {id(side): rows for side, rows in zip(sides, (old, new), strict=True)}
    monkeypatch.setattr(RowGroups, "between", lambda groups, begin, end: cut(parts[id(groups)], size))
    segments = (Segment((0, len(old)), (0, len(new))),)
    found = [row for part in pointed._unmatched(*sides, segments, capacity, 1, 0) for row in part.to_pylist()]
    assert differing(*(at_positions(found, rows, rows is old) for rows in (old, new))) == differing(old, new)
