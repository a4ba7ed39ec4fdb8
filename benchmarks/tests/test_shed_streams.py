"""Streams that are faster than the join: what is shed is kept, and a later pass is exact."""

import itertools
import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from unit.test_shed_window import ON, all_rows, relation_of, tuples_of

from deltawave.meshjoin.operator import MeshJoin
from deltawave.meshjoin.relation import Relation
from deltawave.meshjoin.shedding import (
    KeyFrequencies,
    Priority,
    cluster_sampling,
    keep_w,
    sample_w,
    top_w,
)
from deltawave.meshjoin.stream import Counts
from laboratory.meshjoin.self_tuner import Fixed
from laboratory.meshjoin.shed_stream import Shed, ShedStream, run_shedding, shed_tuples


def slow_join() -> Iterator[float]:
    """A clock by which each look at it takes two seconds: a stream that has more for one reading is too fast."""
    return itertools.count(0.0, 2.0)


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
# Of which many are shed.
@example([(key % 10, 3) for key in range(60)], list(range(8)), [60], 1500, 2, "inner")
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
        frequencies = KeyFrequencies.of(pages, ON)
        join, counts = MeshJoin(pages, ON, tuples.schema, how, memory, most_pages=1), Counts()
        (folder / "shed").unlink(missing_ok=True)
        shed = Shed(folder / "shed", PRIORITIES[priority], frequencies)
        clock = slow_join().__next__
        found = all_rows(run_shedding(join, coming_in(tuples, sizes), shed, Fixed(w, 1), counts, clock))
        assert counts.peak_bytes <= memory
        assert counts.tuples + counts.shed == len(keys)
        assert counts.shed > 20 or (sizes, memory, w) != ([60], 1500, 2)
        found += all_rows(join.run(shed_tuples(shed.path)))
        exact = all_rows(MeshJoin(pages, ON, tuples.schema, how).run([tuples]))
    assert found == exact


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    keys=st.lists(st.integers(0, 6), min_size=1, max_size=60),
    width=st.sampled_from([0, 3, 90]),
    size=st.integers(1, 20),
    count=st.integers(1, 12),
    # A third of it holds any tuple: wider ones are shed first.
    most=st.integers(600, 3000),
    overload=st.floats(1.1, 6),
)
def test_the_best_of_the_tuples_are_taken(
    folder: Path, keys: list[int], width: int, size: int, count: int, most: int, overload: float
) -> None:
    """By priority and then arrival, of as many as come in for each one that is taken."""
    tuples, counts = tuples_of(keys, [width] * len(keys)), Counts()
    (folder / "best").unlink(missing_ok=True)
    batches = [tuples.slice(at, size) for at in range(0, len(keys), size)]
    with relation_of(folder, [1]) as pages:
        shed = Shed(folder / "best", top_w, lambda rows: rows.column("key").to_numpy())
        stream = ShedStream(batches, MeshJoin(pages, ON, tuples.schema), shed, counts, lambda: 0.0)
        stream._overload.ratio = overload
        looked = 0
        while (taken := stream.take(count, most)) is not None:
            assert taken.nbytes <= most
            own = taken.column("at").to_pylist()
            group, looked = range(looked, looked + len(own) + counts.shed), looked + len(own) + counts.shed
            best = sorted(group, key=lambda at: (-keys[at], at))
            assert own == sorted(best[: len(own)])
            assert len(own) <= count
            assert len(group) <= max(1, math.ceil(overload * count))
            # Tuples are shed only for want of room. Each takes up to 24 bytes and its text.
            assert not counts.shed or len(own) == count or (len(own) + 1) * (24 + width) > most // 3
            counts.shed = 0
        stream.close([])
    assert looked == len(keys)


def test_a_wide_tuple_is_shed_before_many_others(folder: Path) -> None:
    tuples, counts = tuples_of([1] * 100, [0, 9000, *[0] * 98]), Counts()
    with relation_of(folder, [1]) as pages:
        shed = Shed(folder / "wide", lambda found, first: -np.abs(first + np.arange(len(found)) - 1))
        stream = ShedStream([tuples], MeshJoin(pages, ON, tuples.schema), shed, counts, lambda: 0.0)
        stream._overload.ratio = 2.0
        taken = stream.take(50, 24_000)
        assert taken is not None
        kept = taken.num_rows
        assert taken.column("at").to_pylist() == [0, *range(2, kept + 1)]
        stream.close([])
    # Twice as many are looked at.
    assert kept > 30
    assert counts.shed == kept
    shed_at = [at for batch in shed_tuples(shed.path) for at in batch.column("at").to_pylist()]
    assert shed_at == [1, *range(kept + 1, 100)]


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("overload", [1.0, 2.0])
def test_tuples_that_were_pulled_before_a_stream_fails(
    folder: Path, overload: float, error: type[BaseException]
) -> None:
    tuples, path = tuples_of(range(10)), folder / f"failed {overload} {error.__name__}"

    def failing() -> Iterator[pa.RecordBatch]:
        yield tuples
        raise error("no source")

    with relation_of(folder, [1]) as pages:
        stream = ShedStream(failing(), MeshJoin(pages, ON, tuples.schema), Shed(path), Counts(), lambda: 0.0)
        stream._overload.ratio = overload
        with pytest.raises(error, match="no source"):
            stream.take(50, 24_000)
        stream.close([])
    assert [at for batch in shed_tuples(path) for at in batch.column("at").to_pylist()] == list(range(10))


def test_a_stream_that_is_always_faster(folder: Path) -> None:
    """It never says that there is nothing new; what was pulled is joined or in the file, or both."""
    pulled = itertools.count()
    tuples = tuples_of([n % 50 for n in range(5000)])

    def source() -> Iterator[pa.RecordBatch]:
        for batch in pulled:
            yield tuples.set_column(1, "at", pa.array(range(5000 * batch, 5000 * (batch + 1)), pa.int32()))

    with relation_of(folder, range(50)) as pages:
        join, counts = MeshJoin(pages, ON, tuples.schema, "inner", 20_000), Counts()
        running = run_shedding(join, source(), Shed(folder / "endless"), counts=counts, clock=slow_join().__next__)
        joined: list[int] = []
        while counts.shed < 20_000:
            joined += next(running).column("at").to_pylist()
        assert counts.peak_bytes <= 20_000
        running.close()
    kept = [at for batch in shed_tuples(folder / "endless") for at in batch.column("at").to_pylist()]
    assert len(kept) == len(set(kept))
    assert len(joined) == len(set(joined))
    assert {*kept, *joined} == set(range(5000 * next(pulled)))
    # Those in both were in the window.
    assert len({*kept} & {*joined}) <= join.capacity(12)


def test_what_a_killed_run_has_shed_is_kept(folder: Path) -> None:
    tuples = tuples_of([n % 50 for n in range(5000)])
    path = folder / "killed"
    with relation_of(folder, range(50)) as pages:
        join = MeshJoin(pages, ON, tuples.schema, "inner", 20_000)
        for _ in run_shedding(join, coming_in(tuples, [2500]), Shed(path), clock=slow_join().__next__):
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
        results = run_shedding(join, source(), shed, counts=counts, clock=slow_join().__next__)
        joined = []
        if end == "nobody takes more":
            joined += next(results).column("at").to_pylist()
            results.close()
        else:
            with pytest.raises((OSError, ValueError), match=end):
                joined.extend(at for batch in results for at in batch.column("at").to_pylist())
    kept = [at for batch in shed_tuples(file) for at in batch.column("at").to_pylist()]
    assert len(kept) == len(set(kept))
    assert {*kept, *joined} == set(range(count))


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
