"""Results that wait for their order: by their tuples, in the order in which they came for each."""

import tracemalloc

import numpy as np
import pyarrow as pa

from deltawave.meshjoin.results import Ordered

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
                told = np.concatenate([[last[0]], tuples]), np.concatenate([[last[1]], came])
                is_later = (np.diff(told[0]) > 0) | ((np.diff(told[0]) == 0) & (np.diff(told[1]) > 0))
                assert is_later.all()
                last, count = (int(tuples[-1]), int(came[-1])), count + rows.num_rows
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 100 * part
    # The numbers of all results would take 13 MB.
    assert most < 8 << 20
