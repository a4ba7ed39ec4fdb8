"""Measure what batches and readings cost as a change log grows: 1,000 daily batches of a small table through dbt.

All batches run in one warm process. The source is one file, which is replaced before each batch: 1% of its rows are
updated, and a thousandth of them, at least one, deleted and as many inserted. What happens as days pass is brought
about every few batches: partitions that were merged a day ago are dropped (by purge), and files of Delta's log grow
older, so that Delta cleans them up after its 30 days; it forgets removed files after 20 seconds instead of a week. At
batches 10, 100 and 1,000 these are measured, each as a median: the seconds of a few batches, without dbt's own start;
of reading the whole log; and of reading its last batch. From batch 100 on, the batches take turns with those of a
second log, which has 10 at first, so that both see the same machine. Each reading is the first one in a session of
its own, which lists the files as a new process does; what Delta keeps for all sessions of a process is kept. The
first turn, in which Spark compiles its code, is left out. The readings are compared with those of one plain table
with the same rows, in one file.
Prints a table in Markdown, with ratios to the first measured batch and to the plain table; --plot draws the seconds.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from dbt.contracts.graph.manifest import Manifest
from pyspark.sql import DataFrame, SparkSession

from deltawave.wave.measuring import seconds as seconds_of
from laboratory.commands import ROOT
from laboratory.differential.dbt_project import parsed, run_model, run_operation, write_project
from laboratory.plots import LineChart, draw_lines
from laboratory.session import SETTINGS
from laboratory.tables import table

FORMATS = ("parquet", "delta", "iceberg")
# Measured at these batches, if there are so many, and at the last one.
AT = (10, 100, 1000)
# Each row is updated on every hundredth day.
UPDATED_EVERY = 100
# Compiling makes the first statements of a process slow: batches of another log come first.
WARM_UP = 20
# After so many batches, days have passed.
DAYS = 16
# A week, if a thousand days take three quarters of an hour.
FORGETTING = {"spark.databricks.delta.properties.defaults.deletedFileRetentionDuration": "interval 20 seconds"}
LOG, WARM, PLAIN, YOUNG = "changes", "warm_up", "plain", "young"
SCHEMA = "bench"


@dataclass(frozen=True)
class Measured:
    """Seconds when the log had that many batches, and rows.

    ``young``: of a batch of a log that has as many as the first measured one; ``plain`` and ``plain_last``: of the
    plain table.
    """

    batches: int
    rows: int
    batch: float
    young: float
    log: float
    plain: float
    last: float
    plain_last: float


def replaced(rows: int) -> int:
    """How many rows a day deletes, and inserts."""
    return max(rows // 1000, 1)


def snapshot(day: int, rows: int) -> pa.Table:
    """The source of a day, counted from 0."""
    keys = np.arange(rows) + day * replaced(rows)
    versions = (keys + day) // UPDATED_EVERY
    names = [f"the customer of account {key}" for key in keys]
    notes = [f"version {version} of account {key}" for key, version in zip(keys, versions, strict=True)]
    return pa.table({"id": keys, "version": versions, "name": names, "note": notes})


def changes(day: int, rows: int) -> int:
    """How many rows the log has of a day."""
    if day == 0:
        return rows
    common = np.arange(day * replaced(rows), rows + (day - 1) * replaced(rows))
    return int(np.count_nonzero((common + day) % UPDATED_EVERY == 0)) + 2 * min(replaced(rows), rows)


def checkpoints(batches: int) -> list[int]:
    """The batches at which is measured."""
    return [at for at in AT if 2 * at <= batches] + [batches]


def median_at(seconds: Sequence[float], at: int, width: int) -> float:
    """The median of ``width`` batches, the last of which is ``at``, counted from 1; the first compares nothing."""
    return statistics.median(seconds[max(at - width, min(1, at - 1)) : at])


def settings_of(file_format: str) -> dict[str, str]:
    """Settings of a session that has tables of a format, as the profile in this checkout has them."""
    if file_format == "parquet":
        return {}
    profile = yaml.safe_load((ROOT / "profiles" / "profiles.yml").read_text())
    found: Mapping[str, object] = profile["deltawave_demo"]["outputs"][file_format]["server_side_parameters"]
    more = FORGETTING if file_format == "delta" else {}
    return more | {key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in found.items()}


def deliver(source: Path, day: int, rows: int, name: str = "day") -> None:
    """Replace the source by that of a day, in a file of another name than the last one."""
    new = source / f"{name}_{day}.parquet"
    pq.write_table(snapshot(day, rows), new)
    for old in source.glob("*.parquet"):
        if old != new:
            old.unlink()


def pass_days(project: Path, tables: Path, manifest: Manifest) -> None:
    """Drop what was merged, and make the files of Delta's logs older, by as many days as there were batches."""
    run_operation(project, "deltawave.purge", {"model": LOG}, manifest)
    for file in tables.glob(f"**/{LOG}__*/_delta_log/*"):
        modified = file.stat().st_mtime - DAYS * 86_400
        os.utime(file, (modified, modified))


def read(frame: DataFrame) -> None:
    """Read all columns of all rows."""
    frame.write.format("noop").mode("overwrite").save()


def first_reading(session: SparkSession, name: str, condition: str) -> float:
    """The seconds of reading a table's rows in a new session; within one, later readings know the files of earlier."""
    reader = session.newSession()
    # What a session needs for its first query is not part of it.
    reader.sql("select 1").collect()
    return seconds_of(lambda: read(reader.table(name).where(condition)))


