"""A reader in a process of its own: writes the dumps, polls the models' views in turn, at the end reads them all.

Argument: a folder with settings.json (of Spark), models.json (by which column the rows of each view are counted) and
dumps.json. It writes "delivered" once the dumps are there, one line of seen.jsonl per poll, and after "stop" appeared
tables.json, logs.json of change logs and waves.json of wave indices.
"""

import json
import sys
import time
from collections import Counter
from datetime import date
from itertools import cycle
from pathlib import Path
from typing import Any

import history
from pyspark.sql import DataFrame, SparkSession

from deltawave.wave.access import index_probe, timed_segment_scan
from deltawave.wave.tables import WaveRecord
from deltawave.wave.wave_table import marked

SCHEMA = "crash"
DAY = "day"


def deliver(spark: SparkSession, folder: Path) -> None:
    """Put the dumps where the model reads them."""
    rows = [(*row, date.fromisoformat(day)) for *row, day in json.loads((folder / "dumps.json").read_text())]
    spark.sql("create schema dumps")
    # By day, so that a run reads the files of its dumps in place.
    dumps = spark.createDataFrame(rows, history.COLUMNS).coalesce(1).write.partitionBy("dump_date")
    dumps.format("parquet").saveAsTable("dumps.accounts")
    (folder / "delivered").touch()


def ask(spark: SparkSession, view: str, column: str) -> DataFrame | None:
    """Ask for the batch or day of each row: partitions and files are found, not read yet. None without a view."""
    if not spark.catalog.tableExists(view):
        return None
    rows = spark.sql(f"select {column} from {view}")
    rows._jdf.queryExecution().optimizedPlan()
    return rows


def answer(rows: DataFrame | None) -> dict[str, int]:
    """The number of rows of each batch or day; that there was no view is an answer too."""
    return Counter(str(row[0]) for row in rows.collect()) if rows else {}


def rows_of(found: DataFrame) -> list[dict[str, Any]]:
    """Rows as values of JSON, but for dates."""
    return [row.asDict(True) for row in found.collect()]


def wave_of(spark: SparkSession, view: str) -> dict[str, Any]:
    """A wave index: its view, a probe, a scan without the oldest day, its batches, and the parts of its tables."""
    record = WaveRecord.from_json(marked(spark, view)["wave"])
    names = [
        row.tableName for row in spark.sql(f"show tables in {SCHEMA} like '{view.split('.')[1]}__index*'").collect()
    ]
    parts = {name: spark.sql(f"show partitions {SCHEMA}.{name}").collect() for name in names}
    listed: dict[str, set[str]] = {}
    for table in (*record.tables.values(), *record.replaced):
        if table.name:
            listed.setdefault(table.name.split("`")[3], set()).update(part.name for part in table.parts)
    _, second = (row[0] for row in spark.table(view).select(DAY).distinct().sort(DAY).take(2))
    return {
        "rows": rows_of(spark.table(view)),
        "probed": rows_of(index_probe(spark, view, "north")),
        "scanned": rows_of(timed_segment_scan(spark, view, second, None)),
        "batches": sorted(row[0] for row in spark.table(f"{view}__batches").select("batch_id").collect()),
        "catalog": {name: sorted(row[0].partition("=")[2] for row in found) for name, found in parts.items()},
        "record": {name: sorted(found) for name, found in listed.items()},
    }


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
                asked.append((view, ask(spark, view, models[view])))
                if len(asked) > 5:
                    view, rows = asked.pop(0)
                    lines.write(json.dumps({"view": view, "counts": answer(rows)}) + "\n")
            except Exception as error:
                lines.write(json.dumps({"view": view, "error": str(error)[:2000]}) + "\n")
            time.sleep(0.5)
    waves = {view: wave_of(spark, view) for view, column in models.items() if column == DAY}
    logs = {view: rows_of(spark.table(view)) for view in models.keys() - waves}
    tables = [row.tableName for row in spark.sql(f"show tables in {SCHEMA}").collect()]
    (folder / "tables.json").write_text(json.dumps(tables))
    (folder / "logs.json").write_text(json.dumps(logs, default=str))
    (folder / "waves.json").write_text(json.dumps(waves, default=str))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
