"""Draw Figures 9 and 10 of CH98 from the cost model: `.venv/bin/python benchmarks/ch98_figures.py [folder]`.

Writes ch98_figure_9 and ch98_figure_10 as .json (the numbers), .md (a table) and .svg (the plot); into docs/figures
by default.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from line_chart import Chart, draw

from deltawave.costs.ch98_figures import Figure, figure_9, figure_10

ROOT = Path(__file__).resolve().parents[1]


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else ROOT / "docs" / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in {"ch98_figure_9": figure_9(), "ch98_figure_10": figure_10()}.items():
        write(folder / f"{name}.json", json.dumps(asdict(figure), indent=2) + "\n")
        write(folder / f"{name}.md", table(figure))
        write(folder / f"{name}.svg", plot(figure))
    return 0


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    print(path)


def percent(share: float) -> str:
    return f"{share:.0%}"


def table(figure: Figure) -> str:
    rows = [[figure.x_label, *figure.curves], ["---", *["---:"] * len(figure.curves)]]
    for place, share in enumerate(figure.shares):
        rows.append([percent(share), *(f"{pages[place]:,.1f}" for pages in figure.curves.values())])
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([f"{figure.title}: pages read of a relation of 1,000 pages", "", *lines, ""])


def plot(figure: Figure) -> str:
    return draw(
        Chart(
            title=f"{figure.title}: pages read",
            x_label=f"share of {figure.x_label}",
            x_ticks=[percent(share) for share in figure.shares],
            curves=figure.curves,
            y_ticks=[1, 10, 100, 1_000, 10_000] if figure.logarithmic else list(range(0, 6_001, 1_000)),
            logarithmic=figure.logarithmic,
        )
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
