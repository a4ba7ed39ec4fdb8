"""Draw Figures 9 and 10 of CH98 from the cost model.

Writes ch98_figure_9 and ch98_figure_10 as .json (the numbers), .md (a table) and .svg (the plot); into docs/figures
by default.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from laboratory.commands import figures_folder, write
from laboratory.costs.ch98_figures import Figure, figure_9, figure_10
from laboratory.plots import LineChart, draw_lines


def main(arguments: list[str]) -> int:
    folder = figures_folder(__doc__, arguments)
    for name, figure in {"ch98_figure_9": figure_9(), "ch98_figure_10": figure_10()}.items():
        write(folder / f"{name}.json", json.dumps(asdict(figure), indent=2) + "\n")
        plot(figure, folder / f"{name}.svg")
    return 0


def plot(figure: Figure, path: Path) -> None:
    chart = LineChart(
        title=f"{figure.title}: pages read",
        x_label=f"share of {figure.x_label}",
        y_label="pages",
        x=figure.shares,
        curves=figure.curves,
        is_share=True,
        logarithmic=figure.logarithmic,
    )
    draw_lines(chart, path)
    print(path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
