"""A reader in a process of its own: writes the dumps, polls the models' views in turn, at the end reads them all.

Argument: a folder with settings.json (of Spark), models.json and dumps.json. It writes "delivered" once the dumps are
there, one line of seen.jsonl per poll, and tables.json and logs.json after "stop" appeared.
"""

from __future__ import annotations

import json
import sys
import time
from datetime import date
from itertools import cycle
from pathlib import Path

import history
from pyspark.sql import DataFrame, SparkSession

SCHEMA = "crash"


def deliver(spark: SparkSession, folder: Path) -> None:
    """Put the dumps where the model reads them."""
    rows = [(*row, date.fromisoformat(day)) for *row, day in json.loads((folder / "dumps.json").read_text())]
    spark.sql("create schema dumps")
    spark.createDataFrame(rows, history.COLUMNS).coalesce(1).write.format("parquet").saveAsTable("dumps.accounts")
    (folder / "delivered").touch()


def ask(spark: SparkSession, view: str) -> DataFrame | None:
    """Ask for the rows a batch: partitions and files are found, but not read yet. None where there is no view."""
    if not spark.catalog.tableExists(view):
        return None
    counts = spark.sql(f"select _batch_id, count(*) from {view} group by _batch_id")
    counts._jdf.queryExecution().optimizedPlan()
    return counts


def answer(counts: DataFrame | None) -> dict[str, int]:
    """Rows a batch; that there was no view is an answer too."""
    return {str(batch_id): count for batch_id, count in counts.collect()} if counts else {}


def main(folder: Path) -> None:
    """Poll until "stop" appears."""
    settings = json.loads((folder / "settings.json").read_text())
    spark = SparkSession.builder.config(map=settings).enableHiveSupport().getOrCreate()
    deliver(spark, folder)
    models = json.loads((folder / "models.json").read_text())
    turn = cycle(models)
    with (folder / "seen.jsonl").open("w", buffering=1) as lines:
        # A slow reader: what it has found in the catalog it reads some polls later.
        asked: list[tuple[str, DataFrame | None]] = []
        while not (folder / "stop").exists():
            view = next(turn)
            try:
                asked.append((view, ask(spark, view)))
                if len(asked) > 5:
                    view, counts = asked.pop(0)
                    lines.write(json.dumps({"view": view, "counts": answer(counts)}) + "\n")
            except Exception as error:
                lines.write(json.dumps({"view": view, "error": str(error)[:2000]}) + "\n")
            time.sleep(0.5)
    logs = {view: [row.asDict(True) for row in spark.table(view).collect()] for view in models}
    tables = [row.tableName for row in spark.sql(f"show tables in {SCHEMA}").collect()]
    (folder / "tables.json").write_text(json.dumps(tables))
    (folder / "logs.json").write_text(json.dumps(logs, default=str))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
