"""Draw Figures 3 to 11 of WI from the cost model and the planner, and Figure 10 with a steep Add.

Writes each as .json (the numbers), .md (a table) and .svg (the plot);
into docs/figures by default.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path

from laboratory.commands import figures_folder, write
from laboratory.costs import wave_figures
from laboratory.costs.wave_figures import Figure
from laboratory.plots import LineChart, draw_lines

FIGURES = {
    **{str(number): getattr(wave_figures, f"figure_{number}") for number in range(3, 12)},
    "10_steep": partial(wave_figures.figure_10, 1.5),
}


def main(arguments: list[str]) -> int:
    folder = figures_folder(__doc__, arguments)
    for name, drawn in FIGURES.items():
        figure = drawn()
        path = folder / f"wave_figure_{name}"
        write(path.with_suffix(".json"), json.dumps(asdict(figure), indent=2) + "\n")
        plot(figure, path.with_suffix(".svg"))
    return 0


def plot(figure: Figure, path: Path) -> None:
    chart = LineChart(
        title=figure.title,
        x_label=figure.x_label,
        y_label=figure.y_label,
        x=figure.x,
        curves=figure.curves,
        own_x=figure.own_x,
        has_points=len(figure.x) < 11,
    )
    draw_lines(chart, path)
    print(path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
