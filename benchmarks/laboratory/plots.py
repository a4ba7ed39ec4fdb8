"""The charts of benchmarks and figures, by matplotlib. Equal data gives equal files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Distinct for colour-blind readers, too (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
GREY = "#999999"


@dataclass(frozen=True)
class LineChart:
    """Curves by name: the values of ``curves`` over those of ``x``, or over their own in ``own_x``.

    ``is_share``: whether the x axis shows shares as percentages; ``logarithmic``: the y axis.
    """

    title: str
    x_label: str
    y_label: str
    x: Sequence[float]
    curves: Mapping[str, Sequence[float]]
    own_x: Mapping[str, Sequence[float]] | None = None
    is_share: bool = False
    logarithmic: bool = False
    has_points: bool = False


def draw_lines(chart: LineChart, file: Path) -> None:
    """Write a line chart; the file's suffix says in which format."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    drawn: list[list[float]] = []
    for number, (name, values) in enumerate(chart.curves.items()):
        own = (chart.own_x or {}).get(name, chart.x)
        # So that two equal curves are both visible.
        style = "--" if list(values) in drawn else "-"
        drawn.append(list(values))
        colour, marker = COLOURS[number % len(COLOURS)], "o" if chart.has_points else ""
        axes.plot(own, values, color=colour, linestyle=style, marker=marker, markersize=4, label=name)
    if chart.logarithmic:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:,.0f}" if y == round(y) else f"{y:,g}"))
    if chart.is_share:
        axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.3g}%"))
    axes.set_ylabel(chart.y_label)
    axes.grid(axis="y", color="#dddddd")
    axes.set_axisbelow(True)
    if len(chart.curves) > 1:
        figure.legend(loc="outside right upper", frameon=False)
    _finish(figure, axes, chart.title, chart.x_label, file)


def draw_bars(values: Mapping[str, float], title: str, x_label: str, greys: Sequence[str], file: Path) -> None:
    """Write a chart of horizontal bars with their values, the first one lowest; those of ``greys`` are grey."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 0.5 + 0.4 * len(values)), layout="constrained")
    axes = figure.subplots()
    bars = axes.barh(
        list(values), list(values.values()), color=[GREY if name in greys else COLOURS[0] for name in values]
    )
    axes.bar_label(bars, fmt="%.1f", padding=3)
    _finish(figure, axes, title, x_label, file)


def _finish(figure: Figure, axes: Axes, title: str, x_label: str, file: Path) -> None:
    from matplotlib import rc_context

    axes.set_title(title)
    axes.set_xlabel(x_label)
    axes.spines[["top", "right"]].set_visible(False)
    # Texts stay texts; ids follow from the drawing and are not random.
    with rc_context({"svg.hashsalt": "deltawave", "svg.fonttype": "none"}):
        if file.suffix == ".svg":
            figure.savefig(file, metadata={"Date": None})
        else:
            figure.savefig(file, dpi=120)
