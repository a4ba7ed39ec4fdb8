"""Streams that are faster than the join: what is shed is kept, and a later pass is exact."""

import itertools
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from unit.test_shed_window import ON, all_rows, relation_of, tuples_of

from deltawave.meshjoin.operator import MeshJoin
from deltawave.meshjoin.relation import Relation
from deltawave.meshjoin.shedding import (
    Priority,
    SketchedFrequencies,
    cluster_sampling,
    keep_w,
    keys_of,
    priority_of,
    sample_w,
    top_w,
)
from deltawave.meshjoin.stream import Counts
from laboratory.meshjoin.best_tuples import BestTuples, Limits
from laboratory.meshjoin.frequencies import ExactFrequencies
from laboratory.meshjoin.self_tuner import Fixed
from laboratory.meshjoin.shed_stream import Shed, run_shedding, shed_tuples

PRIORITIES: dict[str, Priority] = {
    "keep": keep_w,
    "sample": sample_w(np.random.default_rng(1)),
    "top": top_w,
    "cluster": cluster_sampling(np.random.default_rng(1)),
}


def coming_in(tuples: pa.RecordBatch, sizes: Sequence[int]) -> list[pa.RecordBatch | None]:
    """So many come in during an iteration each, then nothing for a while."""
    ends = list(itertools.takewhile(lambda end: end < len(tuples), itertools.accumulate(itertools.cycle(sizes))))
    parts = [tuples.slice(begin, end - begin) for begin, end in pairwise([0, *ends, len(tuples)])]
    return [each for part in parts for each in (part, None)]


@pytest.mark.parametrize("priority", PRIORITIES)
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    keys=st.lists(st.tuples(st.integers(0, 9), st.sampled_from([None, 0, 3, 90])), max_size=60),
    relation=st.lists(st.integers(0, 7), min_size=1, max_size=20),
    sizes=st.lists(st.integers(1, 20), min_size=1, max_size=3),
    memory=st.integers(500, 3000),
    w=st.integers(1, 8),
    how=st.sampled_from(["inner", "left", "left_semi", "left_anti"]),
)
def test_what_was_shed_completes_the_result(
    folder: Path,
    priority: str,
    keys: list[tuple[int, int | None]],
    relation: list[int],
    sizes: list[int],
    memory: int,
    w: int,
    how: str,
) -> None:
    tuples = tuples_of([key for key, _ in keys], [width for _, width in keys])
    with relation_of(folder, relation) as pages:
        frequencies = ExactFrequencies.of(pages, ON)
        join, counts = MeshJoin(pages, ON, tuples.schema, how, memory, most_pages=1), Counts()
        (folder / "shed").unlink(missing_ok=True)
        shed = Shed(folder / "shed", PRIORITIES[priority], frequencies)
        found = all_rows(run_shedding(join, coming_in(tuples, sizes), shed, Fixed(w, 1), counts))
        assert counts.peak_bytes <= memory
        assert counts.tuples + counts.shed == len(keys)
        found += all_rows(join.run(shed_tuples(shed.path)))
        exact = all_rows(MeshJoin(pages, ON, tuples.schema, how).run([tuples]))
    assert found == exact


@settings(deadline=None, max_examples=60)
@given(
    parts=st.lists(
        st.lists(st.tuples(st.floats(-5, 5, width=32), st.sampled_from([0, 3, 9])), min_size=1, max_size=9), max_size=6
    ),
    rows=st.integers(0, 40),
    most=st.integers(2000, 4000),
    is_text=st.booleans(),
)
def test_the_best_tuples_are_kept(parts: list[list[tuple[float, int]]], rows: int, most: int, is_text: bool) -> None:
    """By priority and then arrival, up to the first one that does not fit."""
    waiting, shed = BestTuples(tuples_of([0], [0] * is_text).schema), []
    limits = Limits(rows, most, 10 * most)
    every = [(keys_of(np.array([priority]))[0], at) for at, (priority, _) in enumerate(itertools.chain(*parts))]
    numbers = itertools.count()
    for part in parts:
        added = tuples_of([next(numbers) for _ in part], [width for _, width in part] if is_text else [])
        keys = keys_of(np.array([priority for priority, _ in part]))
        waiting.add(added, keys, np.arange(len(part)), limits)
    bound = waiting.keep_best(limits, shed.append)
    kept = []
    while (held := waiting.held) is not None:
        kept += held.column("key").to_pylist()
        waiting.advance(held.num_rows)
    best = [at for _, at in sorted(every, key=lambda one: (-int(one[0]), one[1]))]
    assert sorted(best[: len(kept)]) == kept
    assert sorted(best[len(kept) :]) == sorted(at for batch in shed for at in batch.column("key").to_pylist())
    if bound is None:
        assert len(kept) == len(best)
    else:
        assert bound == max(int(key) for key, at in every if at not in kept)
        assert priority_of(bound) == np.float32(list(itertools.chain(*parts))[best[len(kept)]][0])
    if not is_text:
        assert len(kept) == min(rows, len(best))


def test_most_of_the_memory_waits_where_a_cycle_is_one_iteration(folder: Path) -> None:
    tuples = tuples_of([n % 50 for n in range(20_000)])
    with relation_of(folder, range(50), per_page=25) as pages:
        join, counts = MeshJoin(pages, ON, tuples.schema, "inner", 400_000, most_pages=1), Counts()
        whole_cycle = Fixed(len(tuples), pages.pages)
        for _ in run_shedding(join, [tuples, None], Shed(folder / "one"), whole_cycle, counts):
            pass
        assert counts.tuples > 0.7 * join.capacity(12)
        assert counts.peak_bytes <= 400_000


