"""How long the strategies of LG96 take to find the differences of two snapshots, compared with other methods.

All methods run in one Spark session of two cores, in rounds: each round runs every method once, the first round warms
up and does not count. A method's time is only recorded after its result was counted.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from collections.abc import Collection
from dataclasses import asdict, dataclass, field
from pathlib import Path

from laboratory.differential.dbt_project import MODELS, Project
from laboratory.differential.methods import METHODS, Method
from laboratory.differential.report import write_report
from laboratory.differential.snapshots import Snapshots
from laboratory.resources import watched
from laboratory.session import open_session


@dataclass
class Result:
    """The measurements of a method, medians. ``seconds`` includes writing the next state.

    If a state serves several batches, a part of it counts for each.

    ``bytes_read``: by Spark's tasks, and by the files' footers of what Python or DuckDB decodes.
    """

    method: str
    rows: int
    order: str
    seconds: float = 0.0
    seconds_without_state: float = 0.0
    seconds_through_dbt: float | None = None
    runs: list[float] = field(default_factory=list)
    runs_without_state: list[float] = field(default_factory=list)
    runs_through_dbt: list[float] = field(default_factory=list)
    bytes_read: int = 0
    peak_worker_bytes: int | None = None

    def summed_up(self) -> Result:
        """With the medians of the runs."""
        self.seconds = round(statistics.median(self.runs), 2)
        self.seconds_without_state = round(statistics.median(self.runs_without_state), 2)
        if self.runs_through_dbt:
            self.seconds_through_dbt = round(statistics.median(self.runs_through_dbt), 2)
        return self


def run(rows: int, order: str, out: Path, runs: int = 3, only: Collection[str] = ()) -> list[Result]:
    """Measure, and write ``results.json``, ``results.md`` and ``results.png`` into ``out``.

    ``only``: names of methods; all, if there are none. Raises ``RuntimeError`` if a method finds other changes.
    """
    known = [method.name for method in METHODS]
    if unknown := sorted(set(only) - set(known)):
        raise ValueError(f"There is no method {', '.join(unknown)}: they are {', '.join(known)}.")
    out.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="deltawave-bench-"))
    session = open_session()
    try:
        print(f"==> Writing two snapshots of {rows:,} rows, order {order}", flush=True)
        snapshots = Snapshots(folder, rows, order, session)
        methods = [method for method in METHODS if method.fits(rows) and (not only or method.name in only)]
        results = {method.name: Result(method.name, rows, order) for method in methods}
        for turn in range(runs + 1):
            for method in methods:
                _measure(method, snapshots, results[method.name], is_warm_up=turn == 0)
        # dbt opens a session of its own.
        session.stop()
        _measure_through_dbt(snapshots, results, runs)
        reported = [result.summed_up() for result in results.values()]
    finally:
        session.stop()
        shutil.rmtree(folder, ignore_errors=True)
    write_report([asdict(result) for result in reported], out)
    return reported


def _measure(method: Method, snapshots: Snapshots, result: Result, is_warm_up: bool) -> None:
    with watched(snapshots.session) as used:
        begin = time.perf_counter()
        method.find(snapshots)
        found = time.perf_counter() - begin
        if method.keep:
            method.keep(snapshots)
        kept = found + (time.perf_counter() - begin - found) / method.batches_per_state
    _check(method, snapshots)
    print(f"{'warm-up' if is_warm_up else 'run'}: {method.name} {kept:.1f} s", flush=True)
    if is_warm_up:
        return
    result.runs.append(round(kept, 3))
    result.runs_without_state.append(round(found, 3))
    result.bytes_read = used.bytes_read + method.reads(snapshots)
    if method.is_python:
        result.peak_worker_bytes = max(result.peak_worker_bytes or 0, used.peak_worker_bytes or 0)


def _check(method: Method, snapshots: Snapshots) -> None:
    if not method.rows_per_update:
        return
    expected = snapshots.updates * method.rows_per_update + snapshots.inserts + snapshots.deletes
    if (found := snapshots.found().count()) != expected:
        raise RuntimeError(f"{method.name} found {found} changes, not {expected}.")


def _measure_through_dbt(snapshots: Snapshots, results: dict[str, Result], runs: int) -> None:
    names = [name for name in MODELS if name in results]
    if not names:
        return
    project = Project(snapshots)
    # The first run begins the log, the second warms up. The snapshots alternate: the changes back are as many.
    for turn in range(runs + 2):
        project.deliver("new" if turn % 2 else "old")
        for name in names:
            seconds = project.run(name)
            print(f"{'run' if turn > 1 else 'warm-up'}: {name} through dbt {seconds:.1f} s", flush=True)
            if turn > 1:
                results[name].runs_through_dbt.append(round(seconds, 3))
