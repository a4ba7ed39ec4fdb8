"""What shedding loses on a whole stream: TOPW, and OPTOFFLINESHED, which knows the stream (MJ08 4.2, Figures 9, 11)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deltawave.meshjoin.batches import Places
from deltawave.meshjoin.shedding import Values, top_w


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

    This adds two steps that Figure 9 leaves out: a tuple that matches a full buffer is lost (line 11), and everything
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
