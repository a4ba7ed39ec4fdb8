"""Which tuples a mesh join keeps where more arrive than it can serve (MJ08 4, Table 2).

Every strategy is asked once per iteration for up to w of the tuples that arrived since the last one. What it drops is
not lost: the caller keeps it, and joins it later.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Places = npt.NDArray[np.intp]
Frequencies = npt.NDArray[np.floating[Any] | np.integer[Any]]
# Of the arrived tuples' frequencies in the relation (f_R) and w, the places of those that are kept, in their order.
Shedder = Callable[[Frequencies, int], Places]


def keep_w(frequencies: Frequencies, w: int) -> Places:
    """Keep w: the first ones. Of a many-to-one join that loses the fewest results (MAX-SUBSET)."""
    return np.arange(min(w, len(frequencies)))


def sample_w(random: np.random.Generator) -> Shedder:
    """Sample w: a uniform sample, so that the results of a many-to-one join are one (RANDOM-SAMPLE)."""

    def kept(frequencies: Frequencies, w: int) -> Places:
        count = len(frequencies)
        return np.sort(random.choice(count, min(w, count), replace=False))

    return kept


def top_w(frequencies: Frequencies, w: int) -> Places:
    """TOPW: those that meet the most rows. Of a many-to-many join that loses few results (4.2).

    The paper keeps them in a heap as they arrive; here they are chosen from all that have arrived, which are the same.
    """
    count = len(frequencies)
    if w >= count:
        return np.arange(count)
    if w <= 0:
        return np.arange(0)
    return np.sort(np.argpartition(-np.asarray(frequencies), w - 1)[:w])


def cluster_sampling(random: np.random.Generator) -> Shedder:
    """Cluster sampling: a tuple is kept with a probability that grows with the rows that it meets (RANDOM-SAMPLE).

    Without replacement, by the exponential keys of Efraimidis and Spirakis (2006). A tuple that meets nothing is kept
    only where there is room.
    """

    def kept(frequencies: Frequencies, w: int) -> Places:
        count = len(frequencies)
        if w >= count:
            return np.arange(count)
        with np.errstate(divide="ignore"):
            keys = -random.exponential(size=count) / np.asarray(frequencies, dtype=np.float64)
        return top_w(keys, w)

    return kept


def top_w_loss(frequencies: Sequence[int], w: int, loop: int) -> int:
    """Results that TOPW loses on a whole stream of one tuple per time unit; an iteration takes ``loop`` units.

    The tuples of each iteration are handed over when it ends.
    """
    found = np.asarray(frequencies)
    return int(
        sum(
            part.sum() - part[top_w(part, w)].sum()
            for part in (found[begin : begin + loop] for begin in range(0, len(found), loop))
        )
    )


def optimal_loss(frequencies: Sequence[int], w: int, loop: int) -> int:
    """OPTOFFLINESHED: the fewest results that any strategy loses, knowing the stream (MJ08 4.2, Figure 9).

    Figure 9 with what it leaves out: a tuple that meets a full buffer is lost (line 11), and all ends with the stream
    (line 15). Its tables have a row for each time of the next request; here the time that is left until then is enough,
    so that a stream takes O(|S| loop w) steps instead of O(|S|^2 w).
    """
    if w <= 0:
        return int(sum(frequencies))
    # The loss from a tuple on: by the time until the next request, 0 once it has come, and the tuples held.
    later = np.zeros((loop + 1, w + 1))
    sooner = np.maximum(np.arange(loop + 1) - 1, 0)
    for frequency in reversed(frequencies):
        later = later[sooner]
        now = later + frequency
        np.minimum(now[:, :w], later[:, 1:], out=now[:, :w])
        # A full buffer is handed over at the request, and the next one comes a loop later.
        now[0, w] = now[loop, 0]
        later = now
    return int(later[0, 0])
