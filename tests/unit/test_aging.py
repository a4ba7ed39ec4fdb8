"""The window algorithm over blocks of rows: LG96, Algorithm 3.3."""

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltawave.differencing.aging import Aged, AgingBuffer, Block, Matched, windowed

KEYS = st.lists(st.integers(0, 30), max_size=40)
SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=5)

Positions = tuple[list[tuple[int, int]], list[int], list[int]]


def block(keys: list[int], begin: int = 0) -> Block:
    rows = pa.RecordBatch.from_pydict({"key": pa.array(keys, pa.int64())})
    return Block(np.array(keys, dtype=np.uint64), np.arange(begin, begin + len(keys)), rows)


def blocks(keys: list[int], sizes: list[int]) -> Iterator[Block]:
    begin, number = 0, 0
    while begin < len(keys):
        size = sizes[number % len(sizes)]
        yield block(keys[begin : begin + size], begin)
        begin, number = begin + size, number + 1


def compared(old: list[int], new: list[int], capacity: int, sizes: list[int], others: list[int]) -> Positions:
    return positions(windowed(blocks(old, sizes), blocks(new, others), capacity), old, new)


def positions(found: Iterable[Matched | Aged], old: list[int], new: list[int]) -> Positions:
    """Positions of the pairs, of the other old rows, and of the other new rows, in the order in which they come."""
    pairs: list[tuple[int, int]] = []
    deletes: list[int] = []
    inserts: list[int] = []
    for each in found:
        if isinstance(each, Matched):
            pairs += zip(each.old.positions.tolist(), each.new.positions.tolist(), strict=True)
            for one, other in ((each.old, old), (each.new, new)):
                assert one.rows.column("key").to_pylist() == [other[at] for at in one.positions]
        else:
            (deletes if each.is_old else inserts).extend(each.rows.positions.tolist())
    # Each row comes once.
    assert sorted([one for one, _ in pairs] + deletes) == list(range(len(old)))
    assert sorted([other for _, other in pairs] + inserts) == list(range(len(new)))
    assert all(old[one] == new[other] for one, other in pairs)
    return pairs, deletes, inserts


@settings(deadline=None)
@given(KEYS, KEYS, st.integers(1, 50), SIZES, SIZES)
def test_each_row_comes_once(
    old: list[int], new: list[int], capacity: int, sizes: list[int], others: list[int]
) -> None:
    compared(old, new, capacity, sizes, others)


@settings(deadline=None)
@given(KEYS, KEYS, SIZES, SIZES)
def test_a_large_buffer_finds_all_matches(old: list[int], new: list[int], sizes: list[int], others: list[int]) -> None:
    _, deletes, inserts = compared(old, new, 1000, sizes, others)
    assert Counter(old[at] for at in deletes) == Counter(old) - Counter(new)
    assert Counter(new[at] for at in inserts) == Counter(new) - Counter(old)


@pytest.mark.parametrize(("capacity", "is_matched"), [(4, False), (5, True)])
def test_a_row_waits_as_long_as_there_is_room(capacity: int, is_matched: bool) -> None:
    # The row 100 moved behind five others, each of which waits, too.
    old, new = [100, 1, 2, 3, 4], [11, 12, 13, 14, 15, 100]
    pairs, deletes, _ = compared(old, new, capacity, [1], [1])
    assert pairs == ([(0, 5)] if is_matched else [])
    assert (0 in deletes) is not is_matched


def test_the_oldest_rows_give_way_first() -> None:
    buffer = AgingBuffer(4)
    aged = [
        at
        for part in range(4)
        for rows in buffer.push(block([part * 3 + each for each in range(3)], part * 3))
        for at in rows.positions.tolist()
    ]
    assert aged == list(range(8))
    assert [at for rows in buffer.drain() for at in rows.positions.tolist()] == [8, 9, 10, 11]


def test_waiting_rows_do_not_hold_the_block_that_they_came_from() -> None:
    rows = pa.RecordBatch.from_pydict({"key": pa.array(range(100_000)), "text": pa.array(["x"] * 100_000)})
    whole = Block(np.arange(100_000, dtype=np.uint64), np.arange(100_000), rows)
    buffer = AgingBuffer(10)
    buffer.push(whole.slice(0, 5))
    (waiting,) = buffer.drain()
    assert sum(part.size for column in waiting.rows.columns for part in column.buffers() if part) < 1000


