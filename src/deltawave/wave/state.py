"""The time-sets of a wave index: the state from which schemes start, and which a transition changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from deltawave.wave.operations import Days

TEMP = "Temp"


def constituent(number: int) -> str:
    """The name of the constituent index I_number; numbers begin at 1."""
    return f"I{number}"


def temporary(number: int) -> str:
    """The name of the temporary index T_number."""
    return f"T{number}"


def prepared(number: int) -> str:
    """The name of an index that becomes T_number when the next cluster begins to expire."""
    return f"P{number}"


@dataclass(frozen=True)
class WaveState:
    """A wave index after its newest ``day``: ``indexes`` holds the time-set of each index by name.

    The globals of the algorithms (WI Appendix A) follow from it: Days[i] is the time-set of I_i, last the constituent
    with the newest day, TempUsed the highest T, and DaysToAdd the days that a constituent has and its next replacement
    misses.
    """

    day: int = 0
    indexes: Mapping[str, Days] = field(default_factory=dict)

    @property
    def constituents(self) -> list[Days]:
        """The time-sets of I_1, I_2, ..."""
        return [days for _, days in self._of("I")]

    @property
    def temporaries(self) -> list[Days]:
        """The time-sets of the temporary indexes: Temp, or T in ascending order and then the indexes prepared ahead."""
        if TEMP in self.indexes:
            return [self.indexes[TEMP]]
        return [days for kind in "TP" for _, days in self._of(kind)]

    def holding(self, day: int) -> int:
        """The number of the constituent that has a day.

        Raises ``ValueError`` if there is none.
        """
        for name, days in self.indexes.items():
            if day in days and name[0] == "I":
                return int(name[1:])
        raise ValueError(f"No constituent has day {day}.")

    def highest(self, kind: str) -> int:
        """The highest number of the indexes whose name begins with ``kind``; 0 if there is none, or only T_0."""
        return max((int(name[1:]) for name in self.indexes if name[0] == kind and name != TEMP), default=0)

    @property
    def length(self) -> int:
        """How many days the constituents hold (WI 3.3)."""
        return sum(map(len, self.constituents))

    def _of(self, kind: str) -> Iterator[tuple[int, Days]]:
        found = ((int(name[1:]), days) for name, days in self.indexes.items() if name[0] == kind and name != TEMP)
        yield from sorted(found, key=lambda each: each[0])


def clusters(days: range, parts: int) -> Sequence[Days]:
    """Consecutive days split into clusters, the longer ones first; their lengths differ by one day at most."""
    least, longer = divmod(len(days), parts)
    ends = [0]
    for number in range(parts):
        ends.append(ends[-1] + least + (number < longer))
    return [frozenset(days[low:high]) for low, high in pairwise(ends)]
