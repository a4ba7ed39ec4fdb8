"""The message comparator, against a warehouse in plain Python."""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laboratory.evaluation.comparator import compare, true_differences
from laboratory.evaluation.hashed import KINDS, Messages, Snapshot
from laboratory.snapshots.generator import GeneratorOptions, SnapshotGenerator

Rows = dict[int, int]
Stream = list[tuple[str, int, int]]

ROWS = st.dictionaries(st.integers(0, 6), st.integers(0, 3), max_size=6)
STREAM = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 7), st.integers(0, 3)), max_size=25)


def snapshot(rows: Rows) -> Snapshot:
    return Snapshot.of([pa.record_batch({"key": list(rows), "value": list(rows.values())})], ["key"])


def messages(stream: Stream) -> Messages:
    kinds, keys, values = zip(*stream, strict=True) if stream else ((), (), ())
    reported = {"change_type": pa.array(kinds, pa.string()), "key": pa.array(keys, pa.int64())}
    batch = pa.record_batch(reported | {"value": pa.array(values, pa.int64())})
    return Messages.of([batch.slice(0, 3), batch.slice(3)], ["key"])


def applied(stream: Iterable[tuple[str, int, int]], rows: Rows) -> Rows:
    held = dict(rows)
    for kind, key, value in stream:
        if kind == "delete":
            held.pop(key, None)
        elif kind == "insert":
            held.setdefault(key, value)
        elif key in held:
            held[key] = value
    return held


def minimal(old: Rows, new: Rows) -> Stream:
    gone = [("delete", key, 0) for key in old.keys() - new.keys()]
    come = [("insert", key, new[key]) for key in new.keys() - old.keys()]
    return gone + come + [("update", key, new[key]) for key in old.keys() & new.keys() if old[key] != new[key]]


@given(ROWS, ROWS, STREAM)
@settings(max_examples=300, deadline=None)
def test_messages_are_counted_by_what_they_do(old: Rows, new: Rows, stream: Stream) -> None:
    found = compare(messages(stream), snapshot(old), snapshot(new))
    after = applied(stream, old)
    differing = {key for _, key, _ in minimal(old, new)}
    wrong = {key for key in range(8) if after.get(key) != new.get(key)}
    assert found.is_right is (after == new)
    assert (found.missed, found.damaged) == (len(differing & wrong), len(wrong - differing))
    assert (found.expected, found.correct) == (len(differing), len(differing - wrong))
    assert found.messages == len(stream) == found.correct + found.extra
    assert found.extra >= 0


@settings(deadline=None)
@given(ROWS, ROWS, st.randoms())
def test_the_minimal_set_has_nothing_extra(old: Rows, new: Rows, chance: object) -> None:
    stream = minimal(old, new)
    chance.shuffle(stream)  # type: ignore[attr-defined]
    found = compare(messages(stream), snapshot(old), snapshot(new))
    assert found.is_right
    assert (found.extra, found.useless_delete_insert_pairs, found.useless_insert_delete_pairs) == (0, 0, 0)
    reported = true_differences(snapshot(old), snapshot(new))
    assert compare(reported, snapshot(old), snapshot(new)) == found


@settings(deadline=None)
@given(ROWS, ROWS)
def test_everything_deleted_and_inserted(old: Rows, new: Rows) -> None:
    """LG96 1.1: one extreme is a delete for each record of F1 and an insert for each of F2."""
    stream = [("delete", key, 0) for key in old] + [("insert", key, value) for key, value in new.items()]
    found = compare(messages(stream), snapshot(old), snapshot(new))
    both = len(old.keys() & new.keys())
    alike = sum(old.get(key) == value for key, value in new.items())
    assert found.is_right
    assert (found.useless_delete_insert_pairs, found.useless_insert_delete_pairs) == (both, 0)
    assert found.extra == 2 * alike + (both - alike)


