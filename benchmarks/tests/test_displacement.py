"""Distance (LG96 equation 3), divergence (LG95 4.5), and the window algorithm with the paper's messages."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laboratory.evaluation.comparator import compare
from laboratory.evaluation.displacement import MatchedPositions
from laboratory.evaluation.experiments import measure
from laboratory.evaluation.hashed import Messages, Snapshot
from laboratory.evaluation.window_messages import WindowBuffers, WindowMessages
from laboratory.snapshots.generator import GeneratorOptions, SnapshotGenerator
from laboratory.snapshots.swaps import swapped

KEYS = st.lists(st.integers(0, 40), unique=True, max_size=30)


def matched(old: list[int], new: list[int]) -> MatchedPositions:
    return MatchedPositions.of(np.array(old, dtype=np.int64), np.array(new, dtype=np.int64))


@given(KEYS, KEYS, st.integers(0, 6), st.integers(1, 5))
def test_distance_and_divergence_are_the_papers(old: list[int], new: list[int], blocks: int, block_rows: int) -> None:
    found = matched(old, new)
    apart = [abs(old.index(key) - new.index(key)) for key in set(old) & set(new)]
    most = max(len(old), len(new), 1)
    assert found.distance == pytest.approx(sum(apart) / (most**2 / 2))
    assert found.average_displacement == pytest.approx(sum(apart) / max(len(apart), 1))
    far = [abs(old.index(key) // block_rows - new.index(key) // block_rows) > blocks for key in set(old) & set(new)]
    assert found.divergence(blocks, block_rows) == pytest.approx(sum(far) / max(len(far), 1))
    assert matched(new, old).distance == found.distance


def test_the_opposite_order_has_the_largest_distance() -> None:
    assert matched(list(range(100)), list(range(100))[::-1]).distance == 1
    assert matched(list(range(100)), list(range(100))).distance == 0


def test_the_example_of_a_divergence() -> None:
    """LG95 4.5: 20 % of the matching rows lie more than 10 blocks apart, D(0.20, 10)."""
    old = list(range(100))
    new = [*range(90, 100), *range(10, 90), *range(10)]
    assert matched(old, new).divergence(10) == 0.2


def test_a_key_that_comes_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="several new rows have the same key"):
        matched([1, 2], [1, 1])


@given(st.integers(0, 300), st.integers(0, 400), st.integers(0, 9))
def test_swaps_lose_no_row(rows: int, displacement: int, seed: int) -> None:
    assert sorted(swapped(rows, displacement, seed).tolist()) == list(range(rows))


def test_swaps_reach_the_papers_distance() -> None:
    """5.2: 0.34 for 650,000 records that are swapped over 50,000; here a tenth of both."""
    found = MatchedPositions.of(np.arange(65_000), swapped(65_000, 5000, 1996))
    assert found.distance == pytest.approx(0.33, abs=0.01)


def found_by_window(options: GeneratorOptions, buffers: WindowBuffers) -> tuple[Messages, Snapshot, Snapshot]:
    made = SnapshotGenerator(options)
    old, new = list(made.old()), list(made.new())
    reported = Messages.of(WindowMessages(old, new, ["account_id"], buffers), ["account_id"])
    return reported, Snapshot.of(old, ["account_id"]), Snapshot.of(new, ["account_id"])


options = st.builds(
    GeneratorOptions,
    rows=st.integers(1, 200),
    record_bytes=st.just(75),
    update_fraction=st.floats(0, 0.5),
    insert_fraction=st.floats(0, 0.5),
    delete_fraction=st.floats(0, 0.5),
    order=st.sampled_from(("local", "swapped", "full")),
    displacement=st.integers(0, 40),
    seed=st.integers(0, 9),
)


@given(options, st.integers(1, 60), st.integers(1, 20))
@settings(max_examples=30, deadline=None)
def test_the_window_is_correct_with_useless_pairs(options: GeneratorOptions, aging: int, block: int) -> None:
    buffers = WindowBuffers(aging_bytes=aging, block_bytes=block, record_bytes=1)
    reported, old, new = found_by_window(options, buffers)
    found = compare(reported.deletes_first(), old, new)
    assert found.is_right
    assert found.useless_insert_delete_pairs == 0
    # Whatever is extra belongs to a pair: one message of an updated row, both of another one.
    pairs = found.useless_delete_insert_pairs
    assert pairs <= found.extra <= 2 * pairs


@given(st.integers(1, 150), st.integers(0, 60), st.integers(0, 9), st.integers(0, 60))
@settings(max_examples=40, deadline=None)
def test_extra_messages_begin_where_the_aging_buffer_is_full(rows: int, over: int, seed: int, aging: int) -> None:
    options = GeneratorOptions(rows, update_fraction=0.2, order="swapped", displacement=over, seed=seed)
    # Blocks of one record.
    found = measure(options, WindowBuffers(aging_bytes=aging + 0.5, block_bytes=1, record_bytes=1))
    assert (found.extra_messages == 0) is (found.peak_waiting <= aging)
    assert found.peak_rows == min(found.peak_waiting, aging)


def test_keys_and_versions_alone_give_as_many_messages() -> None:
    options = GeneratorOptions(3000, update_fraction=0.2, order="swapped", displacement=300)
    buffers = WindowBuffers(aging_bytes=156 * 200, block_bytes=156 * 30)
    reported, old, new = found_by_window(options, buffers)
    whole = compare(reported.deletes_first(), old, new)
    slim = measure(options, buffers)
    assert (slim.messages, slim.extra_messages) == (whole.messages, whole.extra)
    assert slim.useless_pairs == whole.useless_delete_insert_pairs > 0


def test_the_order_in_which_messages_are_found_can_lose_rows() -> None:
    old, new = (pa.record_batch({"key": keys}) for keys in ([1, 2, 3, 4], [4, 3, 2, 1]))
    buffers = WindowBuffers(aging_bytes=1, block_bytes=1, record_bytes=1)
    reported = Messages.of(WindowMessages([new], [old], ["key"], buffers), ["key"])
    sides = Snapshot.of([new], ["key"]), Snapshot.of([old], ["key"])
    found = compare(reported, *sides)
    assert found.damaged == found.useless_insert_delete_pairs > 0
    assert compare(reported.deletes_first(), *sides).is_right


def test_a_message_has_the_row() -> None:
    old = pa.record_batch({"key": [1, 2, 3], "value": [1.0, float("nan"), 0.0], "text": ["a", "b", None]})
    new = pa.record_batch({"key": [4, 3, 2, 1], "value": [5.0, -0.0, float("nan"), 6.0], "text": ["d", None, "b", "a"]})
    reported = [row for batch in WindowMessages([old], [new], ["key"]) for row in batch.to_pylist()]
    assert sorted(reported, key=lambda row: row["key"]) == [
        {"key": 1, "value": 6.0, "text": "a", "change_type": "update"},
        {"key": 4, "value": 5.0, "text": "d", "change_type": "insert"},
    ]


def test_bad_input_of_the_window() -> None:
    batch, other = pa.record_batch({"key": [1]}), pa.record_batch({"key": ["1"]})
    with pytest.raises(ValueError, match="no key column id: they are key"):
        list(WindowMessages([batch], [], ["id"]))
    with pytest.raises(ValueError, match="the same columns, in the same order and of the same types"):
        list(WindowMessages([batch], [other], ["key"]))
    with pytest.raises(ValueError, match="change_type is the messages' own column"):
        list(WindowMessages([pa.record_batch({"key": [1], "change_type": ["x"]})], [], ["key"]))
    with pytest.raises(ValueError, match="aging_bytes can't be 0; it takes a number above 0"):
        WindowBuffers(aging_bytes=0)
    assert list(WindowMessages([], [], ["key"])) == []
