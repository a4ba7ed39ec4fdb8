"""Measure a dbt seed beside Spark, which reads the same file and writes the same table.

Spark finds the types itself, as a seed does, or gets a schema. All take turns in one warm session. Prints the median
seconds (of the seed without dbt's own start) and the ratio, and what agate alone takes, which finds types and values in
stock dbt.
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
from functools import partial
from pathlib import Path

from dbt_common.clients.agate_helper import from_csv
from pyspark.sql import SparkSession

from deltawave.wave.measuring import seconds as seconds_of
from laboratory.differential.dbt_project import parsed, run_model, write_project
from laboratory.session import SETTINGS
from laboratory.tables import table

SCHEMA = "id bigint, name string, city string, amount double, day date, at timestamp, is_active boolean"
SPARK, WITH_SCHEMA = "Spark finds types, reads and writes", "Spark reads with a schema and writes"
SEED, AGATE = "dbt seed", "agate reads"


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


def by_spark(session: SparkSession, file: Path, schema: str | None = None) -> None:
    """Read the file and write the table, without dbt; Spark finds the types if there is no schema."""
    rows = session.read.csv(file.as_uri(), header=True, schema=schema, inferSchema=schema is None)
    rows.write.mode("overwrite").saveAsTable("bench.by_spark")


def measure(folder: Path, rows: int, rounds: int, warm_up: int) -> dict[str, float]:
    """The median seconds of each. Raises ``RuntimeError`` if the tables differ."""
    project = folder / "project"
    target = {"threads": 1, "data_dir": str(folder / "spark"), "server_side_parameters": SETTINGS}
    write_project(project, {}, target)
    file = project / "seeds" / "customers.csv"
    file.parent.mkdir()
    write_rows(file, rows)
    manifest = parsed(project)
    found: dict[str, list[float]] = defaultdict(list)
    for number in range(warm_up + rounds):
        found[SEED].append(run_model(project, "customers", manifest=manifest, command="seed"))
        session = SparkSession.active()
        found[SPARK].append(seconds_of(partial(by_spark, session, file)))
        found[WITH_SCHEMA].append(seconds_of(partial(by_spark, session, file, SCHEMA)))
        found[AGATE].append(seconds_of(lambda: from_csv(file, text_columns={})))
        print(f"round {number + 1} of {warm_up + rounds}", file=sys.stderr, flush=True)
    one, other = session.table("bench.by_spark"), session.table("bench.customers")
    if one.dtypes != other.dtypes or one.exceptAll(other).count() or other.exceptAll(one).count():
        raise RuntimeError("The seed and Spark have made different tables.")
    return {name: statistics.median(taken[warm_up:]) for name, taken in found.items()}


def report(found: dict[str, float]) -> str:
    """A table of the medians and their ratios."""
    names = (SPARK, WITH_SCHEMA, SEED, AGATE)
    rows = [(name, f"{found[name]:.2f}", f"{found[name] / found[SPARK]:.2f}") for name in names]
    return table(["what", "seconds", "ratio"], rows)


def main(arguments: list[str] | None = None) -> None:
    """Measure, and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=62_000)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--warm-up", type=int, default=4, help="rounds in which Java compiles, which do not count")
    given = parser.parse_args(arguments)
    folder = Path(tempfile.mkdtemp(prefix="deltawave-seeds-"))
    try:
        print(report(measure(folder, given.rows, given.rounds, given.warm_up)), end="")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
