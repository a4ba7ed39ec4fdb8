"""Recommends scheme, number of constituents and update technique of a wave index (WI 6), or a partitioned table."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from deltawave.wave.costs import TableCost, TableParameters, WaveCost, WaveParameters
from deltawave.wave.schemes import SCHEMES
from deltawave.wave.tables import TECHNIQUES

_HEAD = ("scheme", "constituents", "technique", "work", "transition", "probe", "scan", "space")


@dataclass(frozen=True)
class WaveNeeds:
    """The needs that a wave index has to meet, whatever it costs.

    - ``hard_window``: exactly the last W days
    - ``can_delete``: entries can be deleted from an index; packed shadows delete while copying
    - ``most_constituents``: a probe reads each, and the text of the view names each
    - ``most_space``: MB, including during a transition
    - ``most_transition``: seconds until a new day can be queried
    """

    hard_window: bool = False
    can_delete: bool = True
    techniques: Sequence[str] = TECHNIQUES
    most_constituents: int = 10
    most_space: float | None = None
    most_transition: float | None = None

    def __post_init__(self) -> None:
        if isinstance(self.techniques, str) or not self.techniques:
            raise ValueError(f"techniques {self.techniques!r}: take a list of {', '.join(TECHNIQUES)}.")
        if self.most_constituents < 1:
            raise ValueError(f"most_constituents {self.most_constituents}: take 1 or more.")

    def against(self, option: WaveCost | TableCost) -> list[str]:
        """The needs that an option does not meet, by name. The window of a table is hard, and it drops whole days."""
        unmet = {}
        if isinstance(option, WaveCost):
            deletes = option.scheme == "del" and option.technique != "packed_shadow"
            unmet["hard_window"] = self.hard_window and not SCHEMES[option.scheme].is_hard
            unmet["can_delete"] = deletes and not self.can_delete
        unmet["most_transition"] = self.most_transition is not None and option.transition > self.most_transition
        unmet["most_space"] = self.most_space is not None and option.most_space > self.most_space
        return [name for name, is_unmet in unmet.items() if is_unmet]


@dataclass(frozen=True)
class WaveAdvice:
    """The best wave index, and the best of each scheme, by total work; a partitioned table, and whether to take it.

    ``best`` is none if only the table meets the needs.
    """

    best: WaveCost | None
    by_scheme: Sequence[WaveCost]
    table: TableCost
    takes_table: bool


def advise(
    parameters: WaveParameters,
    needs: WaveNeeds | None = None,
    tolerance: float = 0.05,
    table: TableParameters | None = None,
) -> WaveAdvice:
    """The wave index with the least total work per day, or a partitioned table.

    Among options whose work exceeds that by at most ``tolerance`` (a share), the one with the fewest constituents is
    chosen, since its probes answer sooner; among equals the one with less work. A partitioned table is the simplest, so
    it is chosen if its work is within the tolerance of the best index's. ``table``: what was measured of it.

    Raises ``ValueError`` if nothing meets the needs, and for a tolerance below 0.
    """
    if not tolerance >= 0:
        raise ValueError(f"tolerance {tolerance}: take 0 or more.")
    needs = needs or WaveNeeds()
    partitioned = TableCost(parameters, table or TableParameters.assumed(parameters))
    allows_table = not needs.against(partitioned)
    options = [
        WaveCost(parameters, scheme, constituents, technique)
        for scheme, rules in SCHEMES.items()
        for constituents in range(rules.least, min(parameters.window, needs.most_constituents) + 1)
        # REINDEX does the same under each technique.
        for technique in (needs.techniques[-1:] if rules.rebuilds else needs.techniques)
    ]
    allowed = [option for option in options if not needs.against(option)]
    if not allowed:
        if allows_table:
            return WaveAdvice(None, (), partitioned, True)
        unmet = Counter(name for option in options for name in needs.against(option))
        excluded = ", ".join(f"{name} excludes {count}" for name, count in unmet.most_common())
        raise ValueError(f"No scheme meets all needs: of {len(options)} options, {excluded}. Ask less of these.")
    best = _preferred(allowed, tolerance)
    others = [[option for option in allowed if option.scheme == scheme] for scheme in SCHEMES if scheme != best.scheme]
    by_scheme = [best, *(_preferred(of_scheme, tolerance) for of_scheme in others if of_scheme)]
    least = min(option.total_work for option in allowed)
    takes_table = allows_table and partitioned.total_work <= least * (1 + tolerance)
    return WaveAdvice(best, sorted(by_scheme, key=lambda option: option.total_work), partitioned, takes_table)


def _preferred(options: Sequence[WaveCost], tolerance: float) -> WaveCost:
    least = min(option.total_work for option in options)
    near = [option for option in options if option.total_work <= least * (1 + tolerance)]
    return min(near, key=lambda option: (option.constituents, option.total_work))


def advice_lines(advice: WaveAdvice) -> list[str]:
    """The best option of each scheme, a partitioned table, and the recommendation; a wave index with its config."""
    given = advice.table.parameters
    rows = [_HEAD, ("partitioned table", "", "", *_figures(advice.table))]
    rows += [(each.scheme, str(each.constituents), each.technique, *_figures(each)) for each in advice.by_scheme]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    table = ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return [
        f"Wave indexes of {given.window} days, the best of each scheme, and a table with a partition for each day",
        "",
        *table,
        "",
        "  work: seconds of a day's preparation, transition, probes and scans; transition: until a day is ready;",
        "  probe, scan: seconds of one; space: MB at most, during a transition",
        "",
        *_recommended(advice),
    ]


def _recommended(advice: WaveAdvice) -> list[str]:
    best = advice.best
    if advice.takes_table or best is None:
        if best is None:
            return ["Take a partitioned table: no wave index meets the needs."]
        return [
            f"Take a partitioned table: it takes {advice.table.total_work:,.1f} s of work a day, the best wave index, "
            f"{_named(best)}, takes {best.total_work:,.1f} s of work a day.",
            "Insert each new day as a partition of the day column, and drop the oldest partition.",
        ]
    return [
        f"Take {_named(best)}.",
        "",
        "  {{ config(",
        "      materialized='wave_index',",
        "      meta={",
        f"          'scheme': '{best.scheme}',",
        f"          'window': {best.parameters.window},",
        f"          'constituents': {best.constituents},",
        f"          'update_technique': '{best.technique}',",
        "          'day_column': '<day>',",
        "          'search_field': '<field>',",
        "      },",
        "  ) }}",
    ]


def _named(option: WaveCost) -> str:
    plural = "s" * (option.constituents > 1)
    return f"{option.scheme} with {option.constituents} constituent{plural}, {option.technique}"


def _figures(option: WaveCost | TableCost) -> tuple[str, ...]:
    # A day of few rows takes less than a second.
    form = ",.0f" if option.total_work >= 1000 else ",.2f"
    work, transition = (format(value, form) for value in (option.total_work, option.transition))
    return work, transition, f"{option.probe:.3f}", f"{option.scan:,.1f}", f"{option.most_space:,.0f}"
