"""Measure a dbt seed beside Spark, which reads the same file with a schema and writes the same table.

Both take turns in one warm session. Prints the median seconds (of the seed without dbt's own start) and the ratio, and
what agate alone takes, which finds types and values in stock dbt.
"""

from __future__ import annotations

import argparse
import csv
import datetime as dt
import random
import shutil
import statistics
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from dbt_common.clients.agate_helper import from_csv
from pyspark.sql import SparkSession

from deltawave.wave.measuring import seconds as seconds_of
from laboratory.differential.dbt_project import parsed, run_model, write_project
from laboratory.session import SETTINGS
from laboratory.tables import table

SCHEMA = "id bigint, name string, city string, amount double, day date, at timestamp, is_active boolean"
SPARK, SEED, AGATE = "Spark reads and writes", "dbt seed", "agate reads"
# Compiling makes the first statements of a process slow.
WARM_UP = 4


def write_rows(file: Path, rows: int) -> None:
    """Write rows of all types that dbt finds in a seed."""
    draw = random.Random(rows)
    begin = dt.datetime(2020, 1, 1)
    with file.open("w", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(["id", "name", "city", "amount", "day", "at", "is_active"])
        for number in range(rows):
            at = begin + dt.timedelta(seconds=draw.randrange(10**8))
            city = draw.choice(["Oslo", "Rome", "Bern", ""])
            amount = f"{draw.randrange(10**7) / 100:.2f}"
            is_active = draw.choice(["true", "false"])
            writer.writerow([number, f"name {draw.randrange(rows)}", city, amount, at.date(), at, is_active])


def measure(folder: Path, rows: int, rounds: int) -> dict[str, float]:
    """The median seconds of each. Raises ``RuntimeError`` if the tables differ."""
    project = folder / "project"
    target = {"threads": 1, "data_dir": str(folder / "spark"), "server_side_parameters": SETTINGS}
    write_project(project, {}, target)
    file = project / "seeds" / "customers.csv"
    file.parent.mkdir()
    write_rows(file, rows)
    manifest = parsed(project)
    found: dict[str, list[float]] = defaultdict(list)
    for number in range(WARM_UP + rounds):
        found[SEED].append(run_model(project, "customers", manifest=manifest, command="seed"))
        session = SparkSession.active()
        read = session.read.csv(file.as_uri(), header=True, schema=SCHEMA)
        found[SPARK].append(seconds_of(lambda: read.write.mode("overwrite").saveAsTable("bench.by_spark")))
        found[AGATE].append(seconds_of(lambda: from_csv(file, text_columns={})))
        print(f"round {number + 1} of {WARM_UP + rounds}", file=sys.stderr, flush=True)
    by_spark, by_dbt = session.table("bench.by_spark"), session.table("bench.customers")
    if by_spark.dtypes != by_dbt.dtypes or by_spark.exceptAll(by_dbt).count() or by_dbt.exceptAll(by_spark).count():
        raise RuntimeError("The seed and Spark have made different tables.")
    return {name: statistics.median(taken[WARM_UP:]) for name, taken in found.items()}


def report(found: dict[str, float]) -> str:
    """A table of the medians and their ratios."""
    rows = [(name, f"{found[name]:.2f}", f"{found[name] / found[SPARK]:.2f}") for name in (SPARK, SEED, AGATE)]
    return table(["what", "seconds", "ratio"], rows)


def main(arguments: list[str] | None = None) -> None:
    """Measure, and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=62_000)
    parser.add_argument("--rounds", type=int, default=11)
    given = parser.parse_args(arguments)
    folder = Path(tempfile.mkdtemp(prefix="deltawave-seeds-"))
    try:
        print(report(measure(folder, given.rows, given.rounds)), end="")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
