"""A reader in a process of its own: writes the dumps, polls the model's view, and at the end reads all of it.

Argument: a folder with settings.json (of Spark) and dumps.json. It writes "delivered" once the dumps are there, one
line of seen.jsonl per poll, and tables.json and log.json after "stop" appeared.
"""

from __future__ import annotations

import json
import sys
import time
from datetime import date
from pathlib import Path

import history
from pyspark.sql import DataFrame, SparkSession

VIEW = "crash.accounts"


def deliver(spark: SparkSession, folder: Path) -> None:
    """Put the dumps where the model reads them."""
    rows = [(*row, date.fromisoformat(day)) for *row, day in json.loads((folder / "dumps.json").read_text())]
    spark.sql("create schema dumps")
    spark.createDataFrame(rows, history.COLUMNS).coalesce(1).write.format("parquet").saveAsTable("dumps.accounts")
    (folder / "delivered").touch()


def ask(spark: SparkSession) -> DataFrame | None:
    """Query the rows per batch: partitions and files are listed, but not read yet. None if there is no view."""
    if not spark.catalog.tableExists(VIEW):
        return None
    counts = spark.sql(f"select _batch_id, count(*) from {VIEW} group by _batch_id")
    counts._jdf.queryExecution().optimizedPlan()
    return counts


def answer(counts: DataFrame | None) -> dict[str, int]:
    """Rows per batch; a missing view is an answer, too."""
    return {str(batch_id): count for batch_id, count in counts.collect()} if counts else {}


def main(folder: Path) -> None:
    """Poll until "stop" appears."""
    settings = json.loads((folder / "settings.json").read_text())
    spark = SparkSession.builder.config(map=settings).enableHiveSupport().getOrCreate()
    deliver(spark, folder)
    with (folder / "seen.jsonl").open("w", buffering=1) as lines:
        # A slow reader: three seconds later it reads what it found in the catalog.
        asked: list[DataFrame | None] = [None] * 3
        while not (folder / "stop").exists():
            try:
                asked.append(ask(spark))
                lines.write(json.dumps({"counts": answer(asked.pop(0))}) + "\n")
            except Exception as error:
                lines.write(json.dumps({"error": str(error)[:2000]}) + "\n")
            time.sleep(1)
    rows = [row.asDict(True) for row in spark.table(VIEW).collect()]
    tables = [row.tableName for row in spark.sql(f"show tables in {VIEW.partition('.')[0]}").collect()]
    (folder / "tables.json").write_text(json.dumps(tables))
    (folder / "log.json").write_text(json.dumps(rows, default=str))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
