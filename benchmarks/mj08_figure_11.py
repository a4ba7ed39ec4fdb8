"""Redraw MJ08's Figure 11, results of a join whose stream is shed: `.venv/bin/python benchmarks/mj08_figure_11.py`.

The part of the result that TOPW gives, beside OPTOFFLINESHED, which knows the stream. Writes mj08_figure_11 as .json,
.md and .svg into docs/figures, or the folder of --out. It takes some minutes and no Spark.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path

import numpy as np
from markdown import table

from deltawave.bench.plots import LineChart, draw_lines
from deltawave.evaluation.shedding_experiment import SheddingExperiment

ROOT = Path(__file__).resolve().parents[1]
RATIOS = (1.1, 1.2, 1.4, 1.6, 1.8, 2.0)
SKEWS = (0.1, 0.5, 1.0)

Result = dict[str, float]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=10, help="of each ratio and skew")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "figures")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(options.seed)
    results = [found for skew in SKEWS for found in measured(skew, options.streams, random)]
    (options.out / "mj08_figure_11.json").write_text(json.dumps(results, indent=2) + "\n")
    report(results, options.out)
    return 0


def measured(skew: float, streams: int, random: np.random.Generator) -> list[Result]:
    """Means over streams, for each ratio."""
    experiment = SheddingExperiment()
    relation = experiment.relation(skew, random)
    results = []
    for ratio in RATIOS:
        found = [experiment.fractions(experiment.stream(relation, ratio, random), ratio) for _ in range(streams)]
        top, best = (statistics.mean(side) for side in zip(*found, strict=True))
        print(f"z_R {skew}, rho {ratio}: TOPW {top:.4f}, OPTOFFLINESHED {best:.4f}", flush=True)
        results.append({"skew": skew, "ratio": ratio, "top_w": round(top, 4), "optimal": round(best, 4)})
    return results


def report(results: list[Result], folder: Path) -> None:
    curves = {
        f"{name}, z_R = {skew}": [result[field] for result in results if result["skew"] == skew]
        for skew in SKEWS
        for name, field in (("TOPW", "top_w"), ("OPTOFFLINESHED", "optimal"))
    }
    rows = ([f"{ratio:g}", *(f"{values[at]:.3f}" for values in curves.values())] for at, ratio in enumerate(RATIOS))
    (folder / "mj08_figure_11.md").write_text(table(["arrival rate by service rate", *curves], rows))
    percents = {name: [100 * value for value in values] for name, values in curves.items()}
    chart = LineChart(
        title="MJ08 Figure 11: results left by shedding",
        x_label="arrival rate by service rate",
        y_label="part of the result, %",
        x=RATIOS,
        curves=percents,
        has_points=True,
    )
    draw_lines(chart, folder / "mj08_figure_11.svg")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
