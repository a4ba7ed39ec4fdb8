"""Measure LG96's Figure 14 on Spark: window compared with sort merge.

Clock and processor time of `snapshot_differential` over snapshots of 25 to 100 MB with a distance of 0.05. Writes
lg96_figure_14 as .json, .md and .svg into docs/figures, or the folder of --out. It takes about five minutes.
"""

from __future__ import annotations

import json
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from deltawave.differencing import snapshot_differential
from deltawave.resources import release
from laboratory.commands import FIGURES, command
from laboratory.differential.snapshots import KEY
from laboratory.evaluation.experiments import swaps_of_distance
from laboratory.plots import LineChart, draw_lines
from laboratory.resources import watched
from laboratory.session import open_session
from laboratory.snapshots.generator import GeneratorOptions, SnapshotGenerator

ALGORITHMS = ("window", "sort_merge")
ROWS_PER_MB = 6500
DISTANCE = 0.05
# Of which the window takes an eighth for each aging buffer: the paper's 8 MB.
MEMORY_BYTES = 64 * 2**20

Result = dict[str, float | str]


def main(arguments: list[str]) -> int:
    parser = command(__doc__, FIGURES)
    parser.add_argument("--sizes", type=int, nargs="+", default=[25, 50, 75, 100], help="MB of a snapshot")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    session = open_session()
    try:
        results = [found for size in options.sizes for found in measured(session, size, options.runs)]
    finally:
        session.stop()
    (options.out / "lg96_figure_14.json").write_text(json.dumps(results, indent=2) + "\n")
    report(results, options.out)
    return 0


def measured(session: SparkSession, size: int, runs: int) -> list[Result]:
    """Medians for snapshots of so many MB, after two runs that warm up."""
    folder = Path(tempfile.mkdtemp(prefix="deltawave-figure-14-"))
    rows = size * ROWS_PER_MB
    displacement = swaps_of_distance(rows, DISTANCE)
    options = GeneratorOptions(rows=rows, order="swapped", displacement=displacement)
    try:
        SnapshotGenerator(options).write(folder)
        clocks: dict[str, list[float]] = {name: [] for name in ALGORITHMS}
        processors: dict[str, list[float]] = {name: [] for name in ALGORITHMS}
        for turn in range(runs + 2):
            for name in ALGORITHMS:
                clock, processor = once(session, folder, name, round(options.update_fraction * rows))
                print(f"{size} MB, {name}: {clock:.2f} s, processors {processor:.2f} s", flush=True)
                if turn > 1:
                    clocks[name].append(clock)
                    processors[name].append(processor)
    finally:
        shutil.rmtree(folder)
    return [
        {
            "size": size,
            "algorithm": name,
            "seconds": round(statistics.median(clocks[name]), 3),
            "cpu_seconds": round(statistics.median(processors[name]), 3),
        }
        for name in ALGORITHMS
    ]


def once(session: SparkSession, folder: Path, algorithm: str, expected: int) -> tuple[float, float]:
    old, new = (session.read.parquet(str(folder / side)) for side in ("old", "new"))
    with watched(session) as used:
        begin = time.perf_counter()
        options: Any = {"before_image": False, "check_keys": False, "memory_bytes": MEMORY_BYTES}
        frame = snapshot_differential(old, new, unique_key=KEY, algorithm=algorithm, **options)
        frame.write.format("noop").mode("overwrite").save()
        clock = time.perf_counter() - begin
    found = frame.count()
    release(frame)
    if found != expected:
        raise RuntimeError(f"{algorithm} found {found} changes, not {expected}.")
    return clock, used.cpu_seconds


def report(results: list[Result], folder: Path) -> None:
    sizes = sorted({float(result["size"]) for result in results})
    curves = {
        f"{algorithm}, {what}": [float(result[field]) for result in results if result["algorithm"] == algorithm]
        for algorithm in ALGORITHMS
        for what, field in (("clock", "seconds"), ("processors", "cpu_seconds"))
    }
    chart = LineChart(
        title="LG96 Figure 14: total times on Spark",
        x_label="size of a snapshot, MB (distance 0.05)",
        y_label="seconds",
        x=sizes,
        curves=curves,
        has_points=True,
    )
    draw_lines(chart, folder / "lg96_figure_14.svg")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
