"""Measure batches of strategies through dbt on a cluster of two workers, beside Spark's full outer join.

The workers are processes of this machine, so that an exchange costs little here: its bytes are printed. The source is
one folder, whose files become those of the other snapshot before each batch. The first batch begins the log, the second
warms up. Prints the seconds, the CPU seconds of the workers and the bytes that they exchanged, and the ratios to those
of Spark's join, which writes the changes.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from deltawave.wave.measuring import seconds as seconds_of
from laboratory.differential.dbt_project import Project, add_thrift_target, profile_settings
from laboratory.differential.methods import spark_full_outer_join
from laboratory.differential.snapshots import ORDERS, Snapshots
from laboratory.session import end_java, open_session

MODELS: dict[str, dict[str, Any]] = {
    "row_checksum": {"strategy": "row_checksum"},
    "outer_join": {"strategy": "outer_join"},
}
# The same with logs of these formats.
FORMATS = ("delta", "iceberg")
JOIN = "spark_full_outer_join"


class Events:
    """What the workers have done since the last look, from Spark's event log in a folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.settings = {
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": folder.as_uri(),
            "spark.eventLog.compress": "false",
            "spark.eventLog.rolling.enabled": "false",
        }
        self._seen: dict[Path, int] = {}

    def taken(self) -> tuple[float, int]:
        """CPU seconds, and bytes written for exchanges."""
        cpu, exchanged = 0.0, 0
        for file in self.folder.iterdir():
            with file.open("rb") as log:
                log.seek(self._seen.get(file, 0))
                for line in log:
                    if b'"SparkListenerTaskEnd"' in line:
                        metrics = json.loads(line)["Task Metrics"]
                        cpu += metrics["Executor CPU Time"] / 1e9
                        exchanged += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
                self._seen[file] = log.tell()
        return cpu, exchanged


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--order", choices=ORDERS, default="full")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--models", default="row_checksum,outer_join", help=", ".join(MODELS))
    parser.add_argument("--format", choices=FORMATS, help="of further models' logs")
    parser.add_argument(
        "--thrift", type=int, help="port of a Thrift server with the same settings, which runs the models"
    )
    parser.add_argument("--master", default="local-cluster[2,1,4096]")
    parser.add_argument("--partitions", type=int, default=8, help="spark.sql.shuffle.partitions")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="deltawave-cluster-"))
    found: dict[str, list[tuple[float, float, int]]] = defaultdict(list)
    try:
        session = open_session()
        snapshots = Snapshots(folder, given.rows, given.order, session)
        end_java(session)
        events = Events(folder / "events")
        settings = {
            **events.settings,
            "spark.master": given.master,
            "spark.executor.memory": "4g",
            "spark.driver.memory": "2g",
            "spark.sql.shuffle.partitions": str(given.partitions),
        }

        def measure(name: str, run: Callable[[], float], batch: str = "") -> None:
            events.taken()
            seconds = run()
            found[name + batch].append((seconds, *events.taken()))
            cpu, exchanged = found[name + batch][-1][1:]
            print(f"{name}{batch}: {seconds:.1f} s, {cpu:.1f} CPU s, {exchanged / 1e6:,.0f} MB exchanged", flush=True)

        models = {name: MODELS[name] for name in given.models.split(",")}
        if given.format:
            settings.update(profile_settings(given.format))
            models |= {f"{name}_{given.format}": {**of, "file_format": given.format} for name, of in models.items()}
        snapshots.session = session = open_session(settings)
        for _ in range(given.runs + 1):
            measure(JOIN, partial(seconds_of, partial(spark_full_outer_join, snapshots)))
        found[JOIN] = found[JOIN][1:]
        end_java(session)
        project = Project(snapshots, models, settings=settings)
        server = add_thrift_target(project.folder, given.thrift) if given.thrift else ()
        for turn in range(given.runs + 2):
            project.deliver("new" if turn % 2 else "old")
            batch = (", first batch", ", second batch")[turn] if turn < 2 else ""
            for name in models:
                measure(name, partial(project.run, name, *server), batch)
        medians = {name: [statistics.median(of) for of in zip(*taken, strict=True)] for name, taken in found.items()}
        for name, median in medians.items():
            ratios = [own / other for own, other in zip(median, medians[JOIN], strict=True)]
            print(f"{name}: {ratios[0]:.2f} of its seconds, {ratios[1]:.2f} of CPU, {ratios[2]:.2f} of bytes")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
