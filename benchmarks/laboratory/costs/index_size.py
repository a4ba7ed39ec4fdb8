"""The size of wave indexes on days of uneven volumes (WI 3.3): of a scheme, and the least of any WATA algorithm.

A volume is the size of a day's index, in any unit. The size of a wave index is the largest total that its constituents
ever have. Sums are exact and rounded once, so that equal sizes compare equal.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from math import fsum, inf, isfinite, lcm

from deltawave.wave import WaveIndex, plans


def sizes(index: WaveIndex, volumes: Sequence[float]) -> Iterator[float]:
    """The size of the constituents after each day from day W on; ``volumes``: of day 1, 2, ..."""
    _check(volumes)
    for plan in plans(index, len(volumes)):
        yield fsum(volumes[day - 1] for days in plan.state.constituents for day in days)


def window_size(window: int, volumes: Sequence[float]) -> float:
    """The largest volume of W consecutive days: the size of every scheme with hard windows.

    Raises ``ValueError`` for a window without days, or with more days than there are.
    """
    _check(volumes)
    if not 1 <= window <= len(volumes):
        raise ValueError(f"window {window}: take 1 to {len(volumes)}, the days that have volumes.")
    return max(fsum(volumes[first : first + window]) for first in range(len(volumes) - window + 1))


def size_ratio(index: WaveIndex, volumes: Sequence[float]) -> float:
    """The size of a wave index, as a multiple of that with hard windows (WI Figure 11)."""
    return max(sizes(index, volumes)) / window_size(index.window, volumes)


def least_wata_size(window: int, constituents: int, volumes: Sequence[float]) -> float:
    """The least size of a WATA algorithm that knows the volumes of all days.

    Time-sets are consecutive days. A cluster exists from its first day until W days after its last one, when the later
    clusters hold all volumes of the window; so each cluster gives one size, and the largest of them counts.

    Raises ``ValueError`` as ``WaveIndex`` does, and without volumes.
    """
    WaveIndex("wata", window, constituents)
    _check(volumes)
    # Whole numbers, since the search has to hit a size exactly.
    parts = [Fraction(volume) for volume in volumes]
    unit = lcm(*(part.denominator for part in parts))
    before = [0, *accumulate(int(part * unit) for part in parts)]
    count = len(volumes)
    # A cluster of the days low + 1 to high has its largest size on its last day in the window, or on the last day.
    found = sorted(
        {
            before[min(high + window - 1, count)] - before[low]
            for low in range(count)
            for high in range(low + 1, count + 1)
        }
    )
    low, high = 0, len(found) - 1
    while low < high:
        middle = (low + high) // 2
        if _can_keep(found[middle], window, constituents, before):
            high = middle
        else:
            low = middle + 1
    return float(Fraction(found[low], unit))


def _check(volumes: Sequence[float]) -> None:
    if not volumes:
        raise ValueError("There are no volumes: take those of a day or more.")
    for day, volume in enumerate(volumes, 1):
        if not (isfinite(volume) and volume >= 0):
            raise ValueError(f"volume {volume} of day {day}: take 0 or more.")


def _can_keep(size: int, window: int, constituents: int, before: Sequence[int]) -> bool:
    """Whether there are clusters that never have more than ``size`` together.

    Let b_i be the last day of cluster i, b_0 = 0. A cluster's size bounds its last day, b_i <= limit(b_i-1), and at
    most n clusters exist at a time: b_i + W - 1 <= b_i+n-1. Each bounds a day by another day's bound, so the bounds are
    lowered until both hold everywhere; such clusters exist if day 0 is not lowered.
    """
    count = len(before) - 1

    def limit(start: float) -> float:
        if start >= count or before[-1] - before[int(start)] <= size:
            return inf
        return bisect_right(before, before[int(start)] + size) - window

    ends = [0.0, *[inf] * count]
    is_lowered = True
    while is_lowered:
        is_lowered = False
        for place in range(len(ends)):
            bound = ends[place]
            if place:
                bound = min(bound, limit(ends[place - 1]))
            if place + 1 < len(ends):
                bound = min(bound, ends[place + 1] - 1)
            if place > 0 and place + constituents - 1 < len(ends):
                bound = min(bound, ends[place + constituents - 1] - window + 1)
            if bound < place:
                return False
            if bound < ends[place]:
                ends[place] = bound
                is_lowered = True
    return True
