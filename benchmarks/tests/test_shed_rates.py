"""Streams by a real clock: what the plain join serves is not shed, and of twice as much about a half (MJ08 4.1).

The clock is the CPU time of this process, so that other processes hardly count.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from deltawave.meshjoin.conditions import Equal
from deltawave.meshjoin.operator import MeshJoin
from deltawave.meshjoin.relation import PageFile, write_pages
from deltawave.meshjoin.stream import Counts
from laboratory.meshjoin.factors import measured_model
from laboratory.meshjoin.self_tuner import SelfTuner
from laboratory.meshjoin.shed_stream import Shed, run_shedding, shed_tuples
from laboratory.meshjoin.tuned import Progress, Tuner, greedy

CLOCK = time.process_time
ON = Equal.on("key")
ROWS = 100_000
RANDOM = np.random.default_rng(1)
TUPLES = pa.record_batch(
    [pa.array(RANDOM.integers(0, ROWS, 1 << 18)), pa.array(range(1 << 18), pa.int32())], ["key", "at"]
)
# Seconds of a stream; how long the plain join is measured.
SECONDS, MEASURED = 4.0, 0.8
# The service rate is measured before and after a stream, which is run again, if the two differ by more than this.
STEADY, RUNS = 1.2, 6


def arriving(rate: float, seconds: float, pause: float = 0.0) -> Iterator[pa.RecordBatch | None]:
    """So many tuples per second, each at once or those of a pause together."""
    begin, sent = CLOCK(), 0
    while (now := CLOCK() - begin) < seconds:
        due = int(rate * now) - sent
        if due <= rate * pause:
            yield None
            continue
        at = sent % TUPLES.num_rows
        due = min(due, TUPLES.num_rows - at)
        yield TUPLES.slice(at, due)
        sent += due


def service_rate(join: MeshJoin) -> float:
    """Tuples per second that the plain join takes from a stream that always has more."""
    counts, begin = Counts(), CLOCK()
    for _ in join.run(arriving(1e8, 2 * MEASURED), counts):
        if CLOCK() > begin + MEASURED:
            break
    return counts.tuples / (CLOCK() - begin)


@pytest.fixture(scope="module")
def join(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MeshJoin]:
    path = tmp_path_factory.mktemp("relation") / "relation.pages"
    rows = pa.record_batch([pa.array(RANDOM.permutation(ROWS)), pa.array(range(ROWS), pa.int64())], ["key", "skey"])
    write_pages(path, [rows], rows.schema, key=["key"], page_bytes=16_000)
    with PageFile(path) as relation:
        yield MeshJoin(relation, ON, TUPLES.schema, "inner", 1 << 20)


@pytest.mark.parametrize(
    ("tuner", "load", "pause", "least", "most"),
    [
        ("self-tuner", 0.02, 0.0, 0.0, 0.0),
        ("self-tuner", 0.6, 0.0, 0.0, 0.02),
        ("greedy", 0.6, 0.0, 0.0, 0.02),
        ("greedy", 0.6, 0.1, 0.0, 0.02),
        ("self-tuner", 2.0, 0.0, 0.4, 0.75),
        ("greedy", 2.0, 0.0, 0.4, 0.75),
        ("greedy", 2.0, 0.1, 0.4, 0.75),
    ],
)
def test_a_stream_sheds_what_the_join_does_not_serve(
    join: MeshJoin, tmp_path: Path, tuner: str, load: float, pause: float, least: float, most: float
) -> None:
    for run in range(RUNS):
        before = service_rate(join)
        chosen: Tuner = greedy
        if tuner == "self-tuner":
            chosen = SelfTuner(measured_model(join, TUPLES.slice(0, 40_000)), join.memory_bytes, CLOCK)
        counts, overloads = Counts(), []

        def following(
            progress: Progress, chosen: Tuner = chosen, overloads: list[float] = overloads
        ) -> tuple[int, int]:
            overloads.append(progress.overload)
            return chosen(progress)

        shed = Shed(tmp_path / str(run))
        begin, results = CLOCK(), 0
        for batch in run_shedding(join, arriving(load * before, SECONDS, pause), shed, following, counts, CLOCK):
            results += batch.num_rows
        seconds, after = CLOCK() - begin, service_rate(join)
        # Each tuple matches one row.
        assert results == counts.tuples
        assert sum(batch.num_rows for batch in shed_tuples(shed.path)) == counts.shed
        if max(before, after) < STEADY * min(before, after):
            break
    else:
        pytest.fail(f"The machine is too busy: it joined {before:,.0f} tuples/s, and then {after:,.0f}.")
    came_in = counts.tuples + counts.shed
    assert came_in > 0.9 * load * before * SECONDS
    assert least <= counts.shed / came_in <= most
    assert counts.tuples / seconds > 0.55 * min(load * before, before, after)
    # For the first second it may be a burst.
    assert (max(overloads) > 1) == (load > 1)
    if isinstance(chosen, SelfTuner):
        assert chosen.is_overloaded == (load > 1)
