"""Draw Figures 5 and 11 of MJ08.

Writes mj08_figure_5a, mj08_figure_5b and mj08_figure_11 as .json (the numbers), .md (tables) and .svg (plots); into
docs/figures by default.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import numpy.typing as npt

from laboratory.commands import figures_folder, write
from laboratory.costs.mj08_figures import Drawn, figure_5a, figure_5b, figure_11
from laboratory.meshjoin.data import Zipf
from laboratory.plots import LineChart, draw_lines

ROWS = 3_500_000
SPEEDS = (1.1, 1.2, 1.4, 1.6, 1.8, 2.0)
SKEWS = (0.1, 0.5, 1.0)


def main(arguments: list[str]) -> int:
    folder = figures_folder(__doc__, arguments)
    titles = {
        "5a": "MJ08 Figure 5a: memory for 6,000 tuples per second",
        "5b": "MJ08 Figure 5b: the service rate of 4 MB",
    }
    for name, curve in {"5a": figure_5a(), "5b": figure_5b()}.items():
        write(folder / f"mj08_figure_{name}.json", json.dumps(asdict(curve)) + "\n")
        chart = LineChart(titles[name], curve.x_label, curve.y_label, curve.x, {curve.y_label: curve.y})
        draw_lines(chart, folder / f"mj08_figure_{name}.svg")
    draw_figure_11(folder)
    return 0


def draw_figure_11(folder: Path) -> None:
    makes = {"drawn": drawn, "proportional": proportional, "common ranks": common_ranks}
    reported = {
        f"{kind}, z_R = {skew}": figure_11(make(skew), SPEEDS, streams=5)
        for kind, make in makes.items()
        for skew in SKEWS
    }
    points = {name: [asdict(each) for each in shed] for name, shed in reported.items()}
    write(folder / "mj08_figure_11.json", json.dumps(points, indent=2) + "\n")
    curves = {f"TOPW, {name}": [100 * each.top_w for each in shed] for name, shed in reported.items()}
    chart = LineChart(
        "MJ08 Figure 11: results that are made", "speed of the stream, rho", "% of the results", SPEEDS, curves
    )
    draw_lines(chart, folder / "mj08_figure_11.svg")


def drawn(skew: float) -> Drawn:
    """The rows of a value are drawn, as in :class:`MeshData`; so many values have none."""
    keys = Zipf(ROWS, skew, seed=2).draw(ROWS, np.random.default_rng(3))
    counts: npt.NDArray[np.int64] = np.bincount(keys, minlength=ROWS)
    return of_stream(counts, seed=4)


def proportional(skew: float) -> Drawn:
    """Each value has as many rows as its share of the relation, not rounded; values have other ranks in the stream."""
    return of_stream(shares(skew), seed=4)


def common_ranks(skew: float) -> Drawn:
    """The same, where values that are frequent in the relation are frequent in the stream, too."""
    return of_stream(shares(skew), seed=2)


def shares(skew: float) -> npt.NDArray[np.int64]:
    found = np.zeros(ROWS, dtype=np.int64)
    ranks = np.arange(1, ROWS + 1, dtype=np.float64) ** -skew
    # In thousandths of a row: only proportions count.
    found[np.random.default_rng(2).permutation(ROWS)] = np.rint(1000 * ROWS * ranks / ranks.sum())
    return found


def of_stream(counts: npt.NDArray[np.int64], seed: int) -> Drawn:
    """The frequencies of the tuples of streams of skew 0.5; values whose ranks are of the same ``seed`` share them."""
    stream = Zipf(ROWS, 0.5, seed)

    def found(count: int, random: np.random.Generator) -> npt.NDArray[np.int64]:
        own: npt.NDArray[np.int64] = counts[stream.draw(count, random)]
        return own

    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
