"""How long the strategies of LG96 take to find the differences of two snapshots, beside plain Spark.

    .venv/bin/python benchmarks/differential.py [--rows 2000000] [--order full] [--runs 3] [--out FOLDER]

Two snapshots of about 150 bytes per row: 1% of the rows updated, 0.5% deleted, 0.5% inserted. Every method runs as a
library function in one Spark session, local[2], and writes what it found as Parquet; the strategies compare with the
hashes that an earlier comparison kept. A round runs every method once; the first round warms up and does not count.
Limits: reading the later snapshot, or both, with pyarrow in as many tasks as cores. Writes differential_<order>.json,
a list of {method, rows, order, seconds (median), runs}, and differential_<order>.md with ratios to Spark's own full
outer join.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from deltawave.differencing import hash_compressed, sort_merge_compressed
from deltawave.differencing.compression import Freed
from deltawave.differencing.in_place import map_rows, quoted
from deltawave.evaluation.snapshot_generator import ORDERS, GeneratorOptions, SnapshotGenerator

KEY = "account_id"
OPPONENT = "spark_full_outer_join"


class Bench:
    """A session, two snapshots in files, and what is kept of the earlier one."""

    def __init__(self, folder: Path, rows: int, order: str) -> None:
        self.folder, self.rows = folder, rows
        options = GeneratorOptions(
            rows=rows, record_bytes=150, update_fraction=0.01, insert_fraction=0.005, delete_fraction=0.005, order=order
        )
        self.generator = SnapshotGenerator(options)
        self.generator.write(folder)
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        settings = {
            "spark.driver.memory": "6g",
            "spark.sql.shuffle.partitions": "4",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
        }
        builder = SparkSession.builder.master("local[2]").appName("bench")  # type: ignore[attr-defined]
        for name, value in settings.items():
            builder = builder.config(name, value)
        self.spark: SparkSession = builder.getOrCreate()
        self.spark.sparkContext.setLogLevel("ERROR")
        self.old = self.spark.read.parquet(str(folder / "old"))
        self.new = self.spark.read.parquet(str(folder / "new"))
        self.columns = [
            {"name": name, "is_compared": name != KEY, "comparable": quoted(name)} for name in self.new.columns
        ]
        self._keep()

    def _keep(self) -> None:
        kept = hash_compressed.kept_hashes(self.old, unique_key=[KEY], columns=self.columns, count=self.rows)
        kept.write.parquet(str(self.folder / "kept"))
        self.kept = self.spark.read.parquet(str(self.folder / "kept"))

    def write(self, frame: DataFrame) -> None:
        frame.write.mode("overwrite").parquet(str(self.folder / "found"))

    def found(self) -> int:
        return self.spark.read.parquet(str(self.folder / "found")).count()

    # -- the methods

    def _sides(self) -> tuple[DataFrame, DataFrame]:
        old = self.old.select(*(F.col(name).alias(f"old_{name}") for name in self.old.columns))
        return old, self.new

    def spark_full_outer_join(self) -> None:
        old, new = self._sides()
        same = [f"old_{name} <=> {name}" for name in new.columns]
        self.write(old.join(new, F.expr(same[0]), "full").where(f"not ({' and '.join(same)})"))

    def union_group_by(self) -> None:
        both = self.old.withColumn("side", F.lit(-1)).unionByName(self.new.withColumn("side", F.lit(1)))
        grouped = both.groupBy(*self.new.columns).agg(F.sum("side").alias("side"))
        self.write(grouped.where("side <> 0"))

    def except_all(self) -> None:
        gone, come = self.old.exceptAll(self.new), self.new.exceptAll(self.old)
        self.write(gone.withColumn("side", F.lit(-1)).unionByName(come.withColumn("side", F.lit(1))))

    def _compared(self, function: Callable[..., Freed], **options: Any) -> None:
        found, free = function(self.kept, self.new, unique_key=[KEY], columns=self.columns, rows=self.rows, **options)
        self.write(found)
        free()

    def hash_compressed(self) -> None:
        self._compared(hash_compressed.differing_rows)

    def hash_compressed_in_place(self) -> None:
        self._compared(hash_compressed.differing_rows, in_place=True)

    def hash_compressed_in_place_little_memory(self) -> None:
        self._compared(hash_compressed.differing_rows, in_place=True, memory_bytes=1)

    def sort_merge_compressed(self) -> None:
        self._compared(sort_merge_compressed.differing_rows)

    def sort_merge_compressed_in_place(self) -> None:
        self._compared(sort_merge_compressed.differing_rows, in_place=True)

    def _decoded(self, *frames: DataFrame) -> None:
        def count(batches: Any) -> Any:
            yield from (batch.slice(0, 1).select([0]).rename_columns(["n"]) for batch in batches)

        for frame in frames:
            names = [quoted(name) for name in frame.columns]
            map_rows(frame, names, count, "n bigint", in_place=True).write.format("noop").mode("overwrite").save()

    def read_new(self) -> None:
        self._decoded(self.new)

    def read_both(self) -> None:
        self._decoded(self.old, self.new)


METHODS = {
    OPPONENT: 1.0,
    "union_group_by": 1.5,
    "except_all": 1.5,
    "sort_merge_compressed": 1.0,
    "sort_merge_compressed_in_place": 1.0,
    "hash_compressed": 1.0,
    "hash_compressed_in_place": 1.0,
    "hash_compressed_in_place_little_memory": 1.0,
    "read_new": 0.0,
    "read_both": 0.0,
}


def measured(bench: Bench, runs: int) -> dict[str, list[float]]:
    """The seconds of each method, after a round that warms up."""
    seconds: dict[str, list[float]] = {name: [] for name in METHODS}
    changes = bench.generator.options.rows // 50
    for turn in range(runs + 1):
        for name, rows_per_change in METHODS.items():
            begin = time.perf_counter()
            getattr(bench, name)()
            taken = time.perf_counter() - begin
            print(f"{'warm-up' if turn == 0 else turn}: {name} {taken:.1f} s", flush=True)
            if rows_per_change and bench.found() != round(changes * rows_per_change):
                raise SystemExit(f"{name} found {bench.found()} changes, not {round(changes * rows_per_change)}.")
            if turn:
                seconds[name].append(taken)
    return seconds


def table(results: list[dict[str, Any]], order: str) -> str:
    medians = {result["method"]: result["seconds"] for result in results}
    lines = [
        f"{results[0]['rows']:,} rows of about 150 bytes, order {order}, local[2], Python {platform.python_version()}, "
        f"{os.cpu_count()} cores; medians of {len(results[0]['runs'])} runs.",
        "",
        "| method | seconds | times faster than Spark's full outer join |",
        "|---|---|---|",
    ]
    for name, seconds in medians.items():
        lines.append(f"| `{name}` | {seconds:.1f} | {medians[OPPONENT] / seconds:.1f} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--order", choices=ORDERS, default="full")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path("docs/figures"))
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="deltawave-bench-"))
    try:
        seconds = measured(Bench(folder, options.rows, options.order), options.runs)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    results = [
        {
            "method": name,
            "rows": options.rows,
            "order": options.order,
            "seconds": round(statistics.median(runs), 2),
            "runs": [round(run, 2) for run in runs],
        }
        for name, runs in seconds.items()
    ]
    options.out.mkdir(parents=True, exist_ok=True)
    name = f"differential_{options.order}"
    (options.out / f"{name}.json").write_text(json.dumps(results, indent=2) + "\n")
    (options.out / f"{name}.md").write_text(table(results, options.order))
    print(table(results, options.order))


if __name__ == "__main__":
    main()
