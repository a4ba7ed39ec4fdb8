"""What the files of a table of Delta or Iceberg were in a version, and the rows of some of them."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from deltawave.resources import attach
from deltawave.source_state import file_index, items, java_class

# Files of Iceberg are listed as one text, but the deletes of each one by one.
_MOST_FILES, _MOST_WITH_DELETES = 100_000, 5_000
_LOG = logging.getLogger(__name__)


class WholeTableError(Exception):
    """A select has to be read whole; the message says why."""


@dataclass(frozen=True)
class File:
    """A file of a table; ``entry``: by what the table finds it."""

    bytes: int
    entry: Any


# Files by all that decides which rows they have: the place, and what says which rows are deleted.
Files = Mapping[Any, File]


@dataclass(frozen=True)
class Span:
    """The files that a table had only in an earlier version, and those that it has only now."""

    lost: Files
    gained: Files
    all_files: int
    all_bytes: int

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in (*self.lost.values(), *self.gained.values()))


@dataclass(frozen=True)
class Feed:
    """The change data feed of some commits."""

    rows: DataFrame
    commits: int

    def part(self, is_there: bool) -> DataFrame:
        """The rows that the commits have written, or those that they have deleted."""
        is_new = F.col("_change_type").isin("insert", "update_postimage")
        return self.rows.where(is_new if is_there else ~is_new)


class DeltaTable:
    """A table of Delta as a leaf of a plan reads it. ``columns``: its identity and its columns, as a text.

    A version is its number and its time: after a backup was restored, others may have the same numbers.
    """

    kind = "delta"

    def __init__(self, session: SparkSession, leaf: Any) -> None:
        index = file_index(leaf)
        if index.partitionFilters().size() or leaf.isStreaming():
            raise WholeTableError("a part of the table is read")
        self._session = session
        # Asked again, the index may have a newer one.
        self._snapshot = index.getSnapshot()
        self._log = self._snapshot.deltaLog()
        self._folder = str(self._log.dataPath().toString())
        self.version = _delta_version(self._snapshot)
        metadata = self._snapshot.metadata()
        self.columns = f"{metadata.id()} {metadata.schemaString()} {metadata.columnMappingMode().name()}"

    def version_in(self, state: list[Any]) -> str:
        """The version in the state that ``source_state.table_state`` gives of the table."""
        _, _, (number, time), *_ = state
        return f"{number}@{time}"

    def span(self, version: str) -> Span:
        """The files since a version. Raises an error if its log has been cleaned up."""
        before, now = (
            DataFrame(snapshot.allFiles().toDF(), self._session)
            .selectExpr("path", "to_json(deletionVector) as deleted", "size")
            .withColumn("is_now", F.lit(is_now))
            for is_now, snapshot in ((False, self._at(version)), (True, self._snapshot))
        )
        own = (
            before.unionAll(now)
            .groupBy("path", "deleted")
            .agg(F.count("*").alias("versions"), F.max("size").alias("size"), F.max("is_now").alias("is_now"))
        )
        rows = own.where("versions = 1").collect()
        lost, gained = (
            {(row.path, row.deleted): File(row["size"], row.path) for row in rows if row.is_now is is_now}
            for is_now in (False, True)
        )
        return Span(lost, gained, int(self._snapshot.numOfFiles()), int(self._snapshot.sizeInBytes()))

    def rows_of(self, version: str, files: Files) -> DataFrame:
        """The rows of some files of a version. Reading them fails if ``VACUUM`` has deleted one."""
        snapshot = self._at(version)
        chosen: Any = F.col("path").isin([file.entry for file in files.values()])
        entries = snapshot.allFiles().filter(chosen._jc).collectAsList()
        if entries.size() != len(files):
            raise WholeTableError("the table lists a file several times")
        listed = java_class(self._session, "org.apache.spark.api.python.PythonUtils").toSeq(entries)
        none = java_class(self._session, "scala.Option").empty()
        return DataFrame(self._log.createDataFrame(snapshot, listed, False, none), self._session)

    def feed(self, version: str) -> Feed | None:
        """The change data feed since a version; none if the table has none, or has not had it all the time."""
        setting = self._snapshot.metadata().configuration().get("delta.enableChangeDataFeed")
        if not setting.isDefined() or str(setting.get()).lower() != "true":
            return None
        first, last = int(self._at(version).version()) + 1, int(self._snapshot.version())
        if first > last:
            return None
        reader = self._session.read.format("delta").option("readChangeFeed", "true")
        rows = reader.option("startingVersion", first).option("endingVersion", last).load(self._folder)
        try:
            # Only the plan shows whether each commit has a feed.
            _: Any = rows._jdf.queryExecution().executedPlan()
        except Exception as error:
            _LOG.debug("the change data feed is not read: %s", error)
            return None
        return Feed(rows, last - first + 1)

    def _at(self, version: str) -> Any:
        if version == self.version:
            return self._snapshot
        number = version.partition("@")[0]
        frame: Any = self._session.read.format("delta").option("versionAsOf", number).load(self._folder)
        (leaf,) = items(frame._jdf.queryExecution().analyzed().collectLeaves())
        snapshot = file_index(leaf).getSnapshot()
        if _delta_version(snapshot) != version:
            raise WholeTableError("the version that was compared last is another one now")
        return snapshot


class IcebergTable:
    """A table of Iceberg as a leaf of a plan reads it. ``columns``: its identity and its columns, as a text."""

    kind = "iceberg"

    def __init__(self, session: SparkSession, leaf: Any) -> None:
        self._table = leaf.table().table()
        snapshot = leaf.table().snapshotId()
        is_named = leaf.table().branch() or leaf.timeTravelSpec().isDefined()
        if snapshot is None or is_named or not leaf.options().isEmpty():
            raise WholeTableError("the table has no snapshot, or is read by options or in a named version")
        if "org.apache.iceberg.BaseMetadataTable" in _ancestors(self._table):
            raise WholeTableError("the table is one of metadata")
        self._session = session
        self.version = str(snapshot)
        # The mapping says which columns of files without numbers are the table's, and belongs to no snapshot.
        mapping = self._table.properties().get("schema.name-mapping.default")
        self.columns = f"{self._table.uuid()} {self._table.schema()} {mapping}"

    def version_in(self, state: list[Any]) -> str:
        """The version in the state that ``source_state.table_state`` gives of the table."""
        _, _, version, *_ = state
        if not version.endswith(self.version):
            raise WholeTableError("the table has another snapshot meanwhile")
        return self.version

    def feed(self, version: str) -> Feed | None:
        """None: Iceberg writes no feed."""
        return None

    def span(self, version: str) -> Span:
        """The files since a snapshot. Raises ``WholeTableError`` if it has expired, or there are too many."""
        snapshots = [self._snapshot(each) for each in (version, self.version)]
        # Other writers' summaries have had wrong numbers of deletes.
        with_deletes = any(each.deleteManifests(self._table.io()).size() for each in snapshots)
        most = _MOST_WITH_DELETES if with_deletes else _MOST_FILES
        if any(int(each.summary().get("total-data-files") or most + 1) > most for each in snapshots):
            raise WholeTableError(f"the table has more than {most} files")
        old, new = (self._tasks(int(each), with_deletes) for each in (version, self.version))
        size = int(snapshots[1].summary().get("total-files-size") or 0)
        return Span(old.without(new), new.without(old), len(new.places), size)

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

    def _snapshot(self, version: str) -> Any:
        snapshot = self._table.snapshot(int(version))
        if snapshot is None:
            raise WholeTableError("the snapshot that was compared last has expired")
        return snapshot

    def _tasks(self, version: int, with_deletes: bool) -> _Tasks:
        found = self._table.newScan().useSnapshot(version).planFiles()
        try:
            lists = java_class(self._session, "org.apache.iceberg.relocated.com.google.common.collect.Lists")
            tasks = lists.newArrayList(found.iterator())
        finally:
            found.close()
        # A call for each file would take a minute for as many as a table may have.
        sequence = java_class(self._session, "org.apache.spark.api.python.PythonUtils").toSeq(tasks)
        names: list[Any] = str(sequence.mkString("\n")).split("\n") if tasks.size() else []
        if with_deletes and len(names) == tasks.size():
            names = [(name, str(tasks.get(place).deletes().toString())) for place, name in enumerate(names)]
        places = {name: place for place, name in enumerate(names)}
        if not len(names) == len(places) == tasks.size():
            raise WholeTableError("a file is in the table twice, or a partition's value has a line break")
        return _Tasks(places, tasks)

    def _tables(self, manager: Any) -> Any:
        """Iceberg's own list of tables whose files are rewritten."""
        found = manager.getClass().getClassLoader().loadClass("org.apache.iceberg.spark.SparkTableCache")
        (getter,) = (each for each in found.getMethods() if each.getName() == "get" and not each.getParameterCount())
        gateway: Any = self._session.sparkContext._gateway
        return getter.invoke(None, gateway.new_array(java_class(self._session, "java.lang.Object"), 0))


@dataclass(frozen=True)
class _Tasks:
    """Iceberg's tasks, one for each file of a snapshot; ``places``: by what decides which rows the file has."""

    places: Mapping[Any, int]
    tasks: Any

    def without(self, others: _Tasks) -> Files:
        """The files that others do not have."""
        own = {name: self.tasks.get(place) for name, place in self.places.items() if name not in others.places}
        return {name: File(int(task.file().fileSizeInBytes()), task) for name, task in own.items()}


def _delta_version(snapshot: Any) -> str:
    return f"{snapshot.version()}@{snapshot.timestamp()}"


def _class_of(value: Any) -> str:
    return str(value.getClass().getName())


def _ancestors(value: Any) -> Iterator[str]:
    """The names of the class of an object, and of those above it."""
    found = value.getClass()
    while found is not None:
        yield str(found.getName())
        found = found.getSuperclass()
