"""Pairs of synthetic snapshots: their differences are those that the generator says, wherever the rows lie."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laboratory.snapshots.generator import CHUNK, ORDERS, GeneratorOptions, SnapshotGenerator
from laboratory.snapshots.permutation import Permutation

MANY = GeneratorOptions(rows=300_000, update_fraction=0.01, displacement=5000)

options = st.builds(
    GeneratorOptions,
    rows=st.integers(0, 400),
    record_bytes=st.integers(75, 200),
    update_fraction=st.floats(0, 0.5),
    insert_fraction=st.floats(0, 1),
    delete_fraction=st.floats(0, 0.5),
    order=st.sampled_from(ORDERS),
    displacement=st.integers(0, 50),
    clusters=st.integers(0, 9),
    seed=st.integers(0, 99),
)


def rows_of(batches: Any) -> dict[int, dict[str, Any]]:
    rows = [row for batch in batches for row in batch.to_pylist()]
    found = {row["account_id"]: row for row in rows}
    assert len(found) == len(rows)
    return found


def keys_of(batches: Any) -> np.ndarray:
    return np.concatenate([batch["account_id"].to_numpy() for batch in batches])


@given(options)
@settings(max_examples=60, deadline=None)
def test_the_differences_are_those_that_it_says(options: GeneratorOptions) -> None:
    made = SnapshotGenerator(options)
    old, new = rows_of(made.old()), rows_of(made.new())
    assert len(old) == options.rows
    assert len(new) == made.new_rows
    assert set(new) - set(old) == set(made.inserted.tolist())
    assert set(old) - set(new) == set(made.deleted.tolist())
    assert {key for key in old.keys() & new.keys() if old[key] != new[key]} == set(made.updated.tolist())
    assert len(made.inserted) == round(options.insert_fraction * options.rows)
    changed = round((options.update_fraction + options.delete_fraction) * options.rows)
    assert len(made.deleted) + len(made.updated) == min(changed, options.rows)


@given(options)
@settings(max_examples=20, deadline=None)
def test_equal_options_give_equal_snapshots(options: GeneratorOptions) -> None:
    one, other = SnapshotGenerator(options), SnapshotGenerator(replace(options))
    assert list(one.new()) == list(other.new())
    assert list(one.old()) == list(other.old())


class TestOrders:
    def test_the_earlier_one_and_the_same_places_are_in_order_of_the_keys(self) -> None:
        made = SnapshotGenerator(replace(MANY, order="same", delete_fraction=0.1))
        assert np.all(np.diff(keys_of(made.old())) == 1)
        assert np.all(np.diff(keys_of(made.new())) > 0)

    def test_inserts_lie_all_over_the_file(self) -> None:
        made = SnapshotGenerator(replace(MANY, order="same", insert_fraction=0.01))
        places = np.flatnonzero(keys_of(made.new()) >= MANY.rows)
        assert len(places) == 3000
        assert np.diff(places).max() <= 102

    def test_local_displacement_is_uniform_up_to_twice_its_average(self) -> None:
        """LG96 5.2."""
        keys = keys_of(SnapshotGenerator(MANY).new())
        displaced = np.abs(keys - np.arange(len(keys)))
        assert displaced.mean() == pytest.approx(5000, rel=0.05)
        assert displaced.max() < 2.1 * 5000
        assert np.quantile(displaced, [0.25, 0.75]) == pytest.approx([2500, 7500], rel=0.1)

    def test_full_disorder(self) -> None:
        keys = keys_of(SnapshotGenerator(replace(MANY, order="full")).new())
        assert np.array_equal(np.sort(keys), np.arange(MANY.rows))
        # Of two random places, one third of the file lies between.
        assert np.abs(keys - np.arange(len(keys))).mean() == pytest.approx(MANY.rows / 3, rel=0.05)

    def test_changes_in_a_few_places(self) -> None:
        made = SnapshotGenerator(replace(MANY, update_fraction=0.001, delete_fraction=0.001, clusters=3))
        changed = np.sort(np.concatenate([made.updated, made.deleted]))
        assert len(changed) == 600
        assert np.count_nonzero(np.diff(changed) > 1) == 2


def test_rows_are_made_a_few_at_a_time() -> None:
    for order in ORDERS:
        assert max(map(len, SnapshotGenerator(replace(MANY, order=order)).new())) <= CHUNK


@pytest.mark.parametrize("size", [75, 76, 99, 156, 1000])
def test_a_record_is_as_long_as_asked_for(size: int) -> None:
    made = SnapshotGenerator(replace(MANY, rows=10_000, record_bytes=size))
    (batch,) = made.old()
    widths = {"int64": 8, "int32": 4, "date32[day]": 4, "double": 8, "bool": 1}
    values = sum(widths[str(column.type)] * len(column) for column in batch if str(column.type) in widths)
    texts = sum(len(text) for column in batch if str(column.type) == "string" for text in column.to_pylist())
    assert (values + texts) / len(batch) == pytest.approx(size, abs=1)
    assert len(set(batch["name"].to_pylist())) == len(batch)


def test_files_hold_the_rows_in_order(tmp_path: Path) -> None:
    made = SnapshotGenerator(replace(MANY, insert_fraction=0.01))
    made.write(tmp_path / "pair", rows_per_file=200_000, rows_per_group=50_000)
    for name, batches in (("old", made.old()), ("new", made.new())):
        files = sorted((tmp_path / "pair" / name).iterdir())
        assert [file.name for file in files] == ["part-00000.parquet", "part-00001.parquet"]
        sizes = [pq.read_metadata(file).num_rows for file in files]
        assert sizes[0] == 200_000
        for file, size in zip(files, sizes, strict=True):
            groups = [pq.read_metadata(file).row_group(group).num_rows for group in range(-(-size // 50_000))]
            assert groups[:-1] == [50_000] * (len(groups) - 1)
            assert sum(groups) == size
        found = pa.dataset.dataset(list(map(str, files))).to_table()
        assert found.equals(pa.Table.from_batches(batches))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rows": -1}, "rows can't be -1; it takes a number from 0"),
        ({"order": "sorted"}, "order can't be 'sorted'; it takes same, local, swapped, full"),
        ({"update_fraction": 1.5}, "update_fraction can't be 1.5; it takes a number from 0 to 1"),
        ({"record_bytes": 20}, "record_bytes can't be 20; it takes a number from 75 to 16000"),
        ({"update_fraction": 0.6, "delete_fraction": 0.6}, "more rows are updated and deleted than there are"),
    ],
)
def test_options_that_no_pair_can_have_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GeneratorOptions(**wrong)


@given(st.integers(1, 5000), st.integers(0, 50))
@settings(max_examples=60, deadline=None)
def test_a_permutation_takes_each_number_to_a_place_of_its_own(size: int, seed: int) -> None:
    places = Permutation(size, seed)(np.arange(size))
    assert np.array_equal(np.sort(places), np.arange(size))


def test_any_part_of_a_permutation_is_computed_by_itself() -> None:
    places = Permutation(100_000_000, 7)
    one = places(np.arange(99_999_000, 100_000_000))
    assert len(np.unique(one)) == 1000
    assert one.max() < 100_000_000
    assert np.array_equal(places(np.array([99_999_500])), one[500:501])
