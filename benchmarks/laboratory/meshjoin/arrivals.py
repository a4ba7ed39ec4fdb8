"""How fast the tuples of a stream come in, and a stream that is asked for them less often."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa

# Seconds over which the arrival rate is averaged.
_SECONDS = 1.0
# A stream that has no more than has just come in is asked again after so many seconds.
_PAUSE = 0.001
# What comes in since a moment ago is up to this many times the average.
_MOST = 2.0


class ArrivalRate:
    """Tuples per second (lambda), as an average over the last second."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._counted: float | None = None
        self._sum = self._weight = 0.0

    @property
    def value(self) -> float:
        # In the first moments there is no previous rate to average with.
        return self._sum / self._weight if self._weight else 0.0

    def add(self, new: int) -> None:
        """Count the tuples that came in since the last call."""
        now = self._clock()
        if self._counted is not None and now > self._counted:
            passed = now - self._counted
            share = 1 - math.exp(-passed / _SECONDS)
            self._sum += share * (new / passed - self._sum)
            self._weight += share * (1 - self._weight)
        self._counted = now


class Polled(Iterator[pa.RecordBatch | None]):
    """A stream that has nothing more (None) after it gave only what came in since it was asked a moment ago.

    Otherwise an iteration would wait for single tuples as long as its window has room, since time passes while the
    stream is asked; and a stream that the join keeps up with would always have more.
    """

    def __init__(self, batches: Iterable[pa.RecordBatch | None], clock: Callable[[], float]) -> None:
        self._batches, self._clock = iter(batches), clock
        self._rate = ArrivalRate(clock)
        self._rate.add(0)
        self._asked = -math.inf
        self._has_more = True

    def __next__(self) -> pa.RecordBatch | None:
        now = self._clock()
        passed = now - self._asked
        if passed < _PAUSE and not self._has_more:
            return None
        batch = next(self._batches)
        new = batch.num_rows if batch is not None else 0
        # After a longer time, it is not known whether this is all that came in.
        self._has_more = passed >= _PAUSE or new > _MOST * self._rate.value * passed
        self._rate.add(new)
        self._asked = now
        return batch
