"""Measure `deltawave.compare` of two tables in Parquet files: with equal rows left out by DuckDB, and by Spark alone.

The tables are those of benchmarks/auto.py: 12 columns of about 150 bytes together; 2% of the rows differ, and each lies
near its old place. Prints medians and ratios for each number of rows.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
from functools import partial
from pathlib import Path
from unittest.mock import patch

import deltawave
from deltawave.comparing import prefilter
from deltawave.wave.measuring import seconds as seconds_of
from laboratory.differential.snapshots import KEY, options
from laboratory.session import open_session
from laboratory.snapshots.generator import SnapshotGenerator

# From which size of files on DuckDB is used.
WAYS = {"duckdb": 0, "spark": 1 << 62}


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default="100000,300000,1000000", help="numbers of rows")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    session = open_session()
    for rows in map(int, given.rows.split(",")):
        folder = Path(tempfile.mkdtemp(prefix="deltawave-compare-"))
        try:
            SnapshotGenerator(options(rows, "local")).write(folder)
            size = sum(file.stat().st_size for file in folder.rglob("*.parquet"))
            old, new = (session.read.parquet(str(folder / side)) for side in ("old", "new"))
            taken: dict[str, list[float]] = {name: [] for name in WAYS}
            # In turns; the first turn warms up.
            for turn in range(given.runs + 1):
                for name, least in WAYS.items():
                    with patch.object(prefilter, "_LEAST_BYTES", least):
                        seconds = seconds_of(partial(deltawave.compare, old, new, KEY))
                    if turn:
                        taken[name].append(seconds)
            medians = {name: statistics.median(each) for name, each in taken.items()}
            print(
                f"{rows:,} rows, {size / 1e6:.0f} MB: "
                f"{', '.join(f'{name} {median:.1f} s' for name, median in medians.items())}, "
                f"ratio {medians['duckdb'] / medians['spark']:.2f}",
                flush=True,
            )
        finally:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
