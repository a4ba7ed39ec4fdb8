"""Measure batches of auto compared with those of outer_join, both through dbt.

The source is one folder, whose files become those of the other snapshot before each batch. The first batch begins the
log, the second warms up. Prints the seconds of each batch, and the ratio of the medians.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
from pathlib import Path
from typing import Any

from laboratory.differential.dbt_project import Project
from laboratory.differential.snapshots import ORDERS, Snapshots
from laboratory.session import open_session

MODELS: dict[str, dict[str, Any]] = {
    "outer_join": {"strategy": "outer_join"},
    "auto": {"strategy": "auto"},
    "auto_in_place": {"strategy": "auto", "in_place": True},
}


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--order", choices=ORDERS, default="local")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--models", default=",".join(MODELS))
    given = parser.parse_args()
    names = given.models.split(",")
    folder = Path(tempfile.mkdtemp(prefix="deltawave-auto-"))
    try:
        session = open_session()
        snapshots = Snapshots(folder, given.rows, given.order, session)
        # dbt opens a session of its own.
        session.stop()
        project = Project(snapshots, MODELS)
        seconds: dict[str, list[float]] = {name: [] for name in names}
        for turn in range(given.runs + 2):
            project.deliver("new" if turn % 2 else "old")
            for name in names:
                seconds[name].append(project.run(name))
                print(f"batch {turn + 1}: {name} {seconds[name][-1]:.1f} s", flush=True)
        medians = {name: statistics.median(runs[2:]) for name, runs in seconds.items()}
        for name, median in medians.items():
            print(f"{name}: {median:.1f} s, {medians[names[0]] / median:.2f} times as fast as {names[0]}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