def test_bytes_are_bounded_too() -> None:
    buffer = AgingBuffer(1_000_000, capacity_bytes=10_000)
    aged = 0
    for part in range(20):
        rows = pa.RecordBatch.from_pydict({"text": ["x" * 100] * 10})
        aged += sum(map(len, buffer.push(Block(np.arange(10, dtype=np.uint64) + np.uint64(part), np.arange(10), rows))))
        assert sum(waiting.size for waiting in buffer._rows) <= 10_000
    assert 50 < len(buffer) == 200 - aged


@pytest.mark.parametrize("rows", [1, 100])
def test_one_part_that_is_too_large_is_given_up_in_part(rows: int) -> None:
    text = "x" * (100_000 // rows)
    batch = pa.RecordBatch.from_pydict({"text": [text] * rows})
    buffer = AgingBuffer(1_000_000, capacity_bytes=20_000)
    aged = buffer.push(Block(np.arange(rows, dtype=np.uint64), np.arange(rows), batch))
    waiting = buffer.drain()
    assert sum(part.size for part in waiting) <= 20_000
    # The newest rows stay.
    assert [at for part in [*aged, *waiting] for at in part.positions.tolist()] == [*range(rows)]
    assert bool(waiting) is (rows > 1)


def test_rows_in_dictionaries_are_counted_as_their_copies_will_be() -> None:
    # Enough rows of each block wait where they were decoded.
    text = pa.array(["x" * 200, "y" * 200] * 5000).dictionary_encode()
    rows = pa.RecordBatch.from_arrays([text], ["text"])
    buffer = AgingBuffer(1_000_000, capacity_bytes=5_000_000)
    for number in range(4):
        hashes = np.arange(10_000, dtype=np.uint64) + np.uint64(number * 10_000)
        buffer.push(Block(hashes, np.arange(10_000), rows))
    waiting = buffer.drain()
    assert sum(part.copied().rows.nbytes for part in waiting) <= 5_000_000
    assert waiting


def test_a_part_of_a_larger_batch_is_copied_when_it_waits() -> None:
    rows = pa.RecordBatch.from_pydict({"text": ["x" * 100] * 10_000}).slice(50, 10)
    buffer = AgingBuffer(100, capacity_bytes=10_000)
    assert not buffer.push(Block(np.arange(10, dtype=np.uint64), np.arange(10), rows))
    assert len(buffer) == 10


def test_dictionaries_of_several_files_wait_together() -> None:
    buffer = AgingBuffer(100)
    for name in "ab":
        text = pa.array([name] * 3).dictionary_encode()
        rows = pa.RecordBatch.from_arrays([text], ["text"])
        buffer.push(Block(np.array([1, 2, 3], dtype=np.uint64) + np.uint64(ord(name)), np.arange(3), rows))
    assert [text for rows in buffer.drain() for text in rows.rows.column("text").to_pylist()] == ["a"] * 3 + ["b"] * 3


def test_both_snapshots_are_read_in_step() -> None:
    reads: list[tuple[str, int]] = []

    def read(side: str, sizes: list[int]) -> Iterator[Block]:
        begin = 0
        for size in sizes:
            reads.append((side, begin))
            yield block(list(range(begin, begin + size)), begin)
            begin += size

    # Row groups end elsewhere in each snapshot: the one that lags is read on.
    found = list(windowed(read("old", [10] * 9), read("new", [30] * 3), 30))
    assert not any(isinstance(each, Aged) for each in found)
    at = [begin if side == "old" else None for side, begin in reads]
    assert max(begin for begin in at[: reads.index(("new", 30))] if begin is not None) <= 30


def test_rows_of_more_than_a_column_holds_are_not_lost() -> None:
    # Zeros that nothing reads take no memory.
    text = pa.py_buffer(np.zeros(1_200_000_000, dtype=np.uint8))
    ends = pa.array([0, 1_200_000_000], pa.int32()).buffers()[1]
    rows = pa.RecordBatch.from_arrays([pa.Array.from_buffers(pa.string(), 1, [None, ends, text])], ["text"])
    parts = [Block(np.array([number], dtype=np.uint64), np.array([number]), rows) for number in range(2)]
    with pytest.raises(OverflowError, match="more than 2 GB"):
        Block.concat(parts)
