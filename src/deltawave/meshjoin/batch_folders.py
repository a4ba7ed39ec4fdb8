"""A folder of results in which each micro-batch of a stream counts once, also if a run is killed (exactly once).

A batch is written into a folder that readers do not look into, and committed by renaming that to ``_batch=<number>``:
one step, before which readers see nothing of it, and after which they see all. A batch that is there is not written
again. What killed runs left behind is removed when the next run begins.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

from pyspark.sql import DataFrame, SparkSession

BATCH = "_batch"
# Spark reads no folders that begin with an underscore, unless they are partitions.
_STAGING = "_staging"
CHECKPOINT = "_checkpoint"


class BatchFolders:
    """A folder of Parquet files on a file system that renames folders in one step, such as a local disk or HDFS."""

    def __init__(self, session: SparkSession, folder: str | Path) -> None:
        jvm: Any = session.sparkContext._jvm
        self._path = jvm.org.apache.hadoop.fs.Path
        self._folder = str(folder).rstrip("/")
        configuration = session.sparkContext._jsc.hadoopConfiguration()
        self._files = self._path(self._folder).getFileSystem(configuration)

    @property
    def checkpoint(self) -> str:
        """Where the stream writes down how far it has come."""
        return f"{self._folder}/{CHECKPOINT}"

    def open(self) -> None:
        """Begin a run. Raises ``ValueError`` if there are batches of which the stream would know nothing."""
        has_batches = self._files.globStatus(self._path(f"{self._folder}/{BATCH}=*"))
        if has_batches and not self._files.exists(self._path(f"{self.checkpoint}/metadata")):
            raise ValueError(
                f"{self._folder} has batches of a stream whose checkpoint ({CHECKPOINT}) is missing: "
                "restore that, or choose another folder."
            )
        self._files.delete(self._path(f"{self._folder}/{_STAGING}"), True)

    def has(self, batch: int) -> bool:
        """Whether a batch is committed."""
        return bool(self._files.exists(self._committed(batch)))

    def write(self, rows: DataFrame, batch: int) -> None:
        """Write a batch and commit it."""
        staged = f"{self._folder}/{_STAGING}/{uuid4().hex}"
        rows.write.parquet(staged)
        self.commit(staged, batch)

    def commit(self, staged: str, batch: int) -> None:
        """Let readers see what was written. Raises ``RuntimeError`` if the folder can't be renamed."""
        if not self._files.rename(self._path(staged), self._committed(batch)):
            raise RuntimeError(f"{staged} could not be renamed to {self._committed(batch).toString()}.")

    def _committed(self, batch: int) -> Any:
        return self._path(f"{self._folder}/{BATCH}={batch}")
