"""A folder of results in which each micro-batch of a stream counts once, also if a run is killed (exactly once).

A batch is written into a folder that readers do not look into, and committed by renaming it to
``micro_batch=<number>``, which fails if that batch is there already. Leftovers of killed runs are removed when their
batch is committed. Rows that a batch sheds, and messages that are no rows, lie in its folder, out of readers' sight.
Later passes, which join shed rows, are batches with the numbers -1, -2 and so on.
"""

import json
import re
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from uuid import uuid4

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from deltawave.meshjoin.hadoop_files import HadoopFiles
from deltawave.spark_versions import Py4JJavaError

BATCH = "micro_batch"
# Readers of Parquet folders skip names that begin with an underscore.
STAGING = "_staging"
CHECKPOINT = "_checkpoint"
_DEFINITION = "_definition.json"
# In a batch's folder: the rows that it has shed.
SHED = "_shed"
# Messages of the batch that are no rows.
MALFORMED = "_malformed"
# In the definition: the stream's schema, which is not compared.
_STREAM = "stream"
# In a later pass's folder: the last batch whose shed rows it has joined.
_UP_TO = "_up_to"
_PLAN = "_plan"
# What joining a batch took. In a folder, since Spark does not read a file whose name begins with an underscore.
_METRICS = "_metrics/metrics.json"
# This file exists once a table has loaded results of the folder. It lists the older folders that can then be deleted.
_CONFIRMED = "_confirmed"
# This file records which micro-batches the table has loaded (deltawave.meshjoin.table_results).
_LOADED = "_loaded.json"


