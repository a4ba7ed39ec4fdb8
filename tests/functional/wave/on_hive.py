"""A program with a Hive metastore that keeps a wave index: ``on_hive.py <folder> <newest day> [statements]``.

With a number of statements it is killed before the next one that writes; without, it prints the days that the view has.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from functional.wave.days import batch, counted, expected, frame, spec
from pyspark.sql import DataFrame, SparkSession

from deltawave.wave import WaveIndex
from deltawave.wave.access import index_probe
from deltawave.wave.wave_table import WaveTable

WINDOW = 3


class Killing:
    """A session whose process is killed before a statement that writes."""

    def __init__(self, session: SparkSession, left: int) -> None:
        self._session, self._left = session, left

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def sql(self, text: str) -> DataFrame:
        if text.startswith(("create", "insert", "alter", "drop")):
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            self._left -= 1
        return self._session.sql(text)


def main(folder: str, newest: int, left: int | None) -> None:
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.sql.warehouse.dir", f"{folder}/warehouse")
        .config("spark.hadoop.javax.jdo.option.ConnectionURL", f"jdbc:derby:;databaseName={folder}/store;create=true")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.ui.enabled", "false")
        .enableHiveSupport()
        .getOrCreate()
    )
    session.sql("create schema if not exists shop")
    kept: Any = session if left is None else Killing(session, left)
    table = WaveTable(kept, "shop", "postings")
    batches = {number: batch(number, 3) for number in range(1, newest + 1)}
    first = max(1, newest - 2 * WINDOW + 1)
    rows = [row for number in range(first, newest + 1) for row in batches[number]]
    table.update(frame(session, rows), spec(WaveIndex("rata", WINDOW, 2), "in_place"))
    window = range(newest - WINDOW + 1, newest + 1)
    assert counted(session.table(table.view)) == expected(batches, window)
    probed = index_probe(session, table.view, 2)
    assert counted(probed) == counted(session.table(table.view).where("supplier = 2"))
    print("days", *window)
    session.stop()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else None)
