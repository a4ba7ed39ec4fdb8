"""Compressed snapshots, merged or probed: every difference and no other, also where keys share a hash."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltawave.differencing.signatures import Signatures, differences, gathered, patched, segment_of

Rows = list[tuple[int, int]]

KEYS = st.integers(0, 12)
STATES = st.dictionaries(KEYS, st.integers(0, 2)).map(lambda state: list(state.items()))
DUMPS = st.lists(st.tuples(KEYS, st.integers(0, 2)), max_size=20)
# How many different hashes the keys have.
HASHES = st.sampled_from([1, 3, 1000])


def compressed(rows: Rows, hashes: int = 1000, is_sorted: bool = True) -> Signatures:
    """Rows of a key and a value, whose keys share a few hashes."""
    keys = np.array([key for key, _ in rows], dtype=np.int64)
    # As in Signatures.of, a row's hash covers its key.
    values = np.array([10 * key + value for key, value in rows], dtype=np.uint64)
    hash_of_key = (keys % hashes).astype(np.uint64) << np.uint64(54)
    batch = pa.RecordBatch.from_arrays([pa.array(keys)], ["k0"])
    # Half of the differences are in the second part of the hash alone.
    found = Signatures(hash_of_key, keys.astype(np.uint32), values // 2, values % 2, batch)
    return found.sorted() if is_sorted else found


def keys_of(rows: Signatures) -> list[int]:
    return rows.keys.column(0).to_pylist()  # type: ignore[no-any-return]


@settings(deadline=None)
@given(STATES, DUMPS, HASHES, st.booleans())
def test_every_difference_is_found_and_no_other(before: Rows, after: Rows, hashes: int, are_sorted: bool) -> None:
    old, new = compressed(before, hashes, are_sorted), compressed(after, hashes, are_sorted)
    found = differences(old, new, are_sorted)
    known, upserted = dict(before), dict(after)
    copies = Counter(key for key, _ in after)
    assert sorted(keys_of(old.take(found.deleted))) == sorted(known.keys() - upserted.keys())
    differing = {key for key in upserted if copies[key] > 1 or known.get(key) != upserted[key]}
    keys = keys_of(new.take(found.upserted))
    assert sorted(keys) == sorted(differing)
    for key, previous, is_repeated in zip(keys, found.previous.tolist(), found.is_repeated.tolist(), strict=True):
        assert (keys_of(old)[previous] if previous >= 0 else None) == (key if key in known else None)
        assert is_repeated == (copies[key] > 1)


@settings(deadline=None)
@given(STATES, STATES, st.sets(KEYS), HASHES)
def test_patches_take_the_place_of_kept_rows(before: Rows, changed: Rows, gone: set[int], hashes: int) -> None:
    changed = [(key, value) for key, value in changed if key not in gone]
    after = patched(
        compressed(before, hashes), compressed(changed, hashes), compressed([(key, 0) for key in gone], hashes)
    )
    expected = {key: value for key, value in (dict(before) | dict(changed)).items() if key not in gone}
    found = dict(zip(keys_of(after), (after.row_hash * 2 + after.row_check).tolist(), strict=True))
    assert found == {key: 10 * key + value for key, value in expected.items()}
    assert np.all(after.key_hash[:-1] <= after.key_hash[1:])


def test_without_patches_nothing_changes() -> None:
    kept = compressed([(1, 1)])
    assert patched(kept, None, None) is kept


@pytest.mark.parametrize("rows", [0, 1, 1000])
def test_what_is_written_is_read(rows: int) -> None:
    given_rows = Signatures.of(
        pa.RecordBatch.from_pydict({"k0": list(range(rows)), "k1": [None] * rows}), [pa.array(["a"] * rows)]
    ).sorted()
    read = Signatures.from_bytes(given_rows.to_bytes())
    assert len(read) == rows
    for part in ("key_hash", "key_check", "row_hash", "row_check"):
        assert (getattr(read, part) == getattr(given_rows, part)).all(), part
    assert read.keys.equals(given_rows.keys)


@pytest.mark.parametrize("segments", [1, 7, 64])
def test_segments_hold_every_row_once_and_keep_their_place_in_longer_ones(segments: int) -> None:
    rows = Signatures.of(pa.RecordBatch.from_pydict({"k0": list(range(5000))}), []).sorted()
    parts = list(rows.segments(segments))
    assert sum(len(part) for _, part in parts) == 5000
    for number, part in parts:
        assert set(segment_of(part.key_hash, segments).tolist()) == {number}
        assert {place // 3 for place in segment_of(part.key_hash, 3 * segments).tolist()} == {number}
    assert max(len(part) for _, part in parts) < 5000 // segments * 2 + 1


def test_batches_are_gathered_and_sorted() -> None:
    batches = [(number % 2, Signatures.of(pa.RecordBatch.from_pydict({"k0": [number]}), [])) for number in range(10)]
    parts = list(gathered(iter(batches), 4))
    assert [(kind, len(part)) for kind, part in parts] == [(0, 2), (1, 2), (0, 2), (1, 2), (0, 1), (1, 1)]
    assert all(np.all(part.key_hash[:-1] <= part.key_hash[1:]) for _, part in parts)
    kept = {(kind, key) for kind, part in parts for key in part.keys.column(0).to_pylist()}
    assert kept == {(number % 2, number) for number in range(10)}
    assert list(gathered(iter([]), 4)) == []


def test_wide_keys_are_gathered_in_smaller_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deltawave.differencing.signatures._GATHERED_KEY_BYTES", 1000)
    keys = (pa.RecordBatch.from_pydict({"k0": ["x" * 200 + str(number)]}) for number in range(50))
    wide = [(0, Signatures.of(key, [])) for key in keys]
    sizes = [part.keys.nbytes for _, part in gathered(iter(wide), 1 << 20)]
    assert 1000 <= max(sizes) < 1400
