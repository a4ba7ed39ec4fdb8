"""Line charts as SVG, which browsers and documentation pages show directly."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 760, 440
LEFT, RIGHT, TOP, BOTTOM = 70, 100, 40, 60
# Distinct for colour-blind readers, too (Okabe and Ito).
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"]
LABEL_HEIGHT = 15


@dataclass(frozen=True)
class Chart:
    """Curves over evenly spaced places, one value for each of ``x_ticks``; the axis ends at the last of ``y_ticks``."""

    title: str
    x_label: str
    x_ticks: Sequence[str]
    y_ticks: Sequence[float]
    curves: Mapping[str, Sequence[float]]
    logarithmic: bool = False

    def x(self, place: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * place / (len(self.x_ticks) - 1)

    def y(self, value: float) -> float:
        scale = math.log10 if self.logarithmic else float
        low, high = scale(self.y_ticks[0]), scale(self.y_ticks[-1])
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (scale(value) - low) / (high - low)


def draw(chart: Chart) -> str:
    """Return the chart as an SVG document, each curve with its name at its end."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        _text(LEFT, 22, chart.title, size=15),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 15, chart.x_label, anchor="middle"),
    ]
    for value in chart.y_ticks:
        y = chart.y(value)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(_text(LEFT - 8, y + 4, f"{value:,.0f}", anchor="end"))
    for place, tick in enumerate(chart.x_ticks):
        parts.append(_text(chart.x(place), HEIGHT - BOTTOM + 20, tick, anchor="middle"))
    places = _label_places({name: chart.y(values[-1]) for name, values in chart.curves.items()})
    for number, (name, values) in enumerate(chart.curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        points = " ".join(f"{chart.x(place):.1f},{chart.y(value):.1f}" for place, value in enumerate(values))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(_text(WIDTH - RIGHT + 8, places[name] + 4, name, colour=colour))
    return "\n".join([*parts, "</svg>", ""])


def _label_places(ends: Mapping[str, float]) -> dict[str, float]:
    """Names beside the ends of their curves, moved up if they would overlap."""
    places: dict[str, float] = {}
    free = math.inf
    for name, y in sorted(ends.items(), key=lambda end: -end[1]):
        places[name] = free = min(y, free - LABEL_HEIGHT)
    return places


def _text(x: float, y: float, text: str, anchor: str = "start", size: int = 12, colour: str = "#222") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}">{escape(text)}</text>'
    )
