"""The files of a version of a table of Delta or Iceberg, and the rows of some of them."""

from __future__ import annotations

import logging
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from deltawave.resources import attach
from deltawave.source_state import file_index, items, java_class

_LOG = logging.getLogger(__name__)


class WholeTableError(Exception):
    """A select has to be read whole; the message says why."""


@dataclass(frozen=True)
class File:
    """A file of a table; ``entry``: by what the table finds it."""

    bytes: int
    entry: Any


# Files by all that decides which rows they have: the place, and what says which rows are deleted.
Files = Mapping[Hashable, File]


@dataclass(frozen=True)
class Feed:
    """The rows that the commits of a span have deleted and written, each in the order of the table's columns."""

    lost: DataFrame
    gained: DataFrame
    commits: int


class DeltaTable:
    """A table of Delta as a leaf of a plan reads it. ``columns``: its identity and its columns, as a text."""

    kind = "delta"

    def __init__(self, session: SparkSession, leaf: Any) -> None:
        index = file_index(leaf)
        if index.partitionFilters().size() or leaf.isStreaming():
            raise WholeTableError("a part of the table is read")
        self._session = session
        self._snapshot = index.getSnapshot()
        self._log = self._snapshot.deltaLog()
        self._folder = str(self._log.dataPath().toString())
        self.version = str(self._snapshot.version())
        metadata = self._snapshot.metadata()
        self.columns = f"{metadata.id()} {metadata.schemaString()} {metadata.columnMappingMode().name()}"

    def files(self, version: str) -> Files:
        """The files of a version. Raises an error if its log has been cleaned up."""
        rows = DataFrame(self._at(version).allFiles().toDF(), self._session)
        listed = rows.selectExpr("path", "to_json(deletionVector) as deleted", "size").collect()
        return {(row.path, row.deleted): File(row.size, row.path) for row in listed}

    def rows_of(self, version: str, files: Files) -> DataFrame:
        """The rows of some files of a version. Reading them fails if ``VACUUM`` has deleted one."""
        snapshot = self._at(version)
        paths = [file.entry for file in files.values()]
        chosen: Any = F.col("path").isin(paths)
        entries = snapshot.allFiles().filter(chosen._jc).collectAsList()
        if entries.size() != len(files):
            raise WholeTableError("the table lists a file several times")
        listed = java_class(self._session, "org.apache.spark.api.python.PythonUtils").toSeq(entries)
        none = java_class(self._session, "scala.Option").empty()
        return DataFrame(self._log.createDataFrame(snapshot, listed, False, none), self._session)

    def feed(self, version: str) -> Feed | None:
        """The change data feed since a version; none if the table has none, or has not had it all the time."""
        commits = int(self.version) - int(version)
        setting = self._snapshot.metadata().configuration().get("delta.enableChangeDataFeed")
        if commits < 1 or not setting.isDefined() or str(setting.get()).lower() != "true":
            return None
        reader = self._session.read.format("delta").option("readChangeFeed", "true")
        span = reader.option("startingVersion", int(version) + 1).option("endingVersion", int(self.version))
        rows = span.load(self._folder)
        is_new = F.col("_change_type").isin("insert", "update_postimage")
        try:
            # Only the plan shows whether each commit has a feed.
            _: Any = rows._jdf.queryExecution().executedPlan()
        except Exception as error:
            _LOG.debug("the change data feed is not read: %s", error)
            return None
        return Feed(rows.where(~is_new), rows.where(is_new), commits)

    def _at(self, version: str) -> Any:
        if version == self.version:
            return self._snapshot
        frame: Any = self._session.read.format("delta").option("versionAsOf", version).load(self._folder)
        (leaf,) = items(frame._jdf.queryExecution().analyzed().collectLeaves())
        return file_index(leaf).getSnapshot()


class IcebergTable:
    """A table of Iceberg as a leaf of a plan reads it. ``columns``: its identity and its columns, as a text."""

    kind = "iceberg"

    def __init__(self, session: SparkSession, leaf: Any) -> None:
        snapshot = leaf.table().snapshotId()
        if dict(leaf.options()) or snapshot is None:
            raise WholeTableError("the table is read by options, or has no snapshot")
        self._session = session
        self._table = leaf.table().table()
        self.version = str(snapshot)
        # The mapping says which columns of files without numbers are the table's, and belongs to no snapshot.
        mapping = self._table.properties().get("schema.name-mapping.default")
        self.columns = f"{self._table.uuid()} {self._table.schema()} {mapping}"

    def feed(self, version: str) -> Feed | None:
        """None: Iceberg writes no feed."""
        return None

    def files(self, version: str) -> Files:
        """The files of a snapshot. Raises ``WholeTableError`` if it has expired."""
        if self._table.snapshot(int(version)) is None:
            raise WholeTableError("the snapshot that was last compared has expired")
        return dict(self._files(int(version)))

    def rows_of(self, version: str, files: Files) -> DataFrame:
        """The rows of some files of a snapshot, read as Iceberg's procedures read the files that they rewrite."""
        tasks = java_class(self._session, "java.util.ArrayList")()
        for file in files.values():
            tasks.add(file.entry)
        name = uuid4().hex
        manager = java_class(self._session, "org.apache.iceberg.spark.ScanTaskSetManager").get()
        cache = self._tables(manager)
        manager.stageTasks(self._table, name, tasks)
        cache.add(name, self._table)

        def release() -> None:
            cache.remove(name)
            manager.removeTasks(self._table, name)

        rows = self._session.read.format("iceberg").option("scan-task-set-id", name).load(name)
        frame = attach(rows, release)
        scans: Any = frame._jdf.queryExecution().sparkPlan().collectLeaves()
        # A release that knew nothing of sets would read the whole table.
        if [_class_of(each.scan()) for each in items(scans)] != ["org.apache.iceberg.spark.source.SparkStagedScan"]:
            raise WholeTableError("this release of Iceberg can't read some files alone")
        return frame

    def _files(self, version: int) -> Iterator[tuple[Hashable, File]]:
        tasks = self._table.newScan().useSnapshot(version).planFiles()
        try:
            iterator = tasks.iterator()
            while iterator.hasNext():
                task = iterator.next()
                file = task.file()
                # A file of deletes may have vectors of several files.
                gone = sorted(f"{each.location()} {each.contentOffset()}" for each in task.deletes())
                yield (str(file.location()), *gone), File(int(file.fileSizeInBytes()), task)
        finally:
            tasks.close()

    def _tables(self, manager: Any) -> Any:
        """Iceberg's own list of tables whose files are rewritten."""
        class_of_it = manager.getClass().getClassLoader().loadClass("org.apache.iceberg.spark.SparkTableCache")
        (getter,) = (
            each for each in class_of_it.getMethods() if each.getName() == "get" and not each.getParameterCount()
        )
        gateway: Any = self._session.sparkContext._gateway
        return getter.invoke(None, gateway.new_array(java_class(self._session, "java.lang.Object"), 0))


def _class_of(value: Any) -> str:
    return str(value.getClass().getName())
