"""Keys whose hashes collide: no algorithm that matches rows by hashes loses, doubles or invents a change."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deltawave.differencing import pointed, signatures, window
from deltawave.differencing.aging import windowed
from deltawave.differencing.aligning import Segment
from deltawave.differencing.compression import KEPT, NEW
from deltawave.differencing.hashing import Hashes
from deltawave.differencing.hybrid_hash import _MATCHING as HYBRID
from deltawave.differencing.in_place import RowGroups
from deltawave.differencing.text_diff import in_sequence
from deltawave.differencing.window import Comparison, Matching

Rows = dict[int | None, float | None]

SCHEMA = pa.schema([("key", pa.int64()), ("value", pa.float64())])
FOUND = pa.schema(
    [
        (f"{side}_{name}", kind)
        for side in ("old", "new")
        for name, kind in [("at", pa.int64()), ("key", pa.int64()), ("value", pa.float64())]
    ]
)
GROUPS = RowGroups((), (), 1, SCHEMA)
ROWS = st.dictionaries(st.none() | st.integers(0, 12), st.sampled_from([None, 0.0, 1.0]), max_size=12)
MATCHINGS = [Matching("window", windowed), Matching("text diff", in_sequence), HYBRID]
MANY = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def colliding(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three hashes for all keys; their checks and the hashes of rows stay."""
    row_hashes, hashes_by_seeds = signatures.row_hashes, signatures.hashes_by_seeds

    def few(columns: Any, seed: int) -> Hashes:
        assert seed == signatures._KEY_SEEDS[0]
        return (row_hashes(columns, seed) % np.uint64(3)) * np.uint64(2**62)

    def few_of_first(columns: Any, seeds: tuple[int, ...], rows: int) -> Hashes:
        hashes = hashes_by_seeds(columns, seeds, rows)
        if seeds == signatures._KEY_SEEDS and columns:
            hashes[0] = few(columns, seeds[0])
        return hashes

    monkeypatch.setattr(signatures, "row_hashes", few)
    monkeypatch.setattr(signatures, "hashes_by_seeds", few_of_first)


def batch(rows: Rows) -> pa.RecordBatch:
    cells = [pa.array(list(cell), kind) for cell, kind in zip((rows.keys(), rows.values()), SCHEMA.types, strict=True)]
    return pa.RecordBatch.from_arrays(cells, schema=SCHEMA)


def cut(rows: Rows, size: int) -> Iterator[tuple[int, pa.RecordBatch]]:
    whole = batch(rows)
    yield from ((at, whole.slice(at, size)) for at in range(0, len(rows), size))


def differing(old: Rows, new: Rows) -> dict[Any, str]:
    kinds = {key: "insert" if key not in old else "delete" if key not in new else "update" for key in old | new}
    return {key: kind for key, kind in kinds.items() if kind != "update" or old[key] != new[key]}


def at_positions(found: list[dict[str, Any]], rows: Rows, is_old: bool) -> Rows:
    """The rows to which pointers lead, each once."""
    positions = [each["position"] for each in found if each["is_old"] is is_old]
    assert len(set(positions)) == len(positions)
    return {key: rows[key] for key in (list(rows)[at] for at in positions)}


@pytest.mark.parametrize("matching", MATCHINGS, ids=lambda each: each.name)
@MANY
@given(old=ROWS, new=ROWS, size=st.integers(1, 5), capacity=st.integers(1, 9), memory=st.sampled_from([1, 90, 1 << 20]))
def test_rows_are_compared_by_their_keys(
    matching: Matching, old: Rows, new: Rows, size: int, capacity: int, memory: int
) -> None:
    task = Comparison(matching, GROUPS, GROUPS, (), capacity, memory, ["key"], ["value"], FOUND)
    found = [row for part in task.found_in(cut(old, size), cut(new, size)) for row in part.to_pylist()]
    pairs = [row for row in found if None not in (row["old_at"], row["new_at"])]
    assert all(row["old_key"] == row["new_key"] for row in pairs)
    # Rows without a partner are joined.
    rest: tuple[Rows, Rows] = ({}, {})
    for row in found:
        if row not in pairs:
            side, own = ("old", rest[0]) if row["new_at"] is None else ("new", rest[1])
            assert row[f"{side}_key"] not in own
            own[row[f"{side}_key"]] = row[f"{side}_value"]
    updates = {row["old_key"]: "update" for row in pairs if row["old_value"] != row["new_value"]}
    joined = differing(*rest)
    assert not updates.keys() & joined.keys()
    assert updates | joined == differing(old, new)


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
    told = [pa.RecordBatch.from_pylist(pieces)] if pieces else []
    begins = np.array([0, len(old)]), np.array([0, len(new)])
    found = [row for part in pointed._differing(are_sorted, *begins, told) for row in part.to_pylist()]
    assert differing(*(at_positions(found, rows, rows is old) for rows in (old, new))) == differing(old, new)


@MANY
@given(old=ROWS, new=ROWS, size=st.integers(1, 5), capacity=st.integers(1, 9))
def test_a_window_of_hashes_tells_keys_apart(
    monkeypatch: pytest.MonkeyPatch, old: Rows, new: Rows, size: int, capacity: int
) -> None:
    sides = [RowGroups((("file", 0),), (len(rows),), 1, SCHEMA) for rows in (old, new)]
    parts = {id(side): rows for side, rows in zip(sides, (old, new), strict=True)}
    monkeypatch.setattr(pointed, "rows_between", lambda groups, begin, end: cut(parts[id(groups)], size))
    segments = (Segment((0, len(old)), (0, len(new))),)
    found = [row for part in pointed._unmatched(*sides, segments, capacity, 1, 0) for row in part.to_pylist()]
    assert differing(*(at_positions(found, rows, rows is old) for rows in (old, new))) == differing(old, new)


def test_keys_do_collide() -> None:
    assert len(np.unique(window.key_hashes([pa.array(range(50))]))) == 3