class BatchFolders:
    """A folder of Parquet files on a file system that renames folders in one step, such as a local disk or HDFS."""

    def __init__(self, session: SparkSession, folder: str | Path) -> None:
        self._session, self._files = session, HadoopFiles(session, folder)
        self._folder = self._files.folder

    @property
    def checkpoint(self) -> str:
        return f"{self._folder}/{CHECKPOINT}"

    def open(self, definition: Mapping[str, str], stream: StructType | None = None) -> None:
        """Begin a run. ``definition``: settings that may not change from run to run; ``stream``: the schema to store.

        Raises ``ValueError`` if there are batches of another definition, or batches unknown to the checkpoint.
        """
        if not self.has_begun:
            if self.batches():
                raise ValueError(
                    f"{self._folder} has batches of a stream whose checkpoint ({CHECKPOINT}) is missing: "
                    "restore that, or choose another folder."
                )
            kept = definition if stream is None else {**definition, _STREAM: stream.json()}
            self._files.write(f"{self._folder}/{_DEFINITION}", json.dumps(kept))
        self.require_same(definition)

    def stream_schema(self) -> StructType | None:
        """The schema of the stream that the first run joined; none if there was no run."""
        kept = self._stored_definition().get(_STREAM) if self.has_begun else None
        return None if kept is None else StructType.fromJson(json.loads(kept))

    @property
    def has_begun(self) -> bool:
        return self._files.exists(f"{self.checkpoint}/metadata")

    def require_same(self, definition: Mapping[str, str]) -> None:
        """Raise ``ValueError`` if some of this is not as when the first run began."""
        before = self._stored_definition()
        for name, now in definition.items():
            if before[name] != now:
                raise ValueError(
                    f"{self._folder} has the results of another join. Its {name}: {before[name]}; now: {now}. "
                    "Join as before, or choose another folder."
                )

    def _stored_definition(self) -> dict[str, str]:
        text = self._files.read(f"{self._folder}/{_DEFINITION}")
        if text is None:
            raise ValueError(
                f"{self._folder} has a checkpoint, but no {_DEFINITION}: restore that, or choose another folder."
            )
        kept: dict[str, str] = json.loads(text)
        return kept

    def batches(self, inside: str = "") -> list[int]:
        """The numbers of committed batches whose folders contain ``inside``, in this order."""
        found = self._files.found(f"{self._folder}/{BATCH}=*{inside}")
        return sorted(int(path.removesuffix(inside).rpartition(f"/{BATCH}=")[2]) for path in found)

    def rows(self, schema: StructType, batches: Iterable[int]) -> DataFrame:
        """The rows of committed batches; ``schema``: their columns, including the micro-batch's number."""
        folders = [self._committed(batch) for batch in batches]
        if not folders:
            return self._session.createDataFrame([], schema)
        return self._session.read.schema(schema).option("basePath", self._folder).parquet(*folders)

    def begun_at(self, batch: int) -> int | None:
        """When Spark began a committed batch, in milliseconds since 1970; none if that was not written down."""
        found = re.search(r'"batchTimestampMs":\s*(\d+)', self._files.read(f"{self._committed(batch)}/{_PLAN}") or "")
        return int(found[1]) if found else None

    def delete(self, batches: Iterable[int]) -> None:
        """Delete committed batches, each in one step for its readers."""
        for batch in batches:
            staged = f"{self._folder}/{STAGING}/{batch}"
            self._files.delete(staged)
            self._files.make_folder(f"{self._folder}/{STAGING}")
            self._files.rename(self._committed(batch), staged)
            self._files.delete(staged)

    def loaded(self) -> str | None:
        """What ``write_loaded`` stored: a text about the batches that a table has loaded; None without one."""
        try:
            return self._files.read(f"{self._folder}/{_LOADED}")
        except Py4JJavaError:
            # Hadoop writes the checksum of a local file in another step.
            return None

    def write_loaded(self, text: str) -> None:
        """Replace the text that ``loaded`` returns. A killed run may leave a part of it, which is ignored."""
        self._files.write(f"{self._folder}/{_LOADED}", text)

    def set_aside(self) -> None:
        """Rename the folder, so that the stream starts again. Nobody reads a renamed folder.

        A renamed folder is deleted when a newer folder, which a table has loaded (``confirm``), is set aside itself.
        The folder of a failed run does not count, since it may have fewer results. A folder without results is
        deleted at once.
        """
        if not self._files.exists(self._folder):
            return
        if not self.batches():
            self._files.delete(self._folder)
            return
        confirmed = f"{self._folder}/{_CONFIRMED}"
        if (superseded := self._files.read(confirmed)) is not None:
            # The previous folders that existed when this one was confirmed.
            for previous in self.previous():
                if previous.rpartition("/")[2] in superseded.split("\n"):
                    self._files.delete(previous)
            # Folders that are set aside later reuse these names. If a user puts this one back, it must not delete them.
            self._files.write(confirmed, "")
        # If a user puts the folder back, the table may have changed: without this text all of it is compared.
        self._files.delete(f"{self._folder}/{_LOADED}")
        parent, _, name = self._folder.rpartition("/")
        place, number = f"{parent}/.previous.{name}", 1
        while self._files.exists(place):
            number += 1
            place = f"{parent}/.previous-{number}.{name}"
        # In one step: results without their checkpoint would be refused for ever.
        self._files.rename(self._folder, place)

    def previous(self, batch: int | None = None) -> list[str]:
        """The folders that were set aside, in this order; with ``batch`` those that have this micro-batch."""
        parent, _, name = self._folder.rpartition("/")
        # No table's name begins with a dot.
        is_own = re.compile(rf"\.previous(?:-\d+)?\.{re.escape(name)}")
        own = [path for path in self._files.found(f"{parent}/.previous*") if is_own.fullmatch(path.rpartition("/")[2])]
        has_batch = (path for path in own if batch is None or self._files.exists(f"{path}/{BATCH}={batch}"))
        return sorted(has_batch, key=lambda path: (len(path), path))

    def every_folder(self) -> list[str]:
        """This folder, if it is there, and those that were set aside."""
        return [*([self._folder] if self._files.exists(self._folder) else []), *self.previous()]

    @property
    def is_confirmed(self) -> bool:
        """Whether a table has loaded results of this folder, also if it was moved away and back since."""
        return self._files.exists(f"{self._folder}/{_CONFIRMED}")

    def confirm(self) -> None:
        """Record that a table has loaded results of this folder, so that folders set aside before can be deleted.

        Only the first call records: a folder that was put back may have fewer results than those set aside since.
        """
        if not self.is_confirmed:
            names = [folder.rpartition("/")[2] for folder in self.previous()]
            self._files.write(f"{self._folder}/{_CONFIRMED}", "\n".join(names))

    def finish_committed(self, batch: int) -> bool:
        """Whether a batch is committed; then leftovers of killed runs are removed.

        Raises ``ValueError`` if it has other rows, because the checkpoint is older: the new rows would be skipped.
        """
        committed = self._committed(batch)
        if not self._files.exists(committed):
            return False
        if self.batches()[-1] > batch or self._files.read(f"{committed}/{_PLAN}") not in (None, self._plan(batch)):
            raise ValueError(
                f"{self._folder} has micro-batches that its checkpoint ({CHECKPOINT}) does not have: it would "
                f"continue with {batch}, by other rows. Restore the checkpoint that belongs to them, or choose another "
                "folder."
            )
        self._clean(batch)
        return True

    def _plan(self, batch: int) -> str:
        """Spark's record of a micro-batch before it begins: its range of offsets, and the time."""
        return self._files.read(f"{self.checkpoint}/offsets/{batch}") or ""

    def write(
        self,
        rows: DataFrame,
        batch: int,
        is_shed: str | None = None,
        malformed: DataFrame | None = None,
        metrics: Callable[[], Mapping[str, float]] = dict,
        up_to: int | None = None,
    ) -> None:
        """Write a batch and commit it. Raises ``RuntimeError`` if another query has committed it.

        ``is_shed``: the column that marks rows which are no results, but wait in the batch's folder for a later pass.
        ``malformed``: messages that are no rows; they stay in the batch's folder.
        ``metrics``: figures of the written batch.
        ``up_to``: of a later pass, the last batch whose shed rows it has joined; from then on these count as joined.
        """
        folder = staged = f"{self._folder}/{STAGING}/{batch}/{uuid4().hex}"
        try:
            if is_shed is None:
                rows.write.parquet(staged)
            else:
                staged = self._apart(rows, is_shed, staged)
            if malformed is not None:
                malformed.write.json(f"{staged}/{MALFORMED}")
                if not self._count("text", f"{staged}/{MALFORMED}"):
                    self._files.delete(f"{staged}/{MALFORMED}")
            # A later pass has no plan of Spark's.
            plan = self._plan(batch) if up_to is None else json.dumps({"batchTimestampMs": int(time.time() * 1000)})
            self._files.write(f"{staged}/{_PLAN}", plan)
            self._files.write(f"{staged}/{_METRICS}", json.dumps(metrics()))
            if up_to is not None:
                self._files.write(f"{staged}/{_UP_TO}", str(up_to))
            self.commit(staged, batch)
        except BaseException:
            self._files.delete(folder)
            raise
        self._clean(batch)
        if up_to is not None:
            self._remove_shed(up_to)

    def _apart(self, rows: DataFrame, is_shed: str, staged: str) -> str:
        """Write results and shed rows at once, as a second join could shed other rows; return the results' folder."""
        rows.write.partitionBy(is_shed).parquet(staged)
        results, shed = (f"{staged}/{is_shed}={flag}" for flag in ("false", "true"))
        if not self._files.exists(results):
            self._session.createDataFrame([], rows.drop(is_shed).schema).write.parquet(results)
        if self._files.exists(shed):
            self._files.rename(shed, f"{results}/{SHED}")
        return results

    def metrics(self, batch: int) -> dict[str, float]:
        return dict(json.loads(self._files.read(f"{self._committed(batch)}/{_METRICS}") or "{}"))

    def malformed_count(self, batch: int) -> int:
        return self._count("text", f"{self._committed(batch)}/{MALFORMED}")

    def shed_count(self, batch: int) -> int:
        """How many shed rows of a batch no later pass has joined yet."""
        return self._count("parquet", f"{self._committed(batch)}/{SHED}")

    def _count(self, kind: str, folder: str) -> int:
        return self._session.read.format(kind).load(folder).count() if self._files.exists(folder) else 0

    def begin_later_pass(self, schema: StructType) -> tuple[DataFrame, int, int] | None:
        """Shed rows that no pass has joined, if any; the number of the next pass, and of the last batch that shed.

        Leftovers of the last pass are removed.
        """
        first = min([0, *self.batches()])
        if first:
            # The run that committed it may have been killed before it removed the joined rows.
            self._clean(first)
            self._remove_shed(int(self._files.read(f"{self._committed(first)}/{_UP_TO}") or ""))
        if not (waiting := self.batches(f"/{SHED}")):
            return None
        folders = [f"{self._committed(batch)}/{SHED}" for batch in waiting]
        return self._session.read.schema(schema).parquet(*folders), first - 1, waiting[-1]

    def commit(self, staged: str, batch: int) -> None:
        """Let readers see the staged results. Raises ``RuntimeError`` if that fails: another query may have done it."""
        try:
            self._files.rename(staged, self._committed(batch))
        except OSError as error:
            if not self._files.exists(self._committed(batch)):
                raise RuntimeError(f"Micro-batch {batch} was not committed: {error}") from error
            raise RuntimeError(
                f"Another query has written micro-batch {batch} into {self._folder}: a folder takes one query."
            ) from error

    def _clean(self, batch: int) -> None:
        """Remove leftovers of committed batches: this one, and those before."""
        for left in self._files.found(f"{self._folder}/{STAGING}/*"):
            number = int(left.rpartition("/")[2])
            # Later passes are counted downwards.
            if 0 <= number <= batch or batch <= number < 0:
                self._files.delete(left)

    def _remove_shed(self, up_to: int) -> None:
        """Remove shed rows that a later pass has joined."""
        for batch in self.batches(f"/{SHED}"):
            if batch <= up_to:
                self._files.delete(f"{self._committed(batch)}/{SHED}")

    def _committed(self, batch: int) -> str:
        return f"{self._folder}/{BATCH}={batch}"
