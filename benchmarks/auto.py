"""Measure batches of the default strategy through dbt, beside those of outer_join, Spark's own join, a copy and DuckDB.

The source is one folder, whose files become those of the other snapshot before each batch. The first batch begins the
log, the second warms up. At the end the models run on the source as it is. Prints the seconds of each, the ratios of
the medians to the first of the others, and the most memory that this process took, which DuckDB is part of.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import statistics
import tempfile
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import Any

from deltawave.wave.measuring import seconds as seconds_of
from laboratory.differential.dbt_project import Project
from laboratory.differential.methods import duckdb_full_outer_join, read_both, spark_full_outer_join
from laboratory.differential.snapshots import KEY, ORDERS, Snapshots
from laboratory.session import end_java, open_session

MODELS: dict[str, dict[str, Any]] = {
    "default": {},
    "default_through_spark": {},
    "outer_join": {"strategy": "outer_join"},
    "hashes": {"strategy": "hash_compressed"},
    "hashes_through_spark": {"strategy": "hash_compressed"},
}
# With a filter, Spark reads the files.
FILTERS = {name: f"where {KEY} is not null" for name in MODELS if name.endswith("_through_spark")}


def copy(snapshots: Snapshots) -> None:
    """Write the new snapshot again."""
    snapshots.write(snapshots.new)


OTHERS = {
    "spark_full_outer_join": spark_full_outer_join,
    "copy": copy,
    "duckdb_full_outer_join": duckdb_full_outer_join,
    "read_both": read_both,
}


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--order", choices=ORDERS, default="full")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--models", default="default,default_through_spark,outer_join", help=", ".join(MODELS))
    parser.add_argument("--others", default="spark_full_outer_join,copy,duckdb_full_outer_join", help=", ".join(OTHERS))
    given = parser.parse_args()
    names, others = given.models.split(","), [name for name in given.others.split(",") if name]
    folder = Path(tempfile.mkdtemp(prefix="deltawave-auto-"))
    seconds: dict[str, list[float]] = defaultdict(list)
    try:
        session = open_session()
        snapshots = Snapshots(folder, given.rows, given.order, session)
        for run in range(given.runs):
            for name in others:
                seconds[name].append(seconds_of(partial(OTHERS[name], snapshots)))
                print(f"run {run + 1}: {name} {seconds[name][-1]:.1f} s", flush=True)
        # dbt starts a Java of its own.
        end_java(session)
        project = Project(snapshots, MODELS, FILTERS)
        for turn in range(given.runs + 2):
            project.deliver("new" if turn % 2 else "old")
            for name in names:
                taken = project.run(name)
                print(f"batch {turn + 1}: {name} {taken:.1f} s", flush=True)
                if turn > 1:
                    seconds[name].append(taken)
        for name in [*names] * given.runs:
            seconds[f"{name}, unchanged"].append(project.run(name))
        medians = {name: statistics.median(taken) for name, taken in seconds.items()}
        opponent = (others or names)[0]
        for name, median in medians.items():
            print(f"{name}: {median:.1f} s, {median / medians[opponent]:.2f} of {opponent}")
        print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MiB at most")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
