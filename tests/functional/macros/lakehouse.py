"""Run by test_merging.py in a process of its own, since jars are chosen when a session starts.

Arguments: a JSON list of SQL statements, the JVM's options. It runs them in a Spark with Delta and Iceberg, and writes
the rows of the selects.
"""

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession

SETTINGS = {
    "spark.master": "local[2]",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.jars.packages": "io.delta:delta-spark_4.1_2.13:4.4.0,"
    "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.11.0",
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension,"
    "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.databricks.delta.snapshotPartitions": "2",
    "spark.sql.catalog.iceberg": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.iceberg.type": "hadoop",
}


def main(statements_file: Path, jvm_options: str) -> None:
    folder = statements_file.parent
    builder = SparkSession.builder.config(map=SETTINGS)
    builder.config("spark.driver.extraJavaOptions", jvm_options)
    builder.config("spark.sql.warehouse.dir", str(folder / "delta"))
    builder.config("spark.sql.catalog.iceberg.warehouse", str(folder / "iceberg"))
    spark = builder.getOrCreate()
    results = []
    for statement in json.loads(statements_file.read_text()):
        frame = spark.sql(statement)
        if statement.startswith("select"):
            results.append([list(row) for row in frame.collect()])
    (folder / "results.json").write_text(json.dumps(results))
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
