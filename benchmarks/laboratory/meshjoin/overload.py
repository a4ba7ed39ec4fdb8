"""Whether a stream is faster than the join that reads it, and by how much (MJ08 4.1)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

# A stream that always had more tuples than were taken, for so many seconds and a reading of the relation, is faster.
_SECONDS, _READINGS = 1.0, 1.0
# Looking at more tuples takes time, so a smaller overload is shed now and then, when it has made the join fall behind.
_LEAST = 1.25
# Shed by this many times the measured overload, so that what waits at the source gets less.
_HEADROOM = 1.1
# The most tuples that are looked at for each one that is joined: otherwise there would be no time to join.
MOST = 16.0


class _Totals(NamedTuple):
    """What was done since the beginning."""

    seconds: float
    readings: float
    looked: int
    taken: int

    def since(self, earlier: _Totals) -> _Totals:
        return _Totals(
            self.seconds - earlier.seconds,
            self.readings - earlier.readings,
            self.looked - earlier.looked,
            self.taken - earlier.taken,
        )

    @property
    def is_long(self) -> bool:
        return self.seconds >= _SECONDS and self.readings >= _READINGS


class Overload:
    """``ratio``: how many tuples to look at for each one that is joined: lambda c_loop / w, or 1 if none are shed.

    As long as the join now and then takes all that is there, it keeps up: more tuples than fit at a moment wait at
    their source. If it has not done so for a second, the ratio is doubled until it does. From then on the ratio is that
    of the tuples that come in while the relation is read once, to those that the join takes meanwhile.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.ratio = 1.0
        self._looked = self._taken = 0
        # When the stream last had nothing more, when it last had more since then, when the ratio was last doubled, and
        # when it was last measured.
        self._emptied: _Totals | None = None
        self._had_more: _Totals | None = None
        self._doubled: _Totals | None = None
        self._measured = _Totals(0, 0, 0, 0)
        # Tuples that the join takes during a reading if there are always more.
        self._served = 0.0

    def add(self, looked: int, taken: int, readings: float, has_more: bool) -> None:
        """Count tuples.

        - ``looked``, ``taken``: how many were looked at, and how many of them are joined
        - ``readings``: how often the relation was read until now
        - ``has_more``: whether the stream may have more
        """
        self._looked, self._taken = self._looked + looked, self._taken + taken
        now = _Totals(self._clock(), readings, self._looked, self._taken)
        self._emptied = self._emptied or now
        if has_more:
            # What was taken after the last pages may be only a part of what still fits, and of what waits.
            full = self._had_more
            if full and full.readings < readings and full.since(self._doubled or self._emptied).is_long:
                self.ratio, self._doubled = min(2 * self.ratio, MOST), now
            self._had_more = now
            return
        self._had_more = None
        if self._doubled is not None:
            # Until now the join took what it could.
            span = now.since(self._emptied)
            self._served = span.taken / span.readings
            self._measure(span, now)
        elif self.ratio > 1 and (span := now.since(self._measured)).is_long:
            self._measure(span, now)
        self._emptied, self._doubled = now, None

    def _measure(self, span: _Totals, now: _Totals) -> None:
        found = span.looked / max(1.0, self._served * span.readings)
        self.ratio = min(_HEADROOM * found, MOST) if found > _LEAST else 1.0
        self._measured = now
