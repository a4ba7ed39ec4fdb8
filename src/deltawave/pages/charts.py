"""Charts as SVG within a page. Each has a name and a description; its figures belong in a table next to it."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from deltawave.pages.html import Markup, paragraph, table
from deltawave.pages.texts import Table, percent

# In pixels, so that texts can be read on a phone, where the chart scrolls.
_WIDTH, _HEIGHT = 960, 180
_TOP, _BOTTOM = 24, 28
_LEAST_SLOT, _MOST_SLOT, _GAP = 16, 48, 4
_CHARACTER = 7.5
# How far apart the marks below the bars stand at least.
_APART = 96
# The same for the figures above bars that are cut.
_CUTS_APART = 60
_METER = 120
# Of a chart that stands next to others.
_SMALL_WIDTH, _SMALL_HEIGHT = 320, 72
# A bar that is so many times as high as all but a tenth of the bars is cut, since it would flatten the others. The mark
# stands above it.
_TIMES_AS_HIGH = 5
CUT = "↑"


class Series(NamedTuple):
    """What bars consist of: a name, which is a word, and a color on a light and on a dark page."""

    name: str
    light: str
    dark: str


class Bar(NamedTuple):
    """A bar with a number for each series; ``label`` says what it is, ``mark`` stands below it if there is room."""

    label: str
    mark: str
    parts: Sequence[float]


def style(series: Sequence[Series] = ()) -> str:
    """The rules for meters, and for charts of these series."""
    light = "".join(f" --{each.name}: {each.light};" for each in series)
    dark = "".join(f" --{each.name}: {each.dark};" for each in series)
    fills = "\n".join(
        f".{each.name} {{ fill: var(--{each.name}); background: var(--{each.name}); }}" for each in series
    )
    return f"""
