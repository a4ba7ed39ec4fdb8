"""A reader in a process of its own: writes the dumps, reads the model's view again and again, at the end all of it.

Argument: a folder with settings.json (of Spark) and dumps.json. It writes "delivered" when the dumps are there, a line
of seen.jsonl a poll, and tables.json and log.json after "stop" appeared.
"""

from __future__ import annotations

import json
import sys
import time
from datetime import date
from pathlib import Path

import history
from pyspark.sql import SparkSession

VIEW = "crash.accounts"


def deliver(spark: SparkSession, folder: Path) -> None:
    """Put the dumps where the model reads them."""
    rows = [(*row, date.fromisoformat(day)) for *row, day in json.loads((folder / "dumps.json").read_text())]
    spark.sql("create schema dumps")
    spark.createDataFrame(rows, history.COLUMNS).coalesce(1).write.format("parquet").saveAsTable("dumps.accounts")
    (folder / "delivered").touch()


def poll(spark: SparkSession) -> dict[str, int]:
    """Rows a batch, in one query; a view that is not there yet is an answer too."""
    if not spark.catalog.tableExists(VIEW):
        return {}
    counts = spark.sql(f"select _batch_id, count(*) from {VIEW} group by _batch_id").collect()
    return {str(batch_id): count for batch_id, count in counts}


def main(folder: Path) -> None:
    """Poll until "stop" appears."""
    settings = json.loads((folder / "settings.json").read_text())
    spark = SparkSession.builder.config(map=settings).enableHiveSupport().getOrCreate()
    deliver(spark, folder)
    with (folder / "seen.jsonl").open("w", buffering=1) as lines:
        while not (folder / "stop").exists():
            try:
                lines.write(json.dumps({"counts": poll(spark)}) + "\n")
            except Exception as error:
                lines.write(json.dumps({"error": str(error)[:2000]}) + "\n")
            time.sleep(1)
    rows = [row.asDict(True) for row in spark.table(VIEW).collect()]
    tables = [row.tableName for row in spark.sql(f"show tables in {VIEW.partition('.')[0]}").collect()]
    (folder / "tables.json").write_text(json.dumps(tables))
    (folder / "log.json").write_text(json.dumps(rows, default=str))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
