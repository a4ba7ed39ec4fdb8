"""The hash table of a compressed snapshot: every key is found and no other, however the hashes fall."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltawave.differencing import hash_compressed
from deltawave.differencing.compression import signatures
from deltawave.differencing.hash_table import HashTable, Layout
from deltawave.differencing.shared_table import SharedTable
from deltawave.differencing.signatures import Signatures

TOP = 2**64 - 1
HASHES = st.one_of(st.integers(0, TOP), st.sampled_from([0, 1, 2**32, 2**63, TOP - 2, TOP - 1, TOP]))


def compressed(hashes: list[int], checks: list[int] | None = None) -> Signatures:
    """Rows with these hashes of their keys; the key is the hash in words."""
    batch = pa.RecordBatch.from_pydict({"k0": [f"{hashed}" for hashed in hashes]})
    key_check = np.array(checks or [0] * len(hashes), dtype=np.uint32)
    # As in Signatures.of, a row's hash covers its key.
    row_hash = np.array(hashes, dtype=np.uint64) * np.uint64(9) + key_check
    return Signatures(np.array(hashes, dtype=np.uint64), key_check, row_hash, np.zeros_like(row_hash), batch)


def table(folder: Path, rows: Signatures, segments: int) -> HashTable:
    parts = dict(rows.segments(segments))
    layout = Layout.of(segments, max((len(part) for part in parts.values()), default=0))
    for segment, part in parts.items():
        assert layout.write(folder, segment, part) <= layout.size
    return HashTable(folder if parts else None, layout)


@settings(deadline=None)
@given(st.lists(HASHES, unique=True, max_size=60), st.lists(HASHES, max_size=30), st.sampled_from([1, 2, 7, 64]))
def test_every_key_is_found_and_no_other(
    tmp_path_factory: pytest.TempPathFactory, kept: list[int], others: list[int], segments: int
) -> None:
    # The two highest hashes are one: no free place may be taken for a row.
    kept = sorted(set(kept) - {TOP})
    found = table(tmp_path_factory.mktemp("table") / "new", compressed(kept), segments)
    asked = compressed(kept + others)
    places, is_same = found.match(asked)
    assert is_same.tolist() == [hashed in kept for hashed in kept + others]
    assert (places >= 0).tolist() == [min(hashed, TOP - 1) in kept for hashed in kept + others]
    assert len(set(places[: len(kept)].tolist())) == len(kept)
    chosen = np.zeros(found.places, dtype=bool)
    chosen[places[places >= 0]] = True
    keys = [key for batch in found.keys_at(chosen) for key in batch.column(0).to_pylist()]
    assert keys == [f"{hashed}" for hashed in kept]


def test_keys_of_one_hash_are_told_apart(tmp_path: Path) -> None:
    kept = compressed([7, 7, 7, 9], [1, 2, 3, 1])
    found = table(tmp_path / "new", kept, 1)
    asked = compressed([7, 7, 7, 7, 9], [3, 1, 2, 4, 5])
    asked.row_hash[1] += np.uint64(100)
    asked.row_check[2] += np.uint64(1)
    places, is_same = found.match(asked)
    assert is_same.tolist() == [True, False, False, False, False]
    assert len(set(places[:3].tolist())) == 3
    assert places[3:].tolist() == [-1, -1]


def test_many_rows(tmp_path: Path) -> None:
    rows = Signatures.of(
        pa.RecordBatch.from_pydict({"k0": np.arange(100_000)}), [pa.array(np.arange(100_000))]
    ).sorted()
    found = table(tmp_path / "new", rows, 3)
    others = Signatures.of(pa.RecordBatch.from_pydict({"k0": np.arange(100_000, 200_000)}), [])
    places, is_same = found.match(rows)
    assert len(np.unique(places)) == 100_000
    assert is_same.all()
    assert (found.match(others)[0] == -1).all()
    assert not list(found.keys_at(np.zeros(found.places, dtype=bool)))


def test_a_segment_that_needs_more_places_says_so_and_writes_nothing(tmp_path: Path) -> None:
    # All hashes name the last place.
    rows = compressed([TOP - 1] * 2000, list(range(2000)))
    layout = Layout.of(1, len(rows))
    needed = layout.write(tmp_path / "small", 0, rows)
    assert needed > layout.size
    assert not list((tmp_path / "small").glob("keys_*"))
    larger = replace(layout, size=needed)
    assert larger.write(tmp_path / "large", 0, rows) == needed
    assert sorted(HashTable(tmp_path / "large", larger).match(rows)[0].tolist()) == list(
        range(layout.room - 1, needed - 1)
    )


def test_a_table_that_is_gone_is_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        HashTable(tmp_path / "gone", Layout.of(1, 10))


def test_a_task_reports_kept_keys_once_and_repeated_ones(tmp_path: Path) -> None:
    def batch(keys: list[int]) -> pa.RecordBatch:
        return pa.RecordBatch.from_pydict({"id": keys, "name": [f"{key}" for key in keys]})

    kept = signatures(batch([*range(10)]).columns, 1).sorted()
    layout = Layout.of(1, len(kept))
    layout.write(tmp_path / "table", 0, kept)
    shared = cast(SharedTable, SimpleNamespace(open=lambda: HashTable(tmp_path / "table", layout)))
    types = {"was_kept": pa.bool_(), "is_there": pa.bool_(), "seen": pa.binary(), "repeated": pa.binary()}
    schema = pa.schema([*batch([1]).schema, *map(pa.field, types, types.values())])
    # 1 is repeated in a batch, 2 in another one, 3 three times; 20 was not kept.
    *differing, own = hash_compressed._Probe(shared, [0, 1], 1, schema)(map(batch, ([1, 1, 2, 3], [20, 3, 2, 3, 4])))
    assert [key for part in differing for key in part.column("id").to_pylist()] == [20]
    keys = {
        (key, is_there)
        for part in hash_compressed._unmatched_and_repeated(shared)([own.select(["seen", "repeated"])])
        for key, is_there in zip(part.column("k0").to_pylist(), part.column("is_there").to_pylist(), strict=True)
    }
    assert keys == {*((key, False) for key in (0, 5, 6, 7, 8, 9)), (1, True), (2, True), (3, True)}
