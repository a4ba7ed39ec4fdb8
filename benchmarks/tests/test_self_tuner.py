"""AMESHJOIN: the tuner follows the rate of a stream, and measured factors fit the join (MJ08 3.2 and 3.3)."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from deltawave.meshjoin.conditions import Equal
from deltawave.meshjoin.operator import MeshJoin
from deltawave.meshjoin.relation import PageFile, Relation, write_pages
from deltawave.meshjoin.stream import Counts
from laboratory.meshjoin.cost_model import CostFactors, MeshJoinModel, best_rate
from laboratory.meshjoin.factors import measured_model
from laboratory.meshjoin.self_tuner import SelfTuner
from laboratory.meshjoin.shed_stream import Shed, run_shedding
from laboratory.meshjoin.tuned import Progress

ON = Equal.on("key")
FACTORS = CostFactors(
    read=lambda b: 0.001 + b * 1e-4, expire=0, take=1e-7, add=1e-7, probe=lambda tuples: 5e-8, output=2e-7
)
MODEL = MeshJoinModel(20, 120, 8192, 1000, FACTORS, selectivity=0.01)


def tuples_of(keys: Sequence[int]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({"key": pa.array(keys, pa.int64()), "at": pa.array(range(len(keys)), pa.int32())})


def relation_of(folder: Path, keys: Sequence[int], per_page: int = 4) -> PageFile:
    rows = pa.RecordBatch.from_pydict(
        {"key": pa.array(keys, pa.int64()), "skey": pa.array(range(len(keys)), pa.int64())}
    )
    write_pages(folder / "relation.pages", [rows], rows.schema, key=["key"], page_bytes=16 * per_page)
    return PageFile(folder / "relation.pages")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class RunningClock(Clock):
    """Looking at it takes time, too."""

    def __call__(self) -> float:
        self.now += 1e-5
        return self.now


def served(tuner: SelfTuner, clock: Clock, rate: float, seconds: float = 20.0) -> tuple[int, int]:
    """What is chosen after so much time with this rate."""
    until = clock.now + seconds
    while clock.now < until:
        clock.now += 0.05
        w, b = tuner(Progress(round(rate * 0.05), False, 10**9, False, 1000, 1))
        # What has come in, if there is room for it.
        assert w == 10**9
    return math.ceil(tuner.tuned.w), b


def test_the_tuner_follows_the_rate() -> None:
    clock, memory = Clock(), 4 << 20
    best = best_rate(MODEL, memory)
    assert best is not None
    tuner = SelfTuner(MODEL, memory, clock)
    taken = []
    for share in (0.2, 0.6, 0.05):
        w, b = served(tuner, clock, share * best.service_rate)
        assert not tuner.is_overloaded
        assert tuner.rate == pytest.approx(share * best.service_rate, rel=0.01)
        assert MODEL.keeps_up(w, b, tuner.rate)
        taken.append(MODEL.memory(w, b))
    assert taken[2] < taken[0] < taken[1] <= memory


def test_a_rate_that_needs_more_memory_than_is_granted() -> None:
    clock, memory = Clock(), 4 << 20
    best = best_rate(MODEL, memory)
    assert best is not None
    tuner = SelfTuner(MODEL, memory, clock)
    w, b = served(tuner, clock, 1.5 * best.service_rate)
    assert (w, b) == (pytest.approx(best.w, abs=1), best.b)
    # Only the stream knows whether the model is right.
    assert not tuner.is_overloaded
    # While the join is behind, the rate that is seen is not the one of the stream.
    served(tuner, clock, 0.1 * best.service_rate)
    assert tuner.tuned.memory < best.memory
    for behind in ({"has_more": True}, {"room": 0}, {"overload": 2.0}):
        now = {"new": 100, "has_more": False, "room": 10, "is_empty": False, "pages": 1000, "most_pages": 1}
        assert tuner(Progress(**{**now, **behind})) == (0, best.b)
        assert tuner.is_overloaded == ("overload" in behind)
        assert tuner(Progress(**{**now, **behind, "is_empty": True}))[0] == behind.get("room", 10)
    with pytest.raises(ValueError, match="1,000 bytes of memory are too few for a page of 8,192 and a tuple"):
        SelfTuner(MODEL, 1000)


@pytest.mark.parametrize(("speed", "shed"), [(0.8, 0.0), (2.0, 0.5)])
def test_it_sheds_by_itself_when_more_arrives_than_is_served(folder: Path, speed: float, shed: float) -> None:
    """A clock goes on by what an iteration is said to cost, and tuples come in by that clock, for some seconds."""
    tuples, slower = tuples_of([n % 300 for n in range(60_000)]), FACTORS.times(20)
    with relation_of(folder, list(range(2000)), per_page=100) as pages:
        join, counts = MeshJoin(pages, ON, tuples.schema, "inner", 60_000, most_pages=2), Counts()
        clock = RunningClock()
        model = MeshJoinModel(12, 16, pages.page_bytes, pages.pages, slower, fudge=1.1, pointer_bytes=16, page_rows=100)
        tuner = SelfTuner(model, join.memory_bytes, clock)
        overloaded = []

        def following(progress: Progress) -> tuple[int, int]:
            w, b = tuner(progress)
            clock.now += model.loop_seconds(progress.new, b)
            overloaded.append(tuner.is_overloaded)
            return w, b

        # What is served when the stream always has more.
        for _ in run_shedding(join, [tuples] * 3, Shed(folder / f"all {speed}"), following, counts, clock):
            pass
        rate, begin = counts.tuples / clock.now, clock.now

        def arrive() -> Iterator[pa.RecordBatch | None]:
            sent = 0
            while clock.now < begin + 12:
                due = min(int(speed * rate * (clock.now - begin)) - sent, tuples.num_rows)
                sent += due
                yield tuples.slice(0, due) if due else None

        counts = Counts()
        tuner = SelfTuner(model, join.memory_bytes, clock)
        overloaded.clear()
        running = run_shedding(join, arrive(), Shed(folder / f"{speed}"), following, counts, clock)
        found = sum(batch.num_rows for batch in running)
        assert counts.peak_bytes <= join.memory_bytes
        assert found == counts.tuples
        assert counts.shed / (counts.shed + counts.tuples) == pytest.approx(shed, abs=0.08)
        assert (sum(overloaded) > 0.5 * len(overloaded)) == any(overloaded) == (shed > 0)


def test_factors_are_measured(folder: Path) -> None:
    tuples = tuples_of([n % 300 for n in range(2000)])
    with relation_of(folder, list(range(2000)), per_page=100) as pages:
        join = MeshJoin(pages, ON, tuples.schema, "inner", 60_000)
        model = measured_model(join, tuples)
    assert model.pages == 20
    assert model.page_rows == 100
    # Every row of the first 300 matches about as many tuples as the window holds of its key.
    assert model.selectivity == pytest.approx(join.capacity(12) / 2000, rel=0.2)
    b = join.pages_at_a_time
    w = model.largest_w(join.memory_bytes, b)
    # The model also counts a buffer of w tuples, which the join does not have: there, others would fit.
    others = w * model.tuple_bytes / (model.pointer_bytes + model.fudge * model.tuple_bytes)
    assert model.window(w, b) + others == pytest.approx(join.capacity(12), rel=0.1)
    best = best_rate(model, join.memory_bytes)
    assert best is not None
    assert best.service_rate > 0


def test_factors_of_a_relation_without_rows() -> None:
    tuples = tuples_of([1, 2])
    empty = Relation(pa.schema([("key", pa.int64()), ("skey", pa.int64())]))
    with pytest.raises(ValueError, match="Costs can't be measured with a relation that has no rows"):
        measured_model(MeshJoin(empty, ON, tuples.schema, "left"), tuples)