:root {{ --meter: #6e7781;{light} }}
@media (prefers-color-scheme: dark) {{ :root {{ --meter: #8b949e;{dark} }} }}
{fills}
svg text {{ fill: var(--muted); font-size: 12px; }}
svg line {{ stroke: var(--line); }}
/* The color stays with its name. */
.named {{ white-space: nowrap; }}
.swatch {{ display: inline-block; width: 0.8em; height: 0.8em; margin-right: 0.4em; forced-color-adjust: none; }}
.legend {{ display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; margin: 0; padding: 0; list-style: none; }}
.meter {{ fill: var(--meter); vertical-align: middle; }}
@media print {{ .scroll {{ overflow-x: visible; }} }}
"""


def swatch(series: Series, text: str) -> Markup:
    """A text with the color of a series next to it."""
    return Markup(f'<span class="named"><span class="swatch {series.name}"></span>{escape(text)}</span>')


def section(
    id: str, title: str, description: str, series: Sequence[Series], bars: Sequence[Bar], figures: Table, *notes: str
) -> str:
    """Bars below a title, with a legend of several series; their figures are folded."""
    chart = stacked_bars(id, title, f"{description} The figures are in the table below.", series, bars)
    cut = f"A bar with {CUT} is higher than it is drawn." if CUT in chart else ""
    shown = list(filter(None, [*notes, cut]))
    names = "".join(f"<li>{swatch(each, each.name)}</li>" for each in series)
    legend = f'<ul class="legend">{names}</ul>\n' if len(series) > 1 else ""
    return f"""<h2>{escape(title)}</h2>
{paragraph(*shown) if shown else ""}{legend}
<div class="scroll" role="region" aria-label="{escape(title)}, chart" tabindex="0">
{chart}</div>
<details>
<summary>The figures as a table</summary>
{table(figures)}</details>
"""


def stacked_bars(id: str, title: str, description: str, series: Sequence[Series], bars: Sequence[Bar]) -> str:
    """Bars next to each other, each with a part for each series, the first at the bottom.

    A bar that would flatten all others is cut, with its number above it. ``id`` begins the names of its elements.
    """
    steps = ticks(height_of([sum(bar.parts) for bar in bars]))
    highest = steps[-1]
    left = round(max(len(f"{step:,}") for step in steps) * _CHARACTER) + 12
    slot = max(_LEAST_SLOT, min(_MOST_SLOT, _WIDTH // max(1, len(bars))))
    width, height = left + slot * len(bars) + _APART - slot, _TOP + _HEIGHT + _BOTTOM
    every = -(-_APART // slot)

    def at(value: float) -> float:
        return round(_TOP + _HEIGHT * (1 - value / highest), 1)

    grid = "".join(
        f'<line x1="{left}" x2="{width}" y1="{at(step)}" y2="{at(step)}"/>'
        f'<text x="{left - 6}" y="{at(step) + 4}" text-anchor="end">{step:,}</text>'
        for step in steps
    )
    drawn = []
    last_figure = -_CUTS_APART
    for place, bar in enumerate(bars):
        begin = left + place * slot + _GAP // 2
        bottom = float(_TOP + _HEIGHT)
        rects = []
        total = sum(bar.parts)
        for each, part in zip(series, bar.parts, strict=True):
            if part:
                # A single change among thousands is still seen.
                size = round(max(1.0, _HEIGHT * part / max(highest, total)), 1)
                bottom = round(bottom - size, 1)
                rects.append(
                    f'<rect class="{each.name}" x="{begin}" y="{bottom}" width="{slot - _GAP}" height="{size}"/>'
                )
        mark = f'<text x="{begin}" y="{height - 8}">{escape(bar.mark)}</text>' if place % every == 0 else ""
        cut = ""
        if total > highest:
            # Below the figure of a bar nearby there is room for the sign alone.
            has_room = begin - last_figure >= _CUTS_APART
            last_figure = begin if has_room else last_figure
            figure, above = (f"{total:,.0f} ", 12) if has_room else ("", 1)
            cut = f'<text x="{begin}" y="{_TOP - above}">{figure}{CUT}</text>'
        drawn.append(f"<g><title>{escape(bar.label)}</title>{''.join(rects)}{mark}{cut}</g>\n")
    return f"""<svg role="img" aria-labelledby="{id}-title {id}-description" width="{width}" height="{height}"
viewBox="0 0 {width} {height}">
<title id="{id}-title">{escape(title)}</title>
<desc id="{id}-description">{escape(description)}</desc>
{grid}
{"".join(drawn)}</svg>
"""


def paired_bars(id: str, title: str, description: str, series: Sequence[Series], bars: Sequence[Bar]) -> str:
    """Small bars of two series next to each other, for a look at two distributions. Empty ones are left out."""
    highest = max((part for bar in bars for part in bar.parts), default=0) or 1
    slot = _SMALL_WIDTH // max(1, len(bars))
    wide = max(2, (slot - _GAP) // len(series))
    drawn = []
    for place, bar in enumerate(bars):
        rects = [
            f'<rect class="{each.name}" x="{place * slot + number * wide}" y="{_SMALL_HEIGHT - height}" width="{wide}" '
            f'height="{height}"/>'
            for number, (each, part) in enumerate(zip(series, bar.parts, strict=True))
            if (height := round(max(1.0, _SMALL_HEIGHT * part / highest), 1)) and part
        ]
        if rects:
            drawn.append(f"<g><title>{escape(bar.label)}</title>{''.join(rects)}</g>\n")
    marks = [(0, "start", bars[0].mark), (slot * len(bars), "end", bars[-1].mark)] if bars else []
    labels = "".join(
        f'<text x="{x}" y="{_SMALL_HEIGHT + 16}" text-anchor="{anchor}">{escape(mark)}</text>'
        for x, anchor, mark in marks
    )
    width, height = slot * len(bars), _SMALL_HEIGHT + 20
    return f"""<svg role="img" aria-labelledby="{id}-title {id}-description" width="{width}" height="{height}"
viewBox="0 0 {width} {height}">
<title id="{id}-title">{escape(title)}</title>
<desc id="{id}-description">{escape(description)}</desc>
<line x1="0" x2="{width}" y1="{_SMALL_HEIGHT}" y2="{_SMALL_HEIGHT}"/>
{"".join(drawn)}{labels}</svg>
"""


def meter(share: float) -> Markup:
    """A share, 0 to 1, as a bar and a figure."""
    width = round(max(0.0, min(1.0, share)) * _METER, 1)
    return Markup(
        f'<svg class="meter" width="{_METER}" height="12" aria-hidden="true"><rect width="{width}" height="12"/></svg>'
        f" {escape(percent(share))}"
    )


def height_of(totals: Sequence[float]) -> float:
    """How high an axis has to be: as the highest bar, or as the others if that is an outlier."""
    ordered = sorted(totals, reverse=True)
    others = ordered[max(1, len(ordered) // 10) :]
    highest = max(ordered, default=0)
    return others[0] if others and others[0] and others[0] * _TIMES_AS_HIGH < highest else highest


def ticks(most: float) -> list[int]:
    """Whole numbers in equal steps of 1, 2 or 5 times a power of ten, from 0 to at least ``most``; at most six."""
    power = 1
    while True:
        for step in (power, 2 * power, 5 * power):
            count = max(1, int(-(-most // step)))
            if count <= 5:
                return [number * step for number in range(count + 1)]
        power *= 10
