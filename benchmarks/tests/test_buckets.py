"""Hybrid hash join of blocks (LG95 3.3): any memory gives the same pairs, and rows in memory stay within it."""

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.test_aging import SIZES, block, blocks, positions

from deltawave.differencing.aging import Block
from deltawave.rows.hashing import Hashes, mix
from laboratory.differencing import buckets
from laboratory.differencing.buckets import by_buckets

# Bytes of a row, with its hash and position.
ROW = 24
KEYS = st.lists(st.integers(0, 60), max_size=60, unique=True)


def spread(parts: Iterator[Block]) -> Iterator[Block]:
    """The blocks with hashes that lie in all buckets."""
    for part in parts:
        hashes: Hashes = mix(part.hashes.copy())
        yield Block(hashes, part.positions, part.rows)


def reported(
    old: list[int], new: list[int], memory: int, sizes: list[int]
) -> tuple[set[tuple[int, int]], set[int], set[int]]:
    """The pairs of positions, and the positions of old and new rows without a partner; each comes once."""
    found = by_buckets(spread(blocks(old, sizes)), spread(blocks(new, sizes)), memory)
    pairs, deletes, inserts = positions(found, old, new)
    return set(pairs), set(deletes), set(inserts)


@settings(deadline=None)
@given(KEYS, KEYS, st.integers(0, 80), SIZES)
def test_memory_does_not_matter(old: list[int], new: list[int], rows: int, sizes: list[int]) -> None:
    pairs, deletes, inserts = reported(old, new, rows * ROW, sizes)
    assert {(old[one], new[other]) for one, other in pairs} == {(key, key) for key in {*old} & {*new}}
    assert {old[at] for at in deletes} == {*old} - {*new}
    assert {new[at] for at in inserts} == {*new} - {*old}


@settings(deadline=None)
@given(KEYS, KEYS, st.integers(0, 80), SIZES)
def test_parts_of_a_bucket_that_do_not_fit_together(
    old: list[int], new: list[int], rows: int, sizes: list[int]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(buckets, "PART_BYTES", 2 * ROW)
        patch.setattr(buckets, "_BUCKETS", 2)
        assert reported(old, new, rows * ROW, sizes) == reported(old, new, 1000 * ROW, [100])


class TestMemory:
    @pytest.fixture
    def spilled(self, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, int]]:
        """The side, the bytes in memory and the rows of each part that goes to a file."""
        monkeypatch.setattr(buckets, "_BLOCK_BYTES", 0)
        monkeypatch.setattr(buckets, "_COLUMN_BYTES", 0)
        found: list[tuple[str, int, int]] = []
        spill = buckets._Buckets.spill

        def noted(self: buckets._Buckets, bucket: int) -> None:
            found.append((Path(self._folder).name, self.size, self.rows_in_memory(bucket)))
            spill(self, bucket)

        monkeypatch.setattr(buckets._Buckets, "spill", noted)
        return found

    def test_what_fits_is_not_written(self, spilled: list[tuple[str, int, int]]) -> None:
        keys = [*range(1000)]
        reported(keys, keys, 2000 * ROW, [100])
        assert not spilled

    def test_rows_in_memory_stay_within_it(self, spilled: list[tuple[str, int, int]]) -> None:
        keys = [*range(1000)]
        reported(keys, keys, 500 * ROW, [100])
        assert {side for side, _, _ in spilled} == {"old", "new"}
        # What makes it too much is a part of one block.
        assert max(size for side, size, _ in spilled if side == "old") <= 600 * ROW

    def test_a_part_of_the_buckets_stays_in_memory(self, spilled: list[tuple[str, int, int]]) -> None:
        keys = [*range(1000)]
        reported(keys, keys, 500 * ROW, [100])
        written = {side: sum(rows for each, _, rows in spilled if each == side) for side in ("old", "new")}
        assert 300 < written["old"] < 700, "k of N buckets are kept"
        assert written["new"] < 0.9 * written["old"], "rows that were met make room for new ones"

    def test_all_that_a_waiting_part_takes_is_counted(self, tmp_path: Path) -> None:
        side = buckets._Buckets(tmp_path / "old")
        parts = [block([*range(20)]) for _ in range(500)]
        tracemalloc.start()
        before = pa.total_allocated_bytes()
        try:
            for number, part in enumerate(parts):
                side.add(number % 64, part)
            taken = tracemalloc.get_traced_memory()[0] + pa.total_allocated_bytes() - before
        finally:
            tracemalloc.stop()
        # Python does not see the objects of Arrow itself.
        assert taken < side.size < 3 * taken

    def test_no_file_is_left(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        for _ in by_buckets(spread(iter([block([*range(100)])])), spread(iter([block([*range(50)])])), 0):
            assert list(tmp_path.iterdir())
        assert not list(tmp_path.iterdir())


def test_packed_rows_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buckets, "PART_BYTES", 80)
    packs = buckets.packed(blocks([*range(50)], [3, 20, 4]))
    assert [at for part in packs for at in part.positions.tolist()] == [*range(50)]
    assert [len(part) for part in packs] == [3, 20, 7, 20]
    assert not buckets.packed([])
