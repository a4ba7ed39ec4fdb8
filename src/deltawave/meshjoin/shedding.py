"""Which tuples a mesh join keeps if more arrive than it can serve (MJ08 4, Table 2).

Every strategy gives tuples priorities as they arrive: of the tuples that arrived since the last iteration, the w with
the highest priorities are kept. The others are not lost: :mod:`deltawave.meshjoin.shed_stream` keeps them for a later
pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Places = npt.NDArray[np.intp]
Frequencies = npt.NDArray[np.floating[Any] | np.integer[Any]]
Values = npt.NDArray[Any]
# Priorities as whole numbers of the same order.
Keys = npt.NDArray[np.uint32]
# Tuples' priorities, from their frequencies in the relation (f_R) and the number of the first tuple.
Priority = Callable[[Frequencies, int], Values]


def keep_w(frequencies: Frequencies, first: int) -> Values:
    """Keep w: the first tuples. In a many-to-one join that loses the fewest results (MAX-SUBSET)."""
    return -(first + np.arange(len(frequencies)))


def sample_w(random: np.random.Generator) -> Priority:
    """Sample w: a uniform sample, which gives a uniform sample of a many-to-one join's results (RANDOM-SAMPLE)."""
    return lambda frequencies, first: random.random(len(frequencies))


def top_w(frequencies: Frequencies, first: int) -> Values:
    """TOPW: the tuples that meet the most rows. In a many-to-many join that loses few results (4.2)."""
    return np.asarray(frequencies)


def cluster_sampling(random: np.random.Generator) -> Priority:
    """Cluster sampling: the probability to keep a tuple grows with the number of rows that it meets (RANDOM-SAMPLE).

    Without replacement, by the exponential keys of Efraimidis and Spirakis (2006). A tuple that meets nothing is kept
    only if there is room.
    """

    def priority(frequencies: Frequencies, first: int) -> Values:
        with np.errstate(divide="ignore"):
            return -random.exponential(size=len(frequencies)) / np.asarray(frequencies, dtype=np.float64)

    return priority


# By name; random ones use the generator.
PRIORITIES: dict[str, Callable[[np.random.Generator], Priority]] = {
    "keep_w": lambda random: keep_w,
    "sample_w": sample_w,
    "top_w": lambda random: top_w,
    "cluster_sampling": cluster_sampling,
}
# For random priorities: the probability to keep a tuple, from the highest priority of the shed tuples and the tuple's
# frequency. Given the other tuples' priorities, it is the probability that its own is higher.
INCLUSION: dict[str, Callable[[float, Frequencies], Values]] = {
    "sample_w": lambda bound, frequencies: np.full(len(frequencies), 1 - bound),
    "cluster_sampling": lambda bound, frequencies: -np.expm1(bound * frequencies),
}
# The priorities that need frequencies.
BY_FREQUENCY = ("top_w", "cluster_sampling")


def keys_of(priorities: Values) -> Keys:
    """Priorities as keys, by their 24 leading bits. What is equal then is kept in the order of arrival."""
    # Adding 0 makes -0.0 equal to 0.0.
    bits = (np.asarray(priorities, dtype=np.float32) + np.float32(0)).view(np.uint32)
    keys: Keys = np.where(bits >> np.uint32(31), ~bits, bits | np.uint32(1 << 31))
    return keys


def priority_of(key: int) -> float:
    """The priority that has a key."""
    bits = key & (1 << 31) - 1 if key >> 31 else ~key & (1 << 32) - 1
    return float(np.array([bits], dtype=np.uint32).view(np.float32)[0])


def kept(priorities: Values, w: int) -> Places:
    """The places of the w highest priorities, ascending."""
    count = len(priorities)
    if w >= count:
        return np.arange(count)
    if w <= 0:
        return np.arange(0)
    return np.sort(np.argpartition(-priorities, w - 1)[:w])


def top_w_loss(frequencies: Sequence[int], w: int, loop: int) -> int:
    """Results that TOPW loses on a whole stream of one tuple per time unit; an iteration takes ``loop`` units.

    The tuples of each iteration are handed over when it ends.
    """
    found = np.asarray(frequencies)
    return int(
        sum(
            part.sum() - part[kept(top_w(part, 0), w)].sum()
            for part in (found[begin : begin + loop] for begin in range(0, len(found), loop))
        )
    )


def optimal_loss(frequencies: Sequence[int], w: int, loop: int) -> int:
    """OPTOFFLINESHED: the fewest results that any strategy loses, knowing the stream (MJ08 4.2, Figure 9).

    This adds two steps that Figure 9 leaves out: a tuple that meets a full buffer is lost (line 11), and everything
    ends with the stream (line 15). Its tables have a row for each time of the next request; here the time until that
    request is enough, so that a stream takes O(|S| loop w) steps instead of O(|S|^2 w).
    """
    if w <= 0:
        return int(sum(frequencies))
    # The loss from a tuple on, by the time until the next request (0 once it has come) and the number of held tuples.
    later = np.zeros((loop + 1, w + 1))
    sooner = np.maximum(np.arange(loop + 1) - 1, 0)
    for frequency in reversed(frequencies):
        later = later[sooner]
        now = later + frequency
        np.minimum(now[:, :w], later[:, 1:], out=now[:, :w])
        # A full buffer is handed over at the request, and the next request comes a loop later.
        now[0, w] = now[loop, 0]
        later = now
    return int(later[0, 0])
