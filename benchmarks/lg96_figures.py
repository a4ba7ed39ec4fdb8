"""Draw LG96's Figures 6 to 9 and LG95's Tables 1 to 3 from the cost models.

All but Table 1 follow from the cost models. Writes each as .json (the numbers), .md (a table) and, of Figures 7 to 9,
.svg (the plot); into docs/figures by default.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from laboratory.commands import figures_folder, write
from laboratory.costs.lg96_figures import (
    Figure,
    Properties,
    Table,
    figure_6,
    figure_7,
    figure_8,
    figure_9,
    table_1,
    table_2,
    table_3,
)
from laboratory.plots import LineChart, draw_lines
from laboratory.tables import table

FIGURES = {"lg96_figure_7": figure_7, "lg96_figure_8": figure_8, "lg96_figure_9": figure_9}
TABLES = {"lg96_figure_6": figure_6, "lg95_table_2": table_2, "lg95_table_3": table_3}


def main(arguments: list[str]) -> int:
    folder = figures_folder(__doc__, arguments)
    data = {name: make() for name, make in (FIGURES | TABLES).items()}
    for name, found in data.items():
        write(folder / f"{name}.json", json.dumps(asdict(found), indent=2) + "\n")
        if isinstance(found, Figure):
            plot(found, folder / f"{name}.svg")
        else:
            write(folder / f"{name}.md", f"{found.title}: blocks read and written\n\n{of_table(found)}")
    properties = table_1()
    write(folder / "lg95_table_1.json", json.dumps(asdict(properties), indent=2) + "\n")
    write(
        folder / "lg95_table_1.md", f"{properties.title}: properties of the algorithms\n\n{of_properties(properties)}"
    )
    return 0


def of_table(found: Table) -> str:
    rows = ([name, *map(number, values)] for name, values in found.rows.items())
    return table(["algorithm", *found.head], rows)


def of_properties(found: Properties) -> str:
    rows = ([name, *("yes" if each else "no" for each in has), found.ours[name]] for name, has in found.rows.items())
    return table(["algorithm", *found.head, "here"], rows)


def number(value: float) -> str:
    """A share or a chance, or a number of blocks without its fraction, as the papers print them."""
    if 0 < value < 1:
        return f"{value:.0%}" if value > 1e-3 else f"{value:.1e}"
    return f"{int(value):,}"


def plot(figure: Figure, path: Path) -> None:
    chart = LineChart(
        title=f"{figure.title}: blocks read and written",
        x_label=figure.x_label,
        y_label="blocks",
        x=figure.x,
        curves=figure.curves,
        is_share=figure.is_share,
    )
    draw_lines(chart, path)
    print(path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
