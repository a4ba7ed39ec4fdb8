"""A folder of results in which each micro-batch of a stream counts once, also if a run is killed (exactly once).

A batch is written into a folder that readers do not look into, and committed by renaming that to
``micro_batch=<number>``: one step, before which readers see nothing of it, and after which they see all. It fails if
that batch is there already, so that of two queries in one folder only one commits it. What killed runs left of a batch
is removed when that batch is committed, and so nothing that a living query could still commit.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, SparkSession

BATCH = "micro_batch"
# Readers of Parquet folders skip names that begin with an underscore.
_STAGING = "_staging"
CHECKPOINT = "_checkpoint"
_DEFINITION = "_definition.json"


class BatchFolders:
    """A folder of Parquet files on a file system that renames folders in one step, such as a local disk or HDFS."""

    def __init__(self, session: SparkSession, folder: str | Path) -> None:
        jvm: Any = session.sparkContext._jvm
        self._gateway: Any = session.sparkContext._gateway
        self._jvm = jvm
        self._path = jvm.org.apache.hadoop.fs.Path
        self._folder = str(folder).rstrip("/")
        self._configuration = session.sparkContext._jsc.hadoopConfiguration()
        self._files = self._path(self._folder).getFileSystem(self._configuration)

    @property
    def checkpoint(self) -> str:
        """Where the stream writes down how far it has come."""
        return f"{self._folder}/{CHECKPOINT}"

    def open(self, definition: Mapping[str, str]) -> None:
        """Begin a run. ``definition``: what may not change from run to run, and what it is.

        Raises ``ValueError`` if there are batches of which the stream would know nothing, or of another definition.
        """
        has_begun = self._files.exists(self._path(f"{self.checkpoint}/metadata"))
        if not has_begun and self._files.globStatus(self._path(f"{self._folder}/{BATCH}=*")):
            raise ValueError(
                f"{self._folder} has batches of a stream whose checkpoint ({CHECKPOINT}) is missing: "
                "restore that, or choose another folder."
            )
        if not has_begun:
            self._define(definition)
        elif not self._files.exists(self._path(f"{self._folder}/{_DEFINITION}")):
            raise ValueError(
                f"{self._folder} has a checkpoint, but no {_DEFINITION}: restore that, or choose another folder."
            )
        self.demand(definition)

    def demand(self, definition: Mapping[str, str]) -> None:
        """Raise ``ValueError`` if some of this is not as when the first run began."""
        before = json.loads(self._read(f"{self._folder}/{_DEFINITION}"))
        for name, now in definition.items():
            if before[name] != now:
                raise ValueError(
                    f"{self._folder} has the results of another join. Its {name}: {before[name]}; now: {now}. "
                    "Join as before, or choose another folder."
                )

    def has(self, batch: int) -> bool:
        """Whether a batch is committed."""
        found = bool(self._files.exists(self._committed(batch)))
        if found:
            self._clean(batch)
        return found

    def write(self, rows: DataFrame, batch: int) -> None:
        """Write a batch and commit it. Raises ``RuntimeError`` if another query has committed it."""
        staged = f"{self._folder}/{_STAGING}/{batch}/{uuid4().hex}"
        try:
            rows.write.parquet(staged)
            self.commit(staged, batch)
        except BaseException:
            self._files.delete(self._path(staged), True)
            raise
        self._clean(batch)

    def commit(self, staged: str, batch: int) -> None:
        """Let readers see what was written. Raises ``RuntimeError`` if another query has committed the batch."""
        source, target = self._path(staged), self._committed(batch)
        try:
            if self._files.getUri().getScheme() == "file":
                # Hadoop itself moves the folder into one that comes to be there meanwhile.
                Path(source.toUri().getPath()).rename(target.toUri().getPath())
            else:
                self._rename(source, target)
        except (OSError, Py4JJavaError) as error:
            if not self._files.exists(target):
                raise RuntimeError(f"{staged} could not be renamed to {target.toString()}: {error}") from error
            raise RuntimeError(
                f"Another query has written micro-batch {batch} into {self._folder}: a folder takes one query."
            ) from error

    def _define(self, definition: Mapping[str, str]) -> None:
        target = self._files.create(self._path(f"{self._folder}/{_DEFINITION}"), True)
        target.write(bytearray(json.dumps(definition).encode()))
        target.close()

    def _read(self, path: str) -> str:
        source = self._files.open(self._path(path))
        try:
            return str(self._jvm.org.apache.commons.io.IOUtils.toString(source, "UTF-8"))
        finally:
            source.close()

    def _rename(self, source: Any, target: Any) -> None:
        """Rename in one step, without overwriting: which ``FileSystem.rename`` leaves open."""
        context = self._jvm.org.apache.hadoop.fs.FileContext.getFileContext(self._files.getUri(), self._configuration)
        overwrite_nothing = self._gateway.new_array(self._jvm.org.apache.hadoop.fs.Options.Rename, 0)
        context.rename(source, target, overwrite_nothing)

    def _clean(self, batch: int) -> None:
        """Remove what is left of batches that are committed: this one, and those before."""
        for left in self._files.globStatus(self._path(f"{self._folder}/{_STAGING}/*")) or ():
            name = left.getPath().getName()
            if name.isdecimal() and int(name) <= batch:
                self._files.delete(left.getPath(), True)

    def _committed(self, batch: int) -> Any:
        return self._path(f"{self._folder}/{BATCH}={batch}")
