"""The data of WI Figures 3 to 11, from the cost model and the planner.

The scan shows no axes: the ranges are ours, wide enough for the text's statements about the figures.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from deltawave.wave import SCHEMES, WaveIndex
from deltawave.wave.costs import WaveParameters
from laboratory.costs.index_size import least_wata_size, size_ratio, window_size
from laboratory.costs.wave import PrintedCost
from laboratory.costs.wave_cases import SCAM, TPC_D, WEB_SEARCH, scaled

LABELS = {
    "del": "DEL",
    "reindex": "REINDEX",
    "reindex_plus": "REINDEX+",
    "reindex_plus_plus": "REINDEX++",
    "wata": "WATA*",
    "rata": "RATA*",
}
CONSTITUENTS = "constituent indexes n"
WORK = "seconds per day"


@dataclass(frozen=True)
class Figure:
    """A figure's data: ``curves`` holds a value for each of ``x``, by label; or for each of its own in ``own_x``."""

    title: str
    x_label: str
    y_label: str
    x: list[float]
    curves: dict[str, list[float]]
    own_x: dict[str, list[float]] = field(default_factory=dict)


def figure_3() -> Figure:
    """Average space of SCAM in operation and transition, simple shadow."""

    def space(cost: PrintedCost) -> float:
        return cost.average_space + cost.average_transition_space

    return _by_constituents("WI Figure 3: average space, SCAM", "MB", SCAM, "simple_shadow", range(1, 8), space)


def figure_4() -> Figure:
    """Average transition time of SCAM, simple shadow."""
    title = "WI Figure 4: transition, SCAM"
    return _by_constituents(title, "seconds", SCAM, "simple_shadow", range(1, 8), lambda cost: cost.transition)


def figure_5() -> Figure:
    """Total work of SCAM, simple shadow."""
    return _by_constituents("WI Figure 5: total work, SCAM", WORK, SCAM, "simple_shadow", range(1, 8), _work)


def figure_6() -> Figure:
    """Total work of the web search engine, packed shadow."""
    return _by_constituents(
        "WI Figure 6: total work, search engine", WORK, WEB_SEARCH, "packed_shadow", range(1, 11), _work
    )


def figure_7() -> Figure:
    """Total work of TPC-D, packed shadow."""
    title = "WI Figure 7: total work, TPC-D, packed shadow"
    return _by_constituents(title, WORK, TPC_D, "packed_shadow", range(1, 21), _work)


def figure_8() -> Figure:
    """Total work of TPC-D, simple shadow: up to n = 80, since REINDEX does less work than WATA* from n = 60."""
    numbers = (*range(1, 21), *range(25, 81, 5))
    title = "WI Figure 8: total work, TPC-D, simple shadow"
    return _by_constituents(title, WORK, TPC_D, "simple_shadow", numbers, _work)


def figure_9() -> Figure:
    """Total work of SCAM by the window, 4 days to 6 weeks, with 4 constituents."""
    windows = [float(days) for days in range(4, 43)]
    cases = [replace(SCAM, window=int(days)) for days in windows]
    return _by_case("WI Figure 9: total work, SCAM", "window W, days", windows, cases)


def figure_10(add_exponent: float = 1.0) -> Figure:
    """Total work of SCAM by a factor of its daily data, with W = 14 and 4 constituents.

    Add and Del grow by the factor to the power ``add_exponent``.
    """
    factors = [number / 4 for number in range(2, 21)]
    cases = [scaled(replace(SCAM, window=14), factor, add_exponent) for factor in factors]
    growth = "" if add_exponent == 1 else f", Add by the power {add_exponent:g}"
    return _by_case(f"WI Figure 10: total work, SCAM{growth}", "scale factor SF", factors, cases)


def figure_11(volumes: Sequence[float] | None = None) -> Figure:
    """Index size of WATA* and of the best WATA algorithm, as a multiple of a hard window's size, W = 7."""
    window, days = 7, postings() if volumes is None else volumes
    numbers = range(2, window + 1)
    curves = {
        "WATA*": [size_ratio(WaveIndex("wata", window, n), days) for n in numbers],
        "least, all days known": [least_wata_size(window, n, days) / window_size(window, days) for n in numbers],
    }
    return Figure(
        "WI Figure 11: index size", CONSTITUENTS, "multiple of a hard window's", list(map(float, numbers)), curves
    )


def postings(days: int = 200, seed: int = 1997) -> list[float]:
    """Generated daily postings, in place of the paper's 200 days of Usenet, which are lost.

    By the description of Figure 2: about 110,000 on a Wednesday, 30,000 on a Sunday; each day varies by up to 15 %.
    """
    week = (90_000, 100_000, 110_000, 100_000, 85_000, 45_000, 30_000)
    random = Random(seed)
    return [round(week[day % 7] * random.uniform(0.85, 1.15)) for day in range(days)]


def _work(cost: PrintedCost) -> float:
    return cost.total_work


def _by_constituents(
    title: str,
    y_label: str,
    case: WaveParameters,
    technique: str,
    numbers: Sequence[int],
    measure: Callable[[PrintedCost], float],
) -> Figure:
    curves, own_x = {}, {}
    for scheme, label in LABELS.items():
        possible = [n for n in numbers if n >= SCHEMES[scheme].least]
        own_x[label] = [float(n) for n in possible]
        curves[label] = [measure(PrintedCost(case, scheme, n, technique)) for n in possible]
    return Figure(title, CONSTITUENTS, y_label, [float(n) for n in numbers], curves, own_x)


def _by_case(title: str, x_label: str, x: list[float], cases: Sequence[WaveParameters]) -> Figure:
    curves = {label: [PrintedCost(case, scheme, 4).total_work for case in cases] for scheme, label in LABELS.items()}
    return Figure(title, x_label, WORK, x, curves)
