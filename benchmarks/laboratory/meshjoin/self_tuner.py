"""Tuners of MESHJOIN. The online one: w and b follow the arrival rate of the stream (MJ08 3.3)."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from laboratory.meshjoin.cost_model import MeshJoinModel, Tuned, best_rate, least_memory
from laboratory.meshjoin.tuned import Progress

# Seconds over which the arrival rate is averaged.
_SECONDS = 1.0
# Tune for this many times the arrival rate, and again when the rate has changed by more than that.
_HEADROOM = 1.25


@dataclass(frozen=True)
class Fixed:
    """The same w and b all the time."""

    w: int
    b: int

    def __call__(self, progress: Progress) -> tuple[int, int]:
        return self.w, self.b


class SelfTuner:
    """Chooses the w and b that serve the arrival rate with the least memory; w grows if more comes in than usual.

    Only the memory for pages and tuples varies: the hash table has the size that the granted memory allows. If the rate
    needs more than the granted memory, the tuner takes the best rate of that memory and sets ``is_overloaded``: then
    the stream sheds. It needs a stream that counts arrivals (:func:`laboratory.meshjoin.shed_stream.run_shedding`).
    """

    def __init__(self, model: MeshJoinModel, memory_bytes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._model, self._memory, self._clock = model, memory_bytes, clock
        self._asked: float | None = None
        self.rate = self._sum = self._weight = 0.0
        self._tuned_for = 0.0
        self.is_overloaded = False
        self.tuned = self._best()

    def __call__(self, progress: Progress) -> tuple[int, int]:
        self._follow(progress.new)
        if not self._tuned_for / _HEADROOM <= self.rate <= self._tuned_for * _HEADROOM:
            self._tune()
        w = math.ceil(self.tuned.w)
        return (w if self.is_overloaded else max(w, progress.waiting)), self.tuned.b

    def _follow(self, new: int) -> None:
        now = self._clock()
        if self._asked is not None and now > self._asked:
            passed = now - self._asked
            share = 1 - math.exp(-passed / _SECONDS)
            self._sum += share * (new / passed - self._sum)
            # In the first moments there is no previous rate to average with.
            self._weight += share * (1 - self._weight)
            self.rate = self._sum / self._weight
        self._asked = now

    def _tune(self) -> None:
        self._tuned_for = self.rate
        least = least_memory(self._model, self.rate * _HEADROOM)
        self.is_overloaded = least is None or least.memory > self._memory
        self.tuned = self._best() if least is None or self.is_overloaded else least

    def _best(self) -> Tuned:
        best = best_rate(self._model, self._memory)
        if best is None:
            page = f"{self._model.page_bytes:,.0f}"
            raise ValueError(f"{self._memory:,} bytes of memory are too few for a page of {page} and a tuple.")
        return best
