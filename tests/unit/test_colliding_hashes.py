"""Keys whose hashes collide: no algorithm that matches rows by hashes loses, doubles or invents a change."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deltawave.differencing import signatures, window
from deltawave.differencing.aging import windowed
from deltawave.differencing.text_diff import in_sequence
from deltawave.differencing.window import Comparison, Matching
from deltawave.rows.hashing import Hashes
from deltawave.rows.in_place import RowGroups

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
MATCHINGS = [Matching("window", windowed), Matching("text diff", in_sequence)]
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


@pytest.mark.parametrize("matching", MATCHINGS, ids=lambda each: each.name)
@MANY
@given(old=ROWS, new=ROWS, size=st.integers(1, 5), capacity=st.integers(1, 9), memory=st.sampled_from([1, 90, 1 << 20]))
def test_rows_are_compared_by_their_keys(
    matching: Matching, old: Rows, new: Rows, size: int, capacity: int, memory: int
) -> None:
    check(matching, old, new, size, capacity, memory)


def check(matching: Matching, old: Rows, new: Rows, size: int, capacity: int, memory: int) -> None:
    """Pairs have equal keys, and what they and the rows without a partner tell is what differs."""
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


def test_keys_do_collide() -> None:
    assert len(np.unique(window.key_hashes([pa.array(range(50))]))) == 3
