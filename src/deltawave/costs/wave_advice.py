"""Recommends scheme, number of constituents and update technique of a wave index (WI 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from deltawave.costs.wave import TECHNIQUES, WaveCost
from deltawave.costs.wave_parameters import WaveParameters
from deltawave.wave import SCHEMES


@dataclass(frozen=True)
class WaveNeeds:
    """The needs that a wave index has to meet, whatever it costs.

    - ``hard_window``: exactly the last W days
    - ``can_delete``: entries can be deleted from an index; packed shadows do not need that, as they delete while
      copying
    - ``techniques``: the techniques that can be used
    - ``most_constituents``: the most constituents; a probe reads each, so this bounds its time
    - ``most_space``: the most MB, including during a transition
    - ``most_transition``: the most seconds until a new day can be queried
    """

    hard_window: bool = False
    can_delete: bool = True
    techniques: Sequence[str] = TECHNIQUES
    most_constituents: int | None = None
    most_space: float | None = None
    most_transition: float | None = None

    def __post_init__(self) -> None:
        if isinstance(self.techniques, str) or not self.techniques:
            raise ValueError(f"techniques {self.techniques!r}: take a list of {', '.join(TECHNIQUES)}.")
        if self.most_constituents is not None and self.most_constituents < 1:
            raise ValueError(f"most_constituents {self.most_constituents}: take 1 or more.")

    def allow(self, option: WaveCost) -> bool:
        """Whether an option meets the needs."""
        return not self.against(option)

    def against(self, option: WaveCost) -> list[str]:
        """The needs that an option does not meet, by name."""
        deletes = option.scheme == "del" and option.technique != "packed_shadow"
        unmet = {
            "hard_window": self.hard_window and not SCHEMES[option.scheme].is_hard,
            "can_delete": deletes and not self.can_delete,
            "most_transition": self.most_transition is not None and option.transition > self.most_transition,
            "most_space": self.most_space is not None
            and option.max_space + option.max_transition_space > self.most_space,
        }
        return [name for name, is_unmet in unmet.items() if is_unmet]


@dataclass(frozen=True)
class WaveAdvice:
    """The recommended option, ``best``, and the best option of each scheme, by total work."""

    best: WaveCost
    by_scheme: Sequence[WaveCost]


def advise(parameters: WaveParameters, needs: WaveNeeds | None = None, tolerance: float = 0.05) -> WaveAdvice:
    """The option with the least total work per day.

    Among options whose work exceeds that by at most ``tolerance`` (a share), the one with the fewest constituents is
    taken, since its probes answer sooner; among equals the one with less work.

    Work is that of the planner's operations (``exact`` in :class:`WaveCost`). The averages that the paper prints would
    make REINDEX+ with many constituents seem less work than any other scheme.

    Raises ``ValueError`` if no option meets the needs, and for a tolerance below 0.
    """
    if not tolerance >= 0:
        raise ValueError(f"tolerance {tolerance}: take 0 or more.")
    needs = needs or WaveNeeds()
    options = _options(parameters, needs)
    allowed = [option for option in options if needs.allow(option)]
    if not allowed:
        unmet = Counter(name for option in options for name in needs.against(option))
        said = ", ".join(f"{name} excludes {count}" for name, count in unmet.most_common())
        raise ValueError(f"No scheme does all that is needed: of {len(options)} options, {said}. Ask less of these.")
    best = _preferred(allowed, tolerance)
    by_scheme = [best]
    for scheme in SCHEMES.keys() - {best.scheme}:
        of_scheme = [option for option in allowed if option.scheme == scheme]
        if of_scheme:
            by_scheme.append(_preferred(of_scheme, tolerance))
    return WaveAdvice(best, sorted(by_scheme, key=lambda option: option.total_work))


def _options(parameters: WaveParameters, needs: WaveNeeds) -> list[WaveCost]:
    most = min(parameters.window, needs.most_constituents or parameters.window)
    return [
        WaveCost(parameters, scheme, constituents, technique, exact=True)
        for scheme, rules in SCHEMES.items()
        for constituents in range(rules.least, most + 1)
        for technique in needs.techniques
    ]


def _preferred(options: Sequence[WaveCost], tolerance: float) -> WaveCost:
    least = min(option.total_work for option in options)
    near = [option for option in options if option.total_work <= least * (1 + tolerance)]
    return min(near, key=lambda option: (option.constituents, option.total_work))
