"""The definition of a scheme: how days are clustered, and the operations of a transition."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from deltawave.wave.operations import Days, Operation
from deltawave.wave.state import WaveState, clusters


@dataclass(frozen=True)
class Steps:
    """The operations of a day: after ``transition`` the new day can be queried, ``preparation`` is for later days."""

    transition: tuple[Operation, ...]
    preparation: tuple[Operation, ...] = ()


@dataclass(frozen=True)
class Wave:
    """The parameters of a scheme: the window W, the n constituents, and whether to spread preparation (WI 4.3)."""

    window: int
    constituents: int
    spread: bool = False

    def expired(self, state: WaveState) -> int:
        """The day that leaves the window when the next day comes: d_new-W."""
        return state.day + 1 - self.window

    def after(self, number: int) -> int:
        """The constituent whose days expire next after those of I_number."""
        return number % self.constituents + 1


def no_needs(_state: WaveState, _staying: Days) -> Mapping[str, Days | None]:
    """No temporary index."""
    return {}


@dataclass(frozen=True)
class Scheme:
    """One of the six schemes (WI 3 and 4, Appendix A).

    - ``layout``: the clusters of the first W days, from W and n
    - ``first_preparation``: temporary indexes for these clusters
    - ``steps``: the operations for the next day
    - ``least``: the least n
    - ``is_hard``: whether exactly the last W days are indexed, not more
    - ``rebuilds``: whether days are never added to an index, so that it is packed
    - ``needs``: the temporary indexes that a state has to have, from the state and the staying days of the constituent
      that expires next; with their days, or None where these can differ
    - ``prepares``: whether temporary indexes of the next cluster can exist, too
    """

    layout: Callable[[int, int], Sequence[Days]]
    first_preparation: Callable[[Wave, Sequence[Days]], tuple[Operation, ...]]
    steps: Callable[[Wave, WaveState], Steps]
    least: int = 1
    is_hard: bool = True
    rebuilds: bool = False
    needs: Callable[[WaveState, Days], Mapping[str, Days | None]] = no_needs
    prepares: bool = False

    @property
    def has_temporaries(self) -> bool:
        """Whether it keeps temporary indexes, which have to be prepared."""
        return self.needs is not no_needs


def evenly(window: int, constituents: int) -> Sequence[Days]:
    """The first W days in n clusters (step 2 and 3 of Start in WI Figure 12)."""
    return clusters(range(1, window + 1), constituents)


def nothing(_wave: Wave, _layout: Sequence[Days]) -> tuple[Operation, ...]:
    """No temporary index."""
    return ()