@settings(deadline=None)
@given(ROWS, ROWS)
def test_deletes_that_come_last_lose_rows(old: Rows, new: Rows) -> None:
    stream = [("insert", key, value) for key, value in new.items()] + [("delete", key, 0) for key in old]
    found = compare(messages(stream), snapshot(old), snapshot(new))
    both = len(old.keys() & new.keys())
    assert found.missed + found.damaged == both == found.useless_insert_delete_pairs
    mended = compare(messages(stream).deletes_first(), snapshot(old), snapshot(new))
    assert mended.is_right
    assert (mended.useless_delete_insert_pairs, mended.useless_insert_delete_pairs) == (both, 0)


@pytest.mark.parametrize(
    ("stream", "pairs"),
    [
        ("d", (0, 0)),
        ("di", (1, 0)),
        ("dui", (1, 0)),
        ("ddii", (1, 0)),
        ("did", (1, 0)),
        ("didi", (2, 0)),
        ("id", (0, 1)),
        ("idid", (0, 2)),
        ("idi", (0, 1)),
    ],
)
def test_a_message_belongs_to_one_pair(stream: str, pairs: tuple[int, int]) -> None:
    kinds = {kind[0]: kind for kind in KINDS}
    # Between them, messages of another key.
    reported = [each for kind in stream for each in ((kinds[kind], 1, 5), ("update", 2, 6))]
    found = compare(messages(reported), snapshot({1: 5, 2: 6}), snapshot({1: 5, 2: 6}))
    assert (found.useless_delete_insert_pairs, found.useless_insert_delete_pairs) == pairs


def test_a_key_of_one_snapshot_makes_no_useless_pair() -> None:
    found = compare(messages([("delete", 1, 0), ("insert", 1, 5)]), snapshot({}), snapshot({1: 5}))
    assert (found.useless_delete_insert_pairs, found.extra, found.missed) == (0, 1, 0)


@given(st.integers(0, 300), st.floats(0, 0.4), st.floats(0, 0.4), st.floats(0, 0.4))
@settings(max_examples=30, deadline=None)
def test_the_generator_knows_the_differences(rows: int, updates: float, inserts: float, deletes: float) -> None:
    options = GeneratorOptions(rows, update_fraction=updates, insert_fraction=inserts, delete_fraction=deletes)
    made = SnapshotGenerator(options)
    old, new = (Snapshot.of(batches, ["account_id"]) for batches in (made.old(), made.new()))
    reported = true_differences(old, new)
    assert np.bincount(reported.kinds, minlength=3).tolist() == list(
        map(len, (made.deleted, made.inserted, made.updated))
    )


def test_columns_are_matched_by_name() -> None:
    delta = {"value": [5], "change_type": ["update"], "before__value": [4], "key": [1]}
    reported = Messages.of([pa.record_batch(delta)], ["key"], columns=["value"])
    assert compare(reported, snapshot({1: 4}), snapshot({1: 5})).is_right
    with_before = Messages.of([pa.record_batch(delta)], ["key"])
    assert compare(with_before, snapshot({1: 4}), snapshot({1: 5})).missed == 1


def test_equal_values_are_those_of_the_contract() -> None:
    old, new = (
        Snapshot.of([pa.record_batch({"key": [None, 1], "value": values})], ["key"])
        for values in ([float("nan"), 0.0], [float("nan"), -0.0])
    )
    assert len(true_differences(old, new)) == 0


def test_bad_input() -> None:
    batch = pa.record_batch({"key": [1, 1], "value": [1, 2]})
    with pytest.raises(ValueError, match="several rows have the same key"):
        Snapshot.of([batch], ["key"])
    with pytest.raises(ValueError, match="There is no column id: they are key, value"):
        Snapshot.of([batch], ["id"])
    with pytest.raises(ValueError, match="the column change_type is missing"):
        Messages.of([batch], ["key"])
    for kind in ("upsert", None):
        reported = pa.record_batch({"key": [1], "change_type": pa.array([kind], pa.string())})
        with pytest.raises(ValueError, match="change_type has values other than delete, insert, update"):
            Messages.of([reported], ["key"])
