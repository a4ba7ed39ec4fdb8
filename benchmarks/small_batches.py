"""Measure batches of a small table in one warm process, beside dbt's own table of the same rows.

The source is one file of 400 rows, which is replaced before each run: by rows of which 1% are updated, or by the same
rows. Each round runs the table and each strategy for both. Prints the median seconds, without dbt's own start, and the
ratios to the table's.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from years import SCHEMA, deliver

from laboratory.differential.dbt_project import parsed, run_model, write_project
from laboratory.session import SETTINGS
from laboratory.tables import table

TABLE = "table"
STRATEGIES = ("auto", "outer_join", "hash_compressed", "row_checksum", "ranges")
KINDS = ("changed", "unchanged")
# Compiling makes the first statements of a process slow.
WARM_UP = 15
ROWS = 400


def text(strategy: str, source: Path) -> str:
    """The model of a strategy, or of the table."""
    options = (
        "materialized='table', file_format='parquet'"
        if strategy == TABLE
        else f"materialized='differential', unique_key='id', meta={{'strategy': {strategy!r}}}"
    )
    return f"{{{{ config({options}) }}}}\nselect * from parquet.`{source}`"


def measure(folder: Path, rounds: int, strategies: list[str]) -> dict[str, dict[str, float]]:
    """The median seconds, by kind of run and model."""
    source = folder / "source"
    source.mkdir()
    models = {f"small_{name}": text(name, source) for name in (TABLE, *strategies)}
    target = {"threads": 1, "schema": SCHEMA, "data_dir": str(folder / "spark"), "server_side_parameters": SETTINGS}
    write_project(folder / "project", models, target)
    manifest = parsed(folder / "project")
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for number in range(2 * (WARM_UP + rounds)):
        deliver(source, number // 2, ROWS, KINDS[number % 2])
        for model in models:
            seconds = run_model(folder / "project", model, manifest=manifest)
            if number >= 2 * WARM_UP:
                found[KINDS[number % 2]][model].append(seconds)
        print(f"run {number + 1} of {2 * (WARM_UP + rounds)}", file=sys.stderr, flush=True)
    return {kind: {model: statistics.median(taken) for model, taken in each.items()} for kind, each in found.items()}


def report(found: dict[str, dict[str, float]]) -> str:
    """A table of the medians and their ratios."""
    rows = [
        (kind, model.removeprefix("small_"), f"{seconds:.2f}", f"{seconds / each[f'small_{TABLE}']:.1f}")
        for kind, each in found.items()
        for model, seconds in each.items()
    ]
    return table(["rows", "model", "seconds", "of the table"], rows)


def main() -> None:
    """Measure, and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="deltawave-small-"))
    try:
        print(report(measure(folder, given.rounds, given.strategies.split(","))), end="")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
