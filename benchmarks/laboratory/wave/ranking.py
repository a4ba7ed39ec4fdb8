"""Whether two orders of methods agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True)
class Agreement:
    """How many pairs of methods are in the same order by two measures.

    - ``pairs``: the pairs that differ by the second measure
    - ``wrong``: those of them in the other order by the first measure, each with the lesser by the second measure
      first; the pairs that differ most by it come first
    - ``tied``: how many of the pairs are equal by the first measure
    """

    pairs: int
    tied: int
    wrong: tuple[tuple[str, str], ...]

    @property
    def tau(self) -> float:
        """Kendall's rank correlation over the pairs: 1 if all are in order, -1 if none is."""
        return (self.pairs - self.tied - 2 * len(self.wrong)) / self.pairs if self.pairs else 1.0


def agreement(predicted: Mapping[str, float], measured: Mapping[str, float], tolerance: float = 0.1) -> Agreement:
    """How well a prediction ranks the measured values.

    Pairs that differ by at most ``tolerance`` (a share) do not count: their order is random.
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