def test_a_stream_that_is_always_faster(folder: Path) -> None:
    """It never says that there is nothing new."""
    tuples = tuples_of([n % 50 for n in range(5000)])
    with relation_of(folder, range(50)) as pages:
        join, counts = MeshJoin(pages, ON, tuples.schema, "inner", 20_000), Counts()
        running = run_shedding(join, itertools.repeat(tuples), Shed(folder / "endless"), counts=counts)
        assert next(running).num_rows
        assert counts.shed > 0
        running.close()
    # Two batches were pulled.
    assert sum(batch.num_rows for batch in shed_tuples(folder / "endless")) + counts.tuples == 2 * len(tuples)


def test_what_a_killed_run_has_shed_is_kept(folder: Path) -> None:
    tuples = tuples_of([n % 50 for n in range(5000)])
    path = folder / "killed"
    with relation_of(folder, range(50)) as pages:
        join = MeshJoin(pages, ON, tuples.schema, "inner", 20_000)
        for _ in run_shedding(join, coming_in(tuples, [1000]), Shed(path)):
            pass
        written = list(shed_tuples(path))
        path.write_bytes(path.read_bytes()[:-100])
        assert list(shed_tuples(path)) == written[:-1]
        with pytest.raises(FileExistsError, match="killed has tuples that a previous run shed: join them first"):
            run_shedding(join, [tuples], Shed(path))


@pytest.mark.parametrize("end", ["nobody takes more", "needs more than the 1 bytes", "no priorities", "no source"])
def test_what_was_pulled_is_joined_or_in_the_file(folder: Path, end: str) -> None:
    """Whatever ends the join, and however large a batch is: the stream does not give it back."""
    count, file, counts = 100_000, folder / f"pulled {end}", Counts()
    tuples = tuples_of([n % 100 for n in range(count)])

    def source() -> Iterator[pa.RecordBatch]:
        yield tuples
        if end == "no source":
            raise OSError(end)

    shed = Shed(file, Mock(side_effect=OSError(end)) if end == "no priorities" else keep_w)
    memory = 1 if end.startswith("needs") else 100_000
    with relation_of(folder, list(range(100)), per_page=10) as relation:
        join = MeshJoin(relation, ON, tuples.schema, memory_bytes=memory)
        results = run_shedding(join, source(), shed, counts=counts)
        if end == "nobody takes more":
            next(results)
            results.close()
        else:
            with pytest.raises((OSError, ValueError), match=end):
                deque(results, 0)
    kept = [at for batch in shed_tuples(file) for at in batch.column("at").to_pylist()]
    assert len(kept) == len(set(kept)) == count - counts.tuples


def test_a_run_that_has_shed_nothing_is_in_nobodys_way(folder: Path) -> None:
    """One that was killed at once, one that fails, one that is never read."""
    tuples, path = tuples_of([1, 2]), folder / "nothing"
    with relation_of(folder, [1, 2]) as pages:
        join = MeshJoin(pages, ON, tuples.schema)
        run_shedding(join, [tuples], Shed(path))
        assert not path.exists()

        def killed() -> Iterator[pa.RecordBatch | None]:
            yield tuples
            left.append(path.read_bytes())
            raise RuntimeError("killed")

        left: list[bytes] = []
        with pytest.raises(RuntimeError, match="killed"):
            list(run_shedding(join, killed(), Shed(path)))
        for begin in (0, 3, len(left[0]) // 2, len(left[0])):
            path.write_bytes(left[0][:begin])
            assert not any(rows.num_rows for rows in shed_tuples(path))
            assert sum(all_rows(run_shedding(join, [tuples], Shed(path))).values()) == 2


def test_a_file_of_something_else_is_not_overwritten(folder: Path) -> None:
    tuples, path = tuples_of([1]), folder / "other"
    path.write_text("something that is precious")
    with relation_of(folder, [1]) as pages, pytest.raises(FileExistsError, match="other is there, and no file of shed"):
        run_shedding(MeshJoin(pages, ON, tuples.schema), [tuples], Shed(path))
    assert path.read_text() == "something that is precious"


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(relation=st.lists(st.integers(0, 30), min_size=1, max_size=50))
def test_frequencies(folder: Path, relation: list[int]) -> None:
    with relation_of(folder, relation) as pages:
        exact, sketched = ExactFrequencies.of(pages, ON), SketchedFrequencies.of(pages, ON, 4000)
    assert exact.hashes.nbytes + exact.counts.nbytes <= 16 * len(relation)
    assert sketched.counts.nbytes <= 4000
    real = np.array([relation.count(key) for key in range(40)])
    assert exact(tuples_of(range(40))).tolist() == real.tolist()
    found = sketched(tuples_of(range(40)))
    assert (found >= real).all()
    assert found.sum() <= real.sum() + 3


class TestBadInput:
    def test_all_tuples_are_needed(self, folder: Path) -> None:
        tuples = tuples_of([1])
        with relation_of(folder, [1]) as pages:
            join = MeshJoin(pages, ON, tuples.schema, "right_anti")
            with pytest.raises(ValueError, match="A right_anti mesh join can't shed"):
                run_shedding(join, [tuples], Shed(folder / "shed"))

    def test_a_relation_without_rows(self, folder: Path) -> None:
        tuples = tuples_of([1, 2])
        empty = Relation(pa.schema([("key", pa.int64()), ("skey", pa.int64())]))
        join = MeshJoin(empty, ON, tuples.schema, "left")
        assert sum(all_rows(run_shedding(join, [tuples], Shed(folder / "none"))).values()) == 2
        assert not list(shed_tuples(folder / "none"))
