"""Measure how long a cold `dbt run` takes, in bare pyspark sessions with Hive's embedded metastore.

A dbt project in a temporary folder has a table of 400 rows, a differential model over it and a trivial view, all built
already. Each round runs, in processes of their own, a bare session (`enableHiveSupport`, `show databases`, `stop`), the
unchanged differential and the view; with `--without` the last two once more without the archive of classes. Then as
many rounds run them through `deltawave server`, whose own CPU seconds do not count. Printed are
the median seconds, the median CPU seconds of the process and its JVM, and both as ratios to the bare session's.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from deltawave.class_archive import SWITCH, cache_folder
from laboratory.differential.dbt_project import write_project
from laboratory.tables import table

BARE = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[*]").enableHiveSupport().getOrCreate()
spark.sql("show databases").collect()
spark.stop()
"""
MODELS = {
    "small": "{{ config(materialized='table', file_format='parquet') }}"
    " select id, concat('name ', id) as name from range(400)",
    "trivial": "{{ config(materialized='view') }} select 1 as id",
    "changes": "{{ config(materialized='differential', unique_key='id') }} select * from {{ ref('small') }}",
}
# Waits for all descendants, so that the CPU seconds of JVMs count, which dbt does not wait for.
_TIMED = """
import ctypes, os, resource, subprocess, sys, time
ctypes.CDLL(None).prctl(36, 1)
begun = time.perf_counter()
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
seconds = time.perf_counter() - begun
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(code, seconds, used.ru_utime + used.ru_stime)
"""


def timed(command: Sequence[str], folder: Path, environ: Mapping[str, str]) -> tuple[float, float]:
    """Seconds until the command ends, and CPU seconds of it and all that it started."""
    timer = [sys.executable, "-c", _TIMED, *command]
    run = subprocess.run(timer, cwd=folder, env=environ, capture_output=True, text=True, check=True)
    code, seconds, cpu = run.stdout.split()
    if code != "0":
        raise SystemExit(f"{' '.join(command)} failed with exit code {code}")
    return float(seconds), float(cpu)


def dbt_run(*options: str) -> list[str]:
    return [sys.executable, "-m", "dbt.cli.main", "run", *options]


def measure(folder: Path, rounds: int, without: bool) -> dict[str, list[tuple[float, float]]]:
    write_project(folder, MODELS, {})
    (folder / "bare").mkdir()
    environ = os.environ | {"XDG_CACHE_HOME": str(folder / "cache"), SWITCH: "true"}
    # The first run builds everything, and leaves the archive; the bare session gets its metastore.
    timed(dbt_run(), folder, environ)
    if not list(cache_folder(environ).glob("*.jsa")):
        raise SystemExit("The first run has left no archive of classes.")
    bare = [sys.executable, "-c", BARE]
    timed(bare, folder / "bare", environ)
    contenders = {
        "bare pyspark session": (bare, folder / "bare", environ),
        "unchanged differential": (dbt_run("--select", "changes"), folder, environ),
        "trivial view": (dbt_run("--select", "trivial"), folder, environ),
    }
    if without:
        for name in ("unchanged differential", "trivial view"):
            contenders[f"{name}, no archive"] = (*contenders[name][:2], environ | {SWITCH: "false"})
    found = alternating(contenders, rounds)
    server = [sys.executable, "-m", "deltawave", "server"]
    subprocess.run([*server, "start"], cwd=folder, env=environ, check=True, stdout=sys.stderr)
    try:
        names = ("unchanged differential", "trivial view")
        found |= alternating({f"{name}, server": contenders[name] for name in names}, rounds)
    finally:
        subprocess.run([*server, "stop"], cwd=folder, env=environ, check=True, stdout=sys.stderr)
    return found


def alternating(
    contenders: Mapping[str, tuple[Sequence[str], Path, Mapping[str, str]]], rounds: int
) -> dict[str, list[tuple[float, float]]]:
    """What each command takes, in rounds, so that all of them see the same machine."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in contenders}
    for number in range(rounds):
        for name, (command, where, variables) in contenders.items():
            found[name].append(timed(command, where, variables))
            print(f"round {number + 1}: {name}: {found[name][-1]}", file=sys.stderr, flush=True)
    return found


def report(found: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    medians = {name: [statistics.median(column) for column in zip(*runs, strict=True)] for name, runs in found.items()}
    base_seconds, base_cpu = next(iter(medians.values()))
    rows = [
        (name, f"{seconds:.1f}", f"{seconds / base_seconds:.2f}", f"{cpu:.1f}", f"{cpu / base_cpu:.2f}")
        for name, (seconds, cpu) in medians.items()
    ]
    return table(["run", "seconds", "ratio", "CPU seconds", "ratio"], rows)


def main() -> None:
    """Measure, and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--without", action="store_true", help="measure without the archive of classes, too")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="deltawave-startup-"))
    begun = time.perf_counter()
    try:
        print(report(measure(folder, options.rounds, options.without)), end="")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{time.perf_counter() - begun:.0f} s in all", file=sys.stderr)


if __name__ == "__main__":
    main()
