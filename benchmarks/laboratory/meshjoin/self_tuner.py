"""Tuners of MESHJOIN. The online one: b follows the arrival rate of the stream (MJ08 3.3)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from laboratory.meshjoin.arrivals import ArrivalRate
from laboratory.meshjoin.cost_model import MeshJoinModel, Tuned, best_rate, least_memory
from laboratory.meshjoin.tuned import Progress

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
    """Chooses the b that serves the arrival rate with the least memory. w is what has come in, if there is room for it.

    Only the memory for pages and tuples varies: the hash table has the size that the granted memory allows. If the rate
    needs more than the granted memory, or the join falls behind, the tuner takes the best rate of that memory. The
    stream says whether that is too little (``is_overloaded``): then it sheds
    (:func:`laboratory.meshjoin.shed_stream.run_shedding`).
    """

    def __init__(self, model: MeshJoinModel, memory_bytes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._model, self._memory = model, memory_bytes
        self._rate = ArrivalRate(clock)
        self._tuned_for = 0.0
        self.is_overloaded = False
        best = best_rate(model, memory_bytes)
        if best is None:
            page = f"{model.page_bytes:,.0f}"
            raise ValueError(f"{memory_bytes:,} bytes of memory are too few for a page of {page} and a tuple.")
        self.tuned = self._best = self._least = best

    @property
    def rate(self) -> float:
        """The arrival rate, in tuples per second."""
        return self._rate.value

    def __call__(self, progress: Progress) -> tuple[int, int]:
        self._rate.add(progress.new)
        self.is_overloaded = progress.overload > 1
        if progress.is_behind:
            # The rate that is seen is at most the one that is served.
            self.tuned = self._best
        else:
            if not self._tuned_for / _HEADROOM <= self.rate <= self._tuned_for * _HEADROOM:
                self._least, self._tuned_for = self._for_rate(), self.rate
            self.tuned = self._least
        return progress.best_w, self.tuned.b

    def _for_rate(self) -> Tuned:
        least = least_memory(self._model, self.rate * _HEADROOM)
        return self._best if least is None or least.memory > self._memory else least