def readings(session: SparkSession, batches: int, times: int, file_format: str) -> tuple[int, dict[str, float]]:
    """The rows of the log, and the medians of the seconds of each reading, with names as in :class:`Measured`."""
    log, plain = f"{SCHEMA}.{LOG}", f"{SCHEMA}.{PLAIN}"
    session.sql(f"drop table if exists {plain}")
    session.sql(f"create table {plain} using {file_format} as select /*+ coalesce(1) */ * from {log}")
    is_last = f"_batch_id = {batches}"
    read_of = {"log": (log, "true"), "plain": (plain, "true"), "last": (log, is_last), "plain_last": (plain, is_last)}
    # In turns, so that all of them see the same machine; the first turn warms up.
    turns = [{name: first_reading(session, *each) for name, each in read_of.items()} for _ in range(times + 1)][1:]
    return session.table(plain).count(), {name: statistics.median(turn[name] for turn in turns) for name in read_of}


def measure(folder: Path, batches: int, rows: int, file_format: str, width: int) -> tuple[list[float], list[Measured]]:
    """The seconds of each batch, and what was measured at some. Raises ``RuntimeError`` if the log has other rows."""
    source = folder / "source"
    source.mkdir()
    options = f"materialized='differential', unique_key='id', file_format={file_format!r}"
    text = f"{{{{ config({options}) }}}}\nselect * from parquet.`{source}`"
    target = {
        "threads": 1,
        "schema": SCHEMA,
        "data_dir": str(folder / "spark"),
        "server_side_parameters": SETTINGS | settings_of(file_format),
    }
    project = folder / "project"
    first, *later = checkpoints(batches)
    logs = [LOG, WARM, *(f"{YOUNG}_{at}" for at in later)]
    write_project(project, dict.fromkeys(logs, text), target)
    manifest = parsed(project)
    made: Counter[str] = Counter()

    def run(name: str) -> float:
        deliver(source, made[name], rows)
        made[name] += 1
        return run_model(project, name, manifest=manifest)

    for _ in range(WARM_UP):
        run(WARM)
    seconds: list[float] = []
    found: list[Measured] = []
    while len(seconds) < batches:
        seconds.append(run(LOG))
        count = len(seconds)
        if count % DAYS == 0:
            pass_days(project, folder / "spark", manifest)
        if count in (first, *later):
            reader = SparkSession.builder.getOrCreate().newSession()
            logged, medians = readings(reader, count, width, file_format)
            if logged != (expected := sum(changes(each, rows) for each in range(count))):
                raise RuntimeError(f"The log has {logged} rows after {count} batches, not {expected}.")
            batch = young = median_at(seconds, count, width)
            if count != first:
                name = f"{YOUNG}_{count}"
                for _ in range(first):
                    run(name)
                turns = [(run(LOG), run(name)) for _ in range(width)]
                seconds += [old for old, _ in turns]
                batch, young = map(statistics.median, zip(*turns, strict=True))
            found.append(Measured(count, logged, batch, young, **medians))
            print(report(found), file=sys.stderr, flush=True)
        elif count % 50 == 0:
            print(f"batch {count}: {seconds[-1]:.2f} s", file=sys.stderr, flush=True)
    return seconds, found


def report(found: Sequence[Measured]) -> str:
    """A table of the medians and their ratios."""
    head = ["batches", "rows of the log", "a batch, s", "of a young log, s", "ratio"]
    head += ["whole log, s", "plain table, s", "ratio", "last batch, s", "of the plain table, s", "ratio"]
    return table(head, map(_cells, found))


def _cells(each: Measured) -> list[str]:
    whole = [f"{each.log:.2f}", f"{each.plain:.2f}", f"{each.log / each.plain:.1f}"]
    last = [f"{each.last:.2f}", f"{each.plain_last:.2f}", f"{each.last / each.plain_last:.1f}"]
    batch = [f"{each.batch:.2f}", f"{each.young:.2f}", f"{each.batch / each.young:.2f}"]
    return [f"{each.batches:,}", f"{each.rows:,}", *batch, *whole, *last]


def chart(seconds: Sequence[float], found: Sequence[Measured], width: int) -> LineChart:
    """The seconds by the number of batches: of each few batches, and of the readings where they were measured."""
    ends = list(_ends(len(seconds), width))
    names = {"log": "whole log", "plain": "plain table", "last": "last batch", "plain_last": "last batch, plain table"}
    curves = {"a batch": [median_at(seconds, end, width) for end in ends]}
    curves |= {text: [getattr(each, name) for each in found] for name, text in names.items()}
    title, x = f"A change log of {found[-1].batches:,} batches", [each.batches for each in found]
    return LineChart(title, "batches of the log", "seconds", x, curves, own_x={"a batch": ends}, logarithmic=True)


def _ends(batches: int, width: int) -> Iterator[int]:
    """The last batches of windows of ``width``; the last window may be shorter than that."""
    yield from range(width, batches, width)
    yield batches


def main() -> None:
    """Measure, and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batches", type=int, default=1000, help="(default: 1000)")
    parser.add_argument("--rows", type=int, default=1000, help="of each day, from 100 (default: 1000)")
    parser.add_argument("--format", choices=FORMATS, default="parquet", help="of the log and the plain table")
    parser.add_argument("--neighbours", type=int, default=5, help="batches, and readings, of a median (default: 5)")
    parser.add_argument("--plot", type=Path, help="a file for the plot, .png or .svg")
    given = parser.parse_args()
    if min(given.batches, given.neighbours) < 1 or given.rows < 100:
        parser.error("--batches and --neighbours take numbers from 1, --rows from 100")
    folder = Path(tempfile.mkdtemp(prefix="deltawave-years-"))
    try:
        seconds, found = measure(folder, given.batches, given.rows, given.format, given.neighbours)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(report(found), end="")
    if given.plot:
        draw_lines(chart(seconds, found, given.neighbours), given.plot)


if __name__ == "__main__":
    main()
