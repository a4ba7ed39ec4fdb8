"""Which scheme, how many constituents and which update technique suit a wave index (WI 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from deltawave.costs.wave import TECHNIQUES, WaveCost
from deltawave.costs.wave_parameters import WaveParameters
from deltawave.wave import SCHEMES


@dataclass(frozen=True)
class WaveNeeds:
    """What a wave index has to do, whatever it costs.

    - ``hard_window``: exactly the last W days
    - ``can_delete``: entries can be deleted from an index; packed shadows delete while they copy, and need it not
    - ``techniques``: those that can be used
    - ``most_constituents``: n at most; a probe reads each, so this bounds its time
    - ``most_space``: MB at most, during a transition, too
    - ``most_transition``: seconds at most until a new day can be queried
    """

    hard_window: bool = False
    can_delete: bool = True
    techniques: Sequence[str] = TECHNIQUES
    most_constituents: int | None = None
    most_space: float | None = None
    most_transition: float | None = None

    def allow(self, option: WaveCost) -> bool:
        """Whether an option does that."""
        if self.hard_window and not SCHEMES[option.scheme].is_hard:
            return False
        if option.scheme == "del" and not self.can_delete and option.technique != "packed_shadow":
            return False
        if self.most_transition is not None and option.transition > self.most_transition:
            return False
        return self.most_space is None or option.max_space + option.max_transition_space <= self.most_space


@dataclass(frozen=True)
class WaveAdvice:
    """The option to take, and the best option of each scheme, those with less total work first."""

    best: WaveCost
    by_scheme: Sequence[WaveCost]


def advise(parameters: WaveParameters, needs: WaveNeeds | None = None, tolerance: float = 0.05) -> WaveAdvice:
    """The option with the least total work per day.

    Of options whose work is more by ``tolerance`` (a share) at most, the one with the fewest constituents is taken,
    since its probes answer sooner; of equals the one with less work.

    Raises ``ValueError`` if no option does what is needed.
    """
    needs = needs or WaveNeeds()
    allowed = [option for option in _options(parameters, needs) if needs.allow(option)]
    if not allowed:
        raise ValueError("No scheme does all that is needed: allow more space, a longer transition or more techniques.")
    by_scheme = [
        _preferred([option for option in allowed if option.scheme == scheme], tolerance)
        for scheme in SCHEMES
        if any(option.scheme == scheme for option in allowed)
    ]
    return WaveAdvice(_preferred(allowed, tolerance), sorted(by_scheme, key=lambda option: option.total_work))


def _options(parameters: WaveParameters, needs: WaveNeeds) -> list[WaveCost]:
    most = min(parameters.window, needs.most_constituents or parameters.window)
    return [
        WaveCost(parameters, scheme, constituents, technique)
        for scheme, rules in SCHEMES.items()
        for constituents in range(rules.least, most + 1)
        for technique in needs.techniques
    ]


def _preferred(options: Sequence[WaveCost], tolerance: float) -> WaveCost:
    least = min(option.total_work for option in options)
    near = [option for option in options if option.total_work <= least * (1 + tolerance)]
    return min(near, key=lambda option: (option.constituents, option.total_work))
