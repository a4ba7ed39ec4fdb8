"""When a stream counts as faster than the join, and how many of its tuples are then looked at (MJ08 4.1)."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laboratory.meshjoin.arrivals import Polled
from laboratory.meshjoin.overload import MOST, Overload

WINDOW = 1000


@dataclass
class Simulated:
    """A join that takes up to a window of tuples in each reading of ``seconds``; ``waiting``: those at the source.

    ``packets``: in so many parts.
    """

    seconds: float = 0.1
    packets: int = 1
    now: float = 0.0
    waiting: float = 0.0
    readings: int = 0
    looked: int = 0
    taken: int = 0
    overload: Overload = field(init=False)

    def __post_init__(self) -> None:
        self.overload = Overload(lambda: self.now)

    @property
    def service_rate(self) -> float:
        return WINDOW / self.seconds

    def run(self, seconds: float, rate: Callable[[float], float]) -> "Simulated":
        """The figures of so many seconds, in which tuples come in at a rate by time."""
        looked, taken, end = self.looked, self.taken, self.now + seconds
        while self.now < end:
            self.now, self.readings = self.now + self.seconds, self.readings + 1
            self.waiting += self.seconds * rate(self.now)
            seen = min(int(self.waiting), round(self.overload.ratio * WINDOW))
            joined = min(seen, WINDOW)
            self.waiting -= seen
            self.looked, self.taken = self.looked + seen, self.taken + joined
            for packet in range(self.packets):
                parts = [
                    count * (packet + 1) // self.packets - count * packet // self.packets for count in (seen, joined)
                ]
                has_more = packet < self.packets - 1 or self.waiting >= 1
                self.overload.add(parts[0], parts[1], self.readings, has_more)
        return Simulated(looked=self.looked - looked, taken=self.taken - taken)

    @property
    def shed(self) -> float:
        """The share of the tuples that were looked at."""
        return 1 - self.taken / self.looked


@pytest.mark.parametrize("seconds", [0.02, 0.1, 2.5])
@pytest.mark.parametrize("load", [0.02, 0.5, 0.97])
def test_a_rate_that_is_served_sheds_nothing(load: float, seconds: float) -> None:
    join = Simulated(seconds)
    assert join.run(60, lambda now: load * join.service_rate).shed == 0
    assert join.overload.ratio == 1


def test_tuples_of_a_burst_wait() -> None:
    """For a while twice as many come in as are served, and then none: after less than a second all are joined."""
    join = Simulated()
    assert join.run(60, lambda now: 2 * join.service_rate if now % 2 < 0.4 else 0).shed == 0


@pytest.mark.parametrize("windows", [1.2, 1.5, 1.9])
def test_a_burst_waits_for_a_long_reading(windows: float) -> None:
    """It does not fit at once, and the rest is taken in parts when the relation has been read."""
    join = Simulated(1.2, packets=8)
    bursts = lambda now: windows * join.service_rate if round(now / join.seconds) % 4 == 0 else 0  # noqa: E731
    assert join.run(120, bursts).shed == 0
    assert join.overload.ratio == 1


@settings(deadline=None, max_examples=40)
@given(load=st.floats(1.4, 12), seconds=st.sampled_from([0.02, 0.1, 2.5]))
def test_a_faster_stream_sheds_what_is_not_served(load: float, seconds: float) -> None:
    join = Simulated(seconds)
    join.run(40, lambda now: load * join.service_rate)
    steady = join.run(100, lambda now: load * join.service_rate)
    assert join.overload.ratio > 1
    assert steady.shed == pytest.approx(1 - 1 / load, abs=0.04)
    # Nothing is left to wait for long.
    assert join.waiting < 2 * (1 + seconds) * load * join.service_rate


def test_bursts_of_a_faster_stream_are_shed_by_their_rate() -> None:
    """All tuples of four readings come in at once: most of them still wait when the join has taken a window."""
    join = Simulated()
    bursts = lambda now: 8 * join.service_rate if round(now / join.seconds) % 4 == 0 else 0  # noqa: E731
    join.run(20, bursts)
    assert join.run(100, bursts).shed == pytest.approx(0.5, abs=0.08)


def test_shedding_ends_with_the_overload() -> None:
    join = Simulated()
    join.run(10, lambda now: 3 * join.service_rate)
    assert join.overload.ratio > 1
    join.run(3, lambda now: 0.8 * join.service_rate)
    assert join.overload.ratio == 1
    assert join.run(60, lambda now: 0.8 * join.service_rate).shed == 0


def test_so_many_tuples_are_looked_at_that_some_are_joined() -> None:
    join = Simulated()
    join.run(60, lambda now: 1000 * join.service_rate)
    assert join.overload.ratio == MOST


class Clock:
    """Each look at it takes some time."""

    def __init__(self, step: float = 5e-6) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def tuples(count: int) -> pa.RecordBatch:
    return pa.record_batch([pa.array(range(count), pa.int32())], ["at"])


def taken(polled: Iterator[pa.RecordBatch | None]) -> list[int]:
    """The sizes of the batches until there is nothing more."""
    return [batch.num_rows for batch in itertools.takewhile(lambda batch: batch is not None, polled) if batch]


@pytest.mark.parametrize("rate", [20_000, 400_000])
def test_a_stream_that_gives_each_tuple_as_it_comes_in(rate: int) -> None:
    """While one is taken, the next comes in: nevertheless an iteration gets what was there, and begins."""
    clock, sent = Clock(), 0

    def source() -> Iterator[pa.RecordBatch | None]:
        nonlocal sent
        while True:
            due = int(rate * clock()) - sent
            sent += due
            yield tuples(due) if due else None

    polled = Polled(source(), clock)
    for _ in range(200):
        clock.now += 0.01
        begin = clock.now
        assert sum(taken(polled)) <= 1.1 * rate * 0.011
        assert clock.now - begin < 0.001
    assert sent == pytest.approx(rate * clock.now, rel=0.01)


def test_a_stream_of_small_batches_that_wait() -> None:
    """However small they are, all are taken."""
    clock = Clock()
    waiting: list[int] = []

    def source() -> Iterator[pa.RecordBatch | None]:
        while True:
            yield tuples(waiting.pop()) if waiting else None

    polled = Polled(source(), clock)
    for _ in range(100):
        clock.now += 0.05
        waiting += [100] * 40
        assert taken(polled) == [100] * 40
