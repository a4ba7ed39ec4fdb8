"""Measure batches over a table of Delta or Iceberg, by its versions and read whole, through dbt.

The table has 100 files, in order of the key. Before each batch a thousandth of its rows is updated, in one file. Prints
the seconds of each batch, and the ratio of both ways.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
from collections import defaultdict
from pathlib import Path

from pyspark.sql import SparkSession

from laboratory.differential.dbt_project import parsed, profile_settings, run_model, write_project
from laboratory.differential.snapshots import KEY, Snapshots
from laboratory.session import SETTINGS, end_java, open_session

FILES = 100
LAKE = "bench_lake.accounts"
MODEL = f"{{{{ config(materialized='differential', unique_key='{KEY}') }}}}\nselect * from {LAKE}"
WHOLE = ("--vars", "{deltawave_read: [model]}")


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--format", choices=["delta", "iceberg"], default="delta")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="deltawave-versions-"))
    seconds: dict[str, list[float]] = defaultdict(list)
    try:
        session = open_session()
        Snapshots(folder, given.rows, "same", session)
        end_java(session)
        settings = {**SETTINGS, **profile_settings(given.format)}
        target = {"threads": 1, "data_dir": str(folder / "spark"), "server_side_parameters": settings}
        project = folder / "project"
        write_project(project, {"model": MODEL, "nothing": "{{ config(materialized='view') }} select 1 as one"}, target)
        manifest = parsed(project)
        # dbt opens the session.
        run_model(project, "nothing", manifest=manifest)
        spark = SparkSession.active()
        spark.sql("create schema if not exists bench_lake")
        spark.sql(
            f"create table {LAKE} using {given.format} as "
            f"select /*+ repartition_by_range({FILES}, {KEY}) */ * from parquet.`{folder / 'old'}`"
        )
        print(f"first batch: {run_model(project, 'model', manifest=manifest):.1f} s", flush=True)
        for turn in range(given.runs + 1):
            for way, options in (("by versions", ()), ("whole", WHOLE)):
                change(spark, 2 * turn + (1 if options else 0))
                taken = run_model(project, "model", *options, manifest=manifest)
                print(f"{way}: {taken:.2f} s", flush=True)
                if turn:
                    seconds[way].append(taken)
        medians = {way: statistics.median(taken) for way, taken in seconds.items()}
        print(f"by versions: {medians['by versions'] / medians['whole']:.2f} of whole")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def change(spark: SparkSession, number: int) -> None:
    """Update a thousandth of the rows, all of them in the file of that number."""
    low, high = spark.sql(f"select min({KEY}), max({KEY}) from {LAKE}").collect()[0]
    begin = low + (high - low) * (number % FILES) // FILES + (high - low) // FILES // 3
    spark.sql(
        f"update {LAKE} set note = concat(note, 'x') where {KEY} between {begin} and {begin + (high - low) // 1000}"
    )


if __name__ == "__main__":
    main()
