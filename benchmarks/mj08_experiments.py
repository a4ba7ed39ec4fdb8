"""Measure Figures 10a to 10d of MJ08.

Writes mj08_figure_10a to mj08_figure_10d as .json (the numbers), .md (tables) and .svg (plots). The real data
of Figure 10d are generated: R and S have tuples of 32 bytes, and values from 0 to 36,000 with a skew of 0.5.
Figure 10c has each skew twice: once the values that are frequent in R are frequent in S too (common ranks), once the
two have nothing to do with each other. The paper does not say which.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from laboratory.commands import command
from laboratory.meshjoin.data import MeshData
from laboratory.meshjoin.measuring import in_process
from laboratory.meshjoin.methods import METHODS, sweep
from laboratory.meshjoin.setting import Setting
from laboratory.plots import LineChart, draw_lines

MEMORIES = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1)
SKEWS = (0.1, 0.3, 0.5, 0.7, 1.0)
# Less holds no page and its tuples.
LEAST_BYTES = 100_000
COMPARED = ("meshjoin", "index_nested_loops")


def main(arguments: list[str]) -> int:
    parser = command(__doc__)
    parser.add_argument("--reads", choices=("cached", "direct"), default="direct", help="the paper's cache is cold")
    parser.add_argument("--figures", default="abcd", help="letters of the figures to draw")
    parser.add_argument("--rows", type=int, default=3_500_000, help="of the relation")
    parser.add_argument("--sensor-rows", type=int, default=10_000_000, help="of the relation of Figure 10d")
    parser.add_argument("--runs", type=int, default=3, help="of which the median counts")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    drawn = {"a": draw_10a, "b": draw_10b, "c": draw_10c, "d": draw_10d}
    for figure in options.figures:
        with tempfile.TemporaryDirectory(dir=options.out) as folder:
            drawn[figure](options, Path(folder))
    return 0


def draw_10a(options: argparse.Namespace, folder: Path) -> None:
    points, _ = in_process(sweep, setting(options, folder, MeshData(options.rows), 0.05))
    found = [{name: point[name] for name in ("predicted", "measured")} for point in points]
    draw(options, "10a", "pages per iteration, b", [point["b"] for point in points], found)


def draw_10b(options: argparse.Namespace, folder: Path) -> None:
    draw_by_memory(options, folder, "10b", MeshData(options.rows))


def draw_10c(options: argparse.Namespace, folder: Path) -> None:
    found = []
    for skew in SKEWS:
        point: dict[str, float] = {}
        # Both have the same relation.
        own = folder / str(skew)
        own.mkdir()
        for name, is_common in (("common ranks", True), ("independent", False)):
            data = MeshData(options.rows, relation_skew=skew, common_ranks=is_common)
            found_rates = rates(options, setting(options, own, data, 0.05))
            point |= {f"{method}, {name}": rate for method, rate in found_rates.items()}
        shutil.rmtree(own)
        found.append(point)
    draw(options, "10c", "skew of the relation, z_R", SKEWS, found)


def draw_10d(options: argparse.Namespace, folder: Path) -> None:
    data = MeshData(options.sensor_rows, relation_skew=0.5, domain=36_001, row_bytes=32, tuple_bytes=32)
    draw_by_memory(options, folder, "10d", data)


def draw_by_memory(options: argparse.Namespace, folder: Path, name: str, data: MeshData) -> None:
    memories = [memory for memory in MEMORIES if memory * data.relation_bytes >= LEAST_BYTES]
    found = [rates(options, setting(options, folder, data, memory)) for memory in memories]
    draw(options, name, "memory as a part of R", memories, found)


def setting(options: argparse.Namespace, folder: Path, data: MeshData, memory: float) -> Setting:
    found = Setting(data, folder, int(data.relation_bytes * memory), options.reads == "direct")
    found.write()
    return found


def rates(options: argparse.Namespace, measured: Setting) -> dict[str, float]:
    """Of each method, the median rate."""
    runs = [{name: in_process(METHODS[name], measured)[0] for name in COMPARED} for _ in range(options.runs)]
    return {name: round(statistics.median(run[name] for run in runs)) for name in COMPARED}


def draw(
    options: argparse.Namespace, name: str, x_label: str, x: Sequence[float], found: Sequence[dict[str, float]]
) -> None:
    curves = {curve: [point[curve] for point in found] for curve in found[0]}
    path = options.out / f"mj08_figure_{name}"
    rows = options.sensor_rows if name == "10d" else options.rows
    reported = {"rows": rows, "reads": options.reads, "x": list(x), "curves": curves}
    path.with_suffix(".json").write_text(json.dumps(reported, indent=2) + "\n")
    title = f"MJ08 Figure {name}: {rows:,} rows, {options.reads} reads"
    chart = LineChart(
        title, x_label, "tuples per second", x, curves, is_share=name in ("10b", "10d"), logarithmic=name != "10a"
    )
    draw_lines(chart, path.with_suffix(".svg"))
    print(path, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
