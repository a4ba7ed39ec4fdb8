"""Measure LG96's experiments with the window algorithm: Figures 11 to 13, sizes of blocks and records.

The names: figure_11, figure_12 (which follows from it), figure_13, block_sizes, record_sizes; all by default. Writes
lg96_<name> as .json (the measurements), .md (a table) and .svg (the plot), into docs/figures or the folder of --out.
All of them take a quarter of an hour or more. With --redraw, tables and plots are made anew from the measurements.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from laboratory.commands import FIGURES, command
from laboratory.evaluation import experiments
from laboratory.evaluation.experiments import MB, Critical, Measurement
from laboratory.plots import LineChart, draw_lines
from laboratory.tables import table

KB = 2**10


def main(arguments: list[str]) -> int:
    parser = command(__doc__, FIGURES)
    parser.add_argument("names", nargs="*", default=list(EXPERIMENTS), metavar="name", help=", ".join(EXPERIMENTS))
    parser.add_argument("--redraw", action="store_true", help="measure nothing")
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.names) - set(EXPERIMENTS)):
        parser.error(f"there is no {', '.join(unknown)}: they are {', '.join(EXPERIMENTS)}")
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.names:
        file = options.out / f"lg96_{name}.json"
        measure, draw = EXPERIMENTS[name]
        if not options.redraw:
            print(f"==> {name}", flush=True)
            file.write_text(json.dumps(measure(options.out), indent=2, default=asdict) + "\n")
        draw(json.loads(file.read_text()), options.out)
    return 0


def reported(found: Measurement) -> None:
    print(f"distance {found.distance:.2f}, {found.extra_messages:,} extra messages", flush=True)


def measure_figure_11(folder: Path) -> dict[str, list[Measurement]]:
    return experiments.figure_11(reported)


def draw_figure_11(data: dict[str, list[dict[str, Any]]], folder: Path) -> None:
    found = measurements(data)
    curves = {name: experiments.extra_by_distance(runs) for name, runs in found.items()}
    chart = LineChart(
        title="LG96 Figure 11: extra messages by distance, aging buffers of 8 MB",
        x_label="distance of the snapshots",
        y_label="extra messages",
        x=[],
        curves={name: extra for name, (_, extra) in curves.items()},
        own_x={name: distances for name, (distances, _) in curves.items()},
        has_points=True,
    )
    draw_lines(chart, folder / "lg96_figure_11.svg")


def measurements(data: dict[str, list[dict[str, Any]]]) -> dict[str, list[Measurement]]:
    return {name: [Measurement(**each) for each in runs] for name, runs in data.items()}


def measure_figure_12(folder: Path) -> list[Critical]:
    return experiments.figure_12(measurements(json.loads((folder / "lg96_figure_11.json").read_text())))


def draw_figure_12(data: list[dict[str, Any]], folder: Path) -> None:
    rows = [Critical(**each) for each in data]
    head = [
        "file",
        "records",
        "dist_crit, paper",
        "ours, between",
        "ours, buffer full",
        "disp_crit, paper, MB",
        "ours, MB",
        "a record in the paper's buffer, bytes",
    ]
    (folder / "lg96_figure_12.md").write_text(
        table(
            head,
            (
                [
                    row.file,
                    f"{row.rows:,}",
                    f"{row.paper_distance:.2f}",
                    f"{row.last_without:.2f} and {row.first_with:.2f}",
                    f"{row.distance:.2f}",
                    f"{row.paper_displacement_mb:.1f}",
                    f"{row.displacement_mb:.1f}",
                    f"{row.paper_record_bytes:.0f}",
                ]
                for row in rows
            ),
        )
    )


def measure_figure_13(folder: Path) -> list[Measurement]:
    return experiments.figure_13(reported)


def draw_figure_13(data: list[dict[str, Any]], folder: Path) -> None:
    found = [Measurement(**each) for each in data]
    chart = LineChart(
        title="LG96 Figure 13: extra messages by the size of an aging buffer, file of 100 MB",
        x_label=f"aging buffer, MB (distance {found[0].distance:.2f})",
        y_label="extra messages",
        x=[run.aging_bytes / MB for run in found],
        curves={"extra messages": [run.extra_messages for run in found]},
        has_points=True,
    )
    draw_lines(chart, folder / "lg96_figure_13.svg")


def measure_block_sizes(folder: Path) -> list[Measurement]:
    return experiments.block_sizes(reported)


def draw_block_sizes(data: list[dict[str, Any]], folder: Path) -> None:
    rows = ([f"{run['block_bytes'] / KB:.0f}", f"{run['extra_messages']:,}"] for run in data)
    (folder / "lg96_block_sizes.md").write_text(table(["input block, KB", "extra messages"], rows))


def measure_record_sizes(folder: Path) -> dict[str, list[Measurement]]:
    return experiments.record_sizes(reported)


def draw_record_sizes(data: dict[str, list[dict[str, Any]]], folder: Path) -> None:
    sizes = [f"{run['record_bytes']} bytes" for run in next(iter(data.values()))]
    rows = ([name, *(f"{run['extra_messages']:,}" for run in runs)] for name, runs in data.items())
    (folder / "lg96_record_sizes.md").write_text(table(["aging buffers of the", *sizes], rows))


EXPERIMENTS: dict[str, tuple[Callable[[Path], Any], Callable[[Any, Path], None]]] = {
    "figure_11": (measure_figure_11, draw_figure_11),
    "figure_12": (measure_figure_12, draw_figure_12),
    "figure_13": (measure_figure_13, draw_figure_13),
    "block_sizes": (measure_block_sizes, draw_block_sizes),
    "record_sizes": (measure_record_sizes, draw_record_sizes),
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
