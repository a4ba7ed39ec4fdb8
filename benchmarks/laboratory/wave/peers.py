"""Keeping a window of daily batches without wave indexes, as a Spark user would, measured."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar
from urllib.parse import unquote, urlparse

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from deltawave.jars import JARS, PACKAGES
from laboratory.wave.data import DAY, Batches
from laboratory.wave.methods import Taken

# Settings of a session that has Delta Lake.
DELTA = {
    PACKAGES: JARS["4.1"]["delta"],
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    # By default 50 tasks read the log of a table.
    "spark.databricks.delta.snapshotPartitions": "2",
}


@dataclass
class OneTable:
    """One table for a window of days, in a subfolder of the schema's folder."""

    name: ClassVar[str]
    data: Batches
    session: SparkSession
    window: int
    folder: Path

    def begin(self, day: int) -> None:
        """Keep the window that ends with a day, in a file for each day."""
        days = range(day - self.window + 1, day + 1)
        self.create(self.data.frame(self.session, days).repartitionByRange(self.window, DAY))

    def take(self, day: int) -> Taken:
        """Load the next day, and drop the oldest one."""
        before = self._files()
        begin = time.perf_counter()
        self.change(self.data.frame(self.session, [day]), day - self.window)
        end = time.perf_counter()
        after = self._files()
        gone = sum(size for file, size in before.items() if file not in after)
        return Taken(end - begin, 0.0, sum(after.values()), gone)

    def found(self, value: object, first: int) -> DataFrame:
        """The rows with a search value, from a day on."""
        return self.rows(first).where(self.data.having(value))

    def rows(self, first: int) -> DataFrame:
        """The rows from a day on."""
        return self.table().where(F.col(DAY) >= first)

    def _files(self) -> dict[str, int]:
        return {file: Path(unquote(urlparse(file).path)).stat().st_size for file in self.table().inputFiles()}

    def create(self, rows: DataFrame) -> None:
        """Begin the table."""
        raise NotImplementedError

    def change(self, new: DataFrame, oldest: int) -> None:
        """Insert the rows of a day, and drop those of the oldest one."""
        raise NotImplementedError

    def table(self) -> DataFrame:
        """All its rows."""
        raise NotImplementedError


class Partitioned(OneTable):
    """A partition for each day: the new one is inserted, the oldest one dropped."""

    name = "partitioned"

    def create(self, rows: DataFrame) -> None:
        rows.write.partitionBy(DAY).saveAsTable(self._table)

    def change(self, new: DataFrame, oldest: int) -> None:
        new.write.insertInto(self._table)
        self.session.sql(f"alter table {self._table} drop partition ({DAY} = {oldest})")

    def table(self) -> DataFrame:
        return self.session.table(self._table)

    @property
    def _table(self) -> str:
        return f"{self.folder.parent.name}.{self.name}"


class Delta(OneTable):
    """A table of Delta Lake: the oldest day is deleted, the new one inserted."""

    name = "delta"

    def create(self, rows: DataFrame) -> None:
        rows.write.format("delta").save(str(self.folder))

    def change(self, new: DataFrame, oldest: int) -> None:
        self.session.sql(f"delete from delta.`{self.folder}` where {DAY} = {oldest}")
        new.write.format("delta").mode("append").save(str(self.folder))

    def table(self) -> DataFrame:
        return self.session.read.format("delta").load(str(self.folder))


class Rewritten(OneTable):
    """A table of Parquet files, which cannot delete: the remaining rows are rewritten, with the new day."""

    name = "rewritten"
    _version = 0

    def create(self, rows: DataFrame) -> None:
        self._write(rows)

    def change(self, new: DataFrame, oldest: int) -> None:
        self._write(self.table().where(F.col(DAY) > oldest).unionByName(new))

    def table(self) -> DataFrame:
        return self.session.read.parquet(str(self._place))

    @property
    def _place(self) -> Path:
        return self.folder / str(self._version)

    def _write(self, rows: DataFrame) -> None:
        rows.write.parquet(str(self.folder / str(self._version + 1)))
        shutil.rmtree(self._place, ignore_errors=True)
        self._version += 1


PEERS = (Partitioned, Delta, Rewritten)
