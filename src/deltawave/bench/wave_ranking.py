"""Whether two orders of methods agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True)
class Agreement:
    """How many pairs of methods are in the same order by two measures.

    - ``pairs``: those that the second measure tells apart
    - ``wrong``: of these, those in another order by the first, the one with less by the second measure first; the
      widest apart by it come first
    - ``tied``: how many of the pairs are equal by the first
    """

    pairs: int
    tied: int
    wrong: tuple[tuple[str, str], ...]

    @property
    def tau(self) -> float:
        """Kendall's rank correlation over the pairs: 1 if all are in order, -1 if none is."""
        return (self.pairs - self.tied - 2 * len(self.wrong)) / self.pairs if self.pairs else 1.0


def agreement(predicted: Mapping[str, float], measured: Mapping[str, float], tolerance: float = 0.1) -> Agreement:
    """How well a prediction ranks what was measured.

    Pairs of which the larger is by ``tolerance`` (a share) larger at most are not told apart: their order is chance.
    """
    pairs = tied = 0
    wrong = []
    for one, other in combinations(measured, 2):
        less, more = sorted((one, other), key=measured.__getitem__)
        if measured[more] <= measured[less] * (1 + tolerance):
            continue
        pairs += 1
        tied += predicted[less] == predicted[more]
        if predicted[less] > predicted[more]:
            wrong.append((less, more))
    wrong.sort(key=lambda pair: measured[pair[0]] / measured[pair[1]])
    return Agreement(pairs, tied, tuple(wrong))
