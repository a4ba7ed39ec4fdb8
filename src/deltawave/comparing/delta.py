"""Delta tables, which Spark reads: their rows become Parquet files for DuckDB."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TYPE_CHECKING

from deltawave.comparing.paths import File, Table
from deltawave.sides import Side

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SETTINGS = {
    "spark.master": "local[*]",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}


def as_parquet(tables: Mapping[Side, Table], temporary: Path) -> dict[Side, Table]:
    """The same tables, those of Delta as Parquet files in a folder. Raises ``RuntimeError`` where Spark is missing."""
    if all(table.kind != "delta" for table in tables.values()):
        return dict(tables)
    if find_spec("pyspark") is None:
        raise RuntimeError("A Delta table is read by Spark, which is not installed: pip install dbt-deltawave.")
    from deltawave import jars

    found = dict(tables)
    with local_session({**_SETTINGS, "spark.jars.packages": jars.TESTED[0]}) as session:
        for side, table in tables.items():
            if table.kind == "delta":
                folder = temporary / f"{side}-delta"
                session.read.format("delta").load(str(table.path.absolute())).write.parquet(str(folder))
                files = [File(table.name, path, "parquet") for path in sorted(folder.glob("*.parquet"))]
                found[side] = Table(table.name, "parquet", files)
    return found


@contextmanager
def local_session(settings: Mapping[str, str]) -> Iterator["SparkSession"]:
    """The Spark session of this process, or else a new one with these settings, which is stopped at the end."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    if SparkContext._active_spark_context is not None:
        yield SparkSession.builder.getOrCreate()
        return
    with TemporaryDirectory(prefix="deltawave-") as folder:
        # As Spark's own programs do, but with more than their 1g.
        memory = os.environ.get("SPARK_DRIVER_MEMORY", "2g")
        session = _started({**settings, "spark.sql.warehouse.dir": folder, "spark.driver.memory": memory})
        try:
            yield session
        finally:
            session.stop()


def _started(settings: Mapping[str, str]) -> "SparkSession":
    """A session whose JVM writes nothing to stdout and stderr. Raises ``RuntimeError`` if it does not start."""
    from pyspark.sql import SparkSession

    from deltawave.spark_errors import message_of, silence_query_errors

    silence_query_errors()
    # Otherwise workers are of the first Python on the path.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with TemporaryFile() as transcript:
        saved = {number: os.dup(number) for number in (1, 2)}
        for number in saved:
            os.dup2(transcript.fileno(), number)
        try:
            return SparkSession.builder.appName("deltawave compare").config(map=dict(settings)).getOrCreate()
        except Exception as error:
            reason = message_of(error)
            if "JAVA_GATEWAY_EXITED" in reason:
                transcript.seek(0)
                lines = transcript.read().decode(errors="replace").splitlines()
                # Those of a stack are indented.
                reason = next((line for line in reversed(lines) if line and not line[0].isspace()), reason)
            raise RuntimeError(f"Spark did not start: {reason} (`deltawave doctor` checks this machine)") from error
        finally:
            for number, terminal in saved.items():
                os.dup2(terminal, number)
                os.close(terminal)
