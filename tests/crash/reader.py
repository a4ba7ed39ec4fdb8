"""A reader in a process of its own: reads the model's view again and again and writes what it saw, a JSON line a poll.

Arguments: a JSON file of Spark settings, the view, the file to write, the file whose appearance ends it.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession


def poll(spark: SparkSession, view: str) -> dict[str, int]:
    """Rows a batch, in one query; a view that is not there yet is an answer too."""
    if not spark.catalog.tableExists(view):
        return {}
    counts = spark.sql(f"select _batch_id, count(*) from {view} group by _batch_id").collect()
    return {str(batch_id): count for batch_id, count in counts}


def main(settings: str, view: str, seen: str, stop: str) -> None:
    """Poll until the stop file appears."""
    spark = SparkSession.builder.config(map=json.loads(Path(settings).read_text())).enableHiveSupport().getOrCreate()
    with Path(seen).open("w", buffering=1) as lines:
        while not Path(stop).exists():
            try:
                lines.write(json.dumps({"counts": poll(spark, view)}) + "\n")
            except Exception as error:
                lines.write(json.dumps({"error": str(error)[:2000]}) + "\n")
            time.sleep(0.25)


if __name__ == "__main__":
    main(*sys.argv[1:])
