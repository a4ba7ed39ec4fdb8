"""Results that wait for their order: by their tuples, in the order in which they came for each."""

import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deltawave.meshjoin.conditions import Equal
from deltawave.meshjoin.operator import MeshJoin
from deltawave.meshjoin.relation import PageFile, write_pages
from deltawave.meshjoin.stream import Counts
from laboratory.meshjoin.ordered import Ordered, run_ordered
from laboratory.meshjoin.self_tuner import Fixed

SCHEMA = pa.schema([("tuple", pa.int64()), ("came", pa.int64())])


def test_tuples_without_results_beside_one_of_many() -> None:
    """As many results as are put in order at a time are those of one tuple: before and after it are none."""
    waiting, many = Ordered(SCHEMA), 1 << 18
    rows = pa.table([pa.array(np.full(many, 2)), pa.array(np.arange(many))], schema=SCHEMA)
    waiting.add(np.full(many, 2), rows, np.array([0]))
    assert pa.Table.from_batches(waiting.leave(0)).equals(rows)


def test_what_lies_in_memory_does_not_grow_with_the_results() -> None:
    """Of 400 tuples in two blocks, in 100 parts of 16,384 results."""
    random, waiting = np.random.default_rng(1), Ordered(SCHEMA)
    begins, part = np.array([0, 300]), 1 << 14
    for at in range(100):
        numbers = random.integers(0, 400, part)
        rows = pa.table([pa.array(numbers), pa.array(np.arange(part) + at * part)], schema=SCHEMA)
        waiting.add(numbers, rows, begins)
    last, count = (-1, -1), 0
    tracemalloc.start()
    try:
        for begin in begins.tolist():
            for rows in waiting.leave(begin):
                tuples, came = (column.to_numpy() for column in rows.columns)
                reported = np.concatenate([[last[0]], tuples]), np.concatenate([[last[1]], came])
                is_later = (np.diff(reported[0]) > 0) | ((np.diff(reported[0]) == 0) & (np.diff(reported[1]) > 0))
                assert is_later.all()
                last, count = (int(tuples[-1]), int(came[-1])), count + rows.num_rows
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 100 * part
    # The numbers of all results would take 13 MB.
    assert most < 8 << 20


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.tuples(st.integers(0, 6), st.sampled_from([None, 0, 7, 60, 400])), max_size=150),
    size=st.integers(1, 40),
    w=st.integers(1, 60),
    memory=st.integers(900, 9000),
    how=st.sampled_from(["inner", "left", "left_semi", "left_anti"]),
)
def test_results_come_in_the_order_of_the_stream(
    tmp_path: Path, rows: list[tuple[int, int | None]], size: int, w: int, memory: int, how: str
) -> None:
    left = pa.record_batch(
        [
            pa.array([key for key, _ in rows], pa.int64()),
            pa.array(range(len(rows)), pa.int32()),
            pa.array([None if width is None else "x" * width for _, width in rows], pa.string()),
        ],
        names=["key", "at", "text"],
    )
    batches = [left.slice(begin, size) for begin in range(0, len(rows), size)]
    right = pa.record_batch([pa.array([0, 1, 1, 2, 4], pa.int64()), pa.array(range(5))], names=["key", "skey"])
    write_pages(tmp_path / "pages", [right], right.schema, key=["key"], page_bytes=32)
    with PageFile(tmp_path / "pages") as pages:
        join, counts = MeshJoin(pages, Equal.on("key"), left.schema, how, memory, most_pages=1), Counts()
        found = [row for batch in run_ordered(join, batches, Fixed(w, 2), counts) for row in batch.to_pylist()]
        others = [row for batch in join.run(batches) for row in batch.to_pylist()]
    assert counts.peak_bytes <= memory
    assert [row["at"] for row in found] == sorted(row["at"] for row in others)
    assert sorted(map(str, found)) == sorted(map(str, others))


@pytest.mark.parametrize("tuples", [1, 400, 40_000])
def test_many_results_in_order(tmp_path: Path, tuples: int) -> None:
    count = 400_000 // tuples
    right = pa.record_batch([pa.array([1] * count, pa.int64()), pa.array(["y" * 80] * count)], names=["id", "wide"])
    left = pa.record_batch([pa.array([1] * tuples, pa.int64()), pa.array(range(tuples))], names=["key", "at"])
    write_pages(tmp_path / "pages", [right], right.schema, key=["id"], page_bytes=1 << 19)
    with PageFile(tmp_path / "pages") as pages:
        join = MeshJoin(pages, Equal.on({"key": "id"}), left.schema, "left", 1 << 20)
        found = np.concatenate([batch.column("at").to_numpy() for batch in run_ordered(join, [left])])
    assert found.tolist() == np.repeat(range(tuples), count).tolist()
