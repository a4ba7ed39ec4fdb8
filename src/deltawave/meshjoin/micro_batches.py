"""MESHJOIN over Structured Streaming: each micro-batch is joined with the whole relation; its results count once."""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.types import StructType

from deltawave.meshjoin.batch_folders import BATCH, BatchFolders
from deltawave.meshjoin.conditions import Condition
from deltawave.meshjoin.join import JoinOptions, joined
from deltawave.meshjoin.stored_relation import StoredRelation
from deltawave.meshjoin.stream_metrics import NONE, totals
from deltawave.resources import releasing
from deltawave.sql_text import quoted

# A fault of Spark's connector for Kafka, 4.1.1 at least: a query that resumes a micro-batch of a previous run fails
# once that is committed, as it reports progress that it does not know yet (SPARK-55271).
_SIGNS = ("KafkaV2[", '"scala.Option.get()" is null')


def past_kafka_fault(run: Callable[[], None], between: Callable[[], None] = lambda: None) -> None:
    """Run a query, and again if it fails with this fault: it then begins with a new micro-batch.

    ``between`` may report the finished micro-batch, of which Spark has no progress.
    """
    try:
        run()
    except StreamingQueryException as error:
        if not all(sign in str(error) for sign in _SIGNS):
            raise
        between()
        run()


# A relation, or a function that is called for it before each micro-batch.
Stored = StoredRelation | Callable[[], StoredRelation]


class MicroBatches:
    """Joins micro-batches of a stream of this ``schema`` with a relation, and commits their results to a folder.

    Structured Streaming calls it at least once for each, in their order. Raises what :func:`stream_join` does.
    """

    def __init__(
        self, session: SparkSession, schema: StructType, relation: Stored, folder: str | Path, options: JoinOptions
    ) -> None:
        self._relation, self._options, self._schema = relation, options, options.rows_schema(schema)
        # First, since it refuses a session without a context.
        self.folders = BatchFolders(session, folder)
        self._totals = totals(session.sparkContext)
        empty = options.with_probability(no_results(session, self._schema, self._current(), options), 1.0)
        compared = re.sub(r" at 0x\w+", "", repr(options.compared))
        self.folders.open({"how": options.how, "condition": compared, **columns_of(empty)}, self._schema)

    def __call__(self, rows: DataFrame, batch: int) -> None:
        """Join a micro-batch, unless that is done."""
        if self.folders.finish_committed(batch):
            return
        malformed = None
        if (name := self._options.malformed) is not None:
            column = quoted(name)
            malformed = rows.where(f"{column} is not null").select(f"{column}.*")
            rows = rows.where(f"{column} is null").drop(name)
        self._join(rows, batch, 1.0, malformed=malformed)

    def join_shed(self) -> None:
        """Unless this run sheds, join what previous micro-batches have shed: the later, exact pass (MJ08 4)."""
        if self._options.shed is None and (shed := self.folders.begin_later_pass(self._schema)) is not None:
            rows, number, up_to = shed
            # Their probability is null, as they are in no sample: sums of value / probability leave them out.
            self._join(rows, number, None, up_to=up_to)

    def _join(
        self,
        rows: DataFrame,
        batch: int,
        probability: float | None,
        malformed: DataFrame | None = None,
        up_to: int | None = None,
    ) -> None:
        """``probability``: of all rows, unless they are shed."""
        options, metrics = self._options, self._measured(batch)
        with releasing(joined(rows, self._current(), options, self._totals)) as found:
            is_shed = None if options.shed is None else found.columns[-1]
            if is_shed is None:
                found = options.with_probability(found, probability)
            self.folders.require_same(columns_of(found if is_shed is None else found.drop(is_shed)))
            self.folders.write(found, batch, is_shed, malformed, metrics, up_to)

    def _measured(self, batch: int) -> Callable[[], dict[str, float]]:
        """Begin to measure a micro-batch; the figures are asked for when its results are written."""
        begin, self._totals.value = time.monotonic(), NONE

        def metrics() -> dict[str, float]:
            found = dict(self._totals.value)
            if self._options.on is None:
                # Under another condition each task sees all rows.
                found["rows"] = found["most_rows"]
            seconds = round(time.monotonic() - begin, 3)
            rounded = {name: round(found[name], 2) for name in ("readings", "spared_seconds")}
            return {"micro_batch": batch, **found, **rounded, "seconds": seconds}

        return metrics

    def _current(self) -> StoredRelation:
        return self._relation if isinstance(self._relation, StoredRelation) else self._relation()


def no_results(session: SparkSession, rows: StructType, relation: StoredRelation, options: JoinOptions) -> DataFrame:
    """The results of no rows of a stream, without a probability. Refuses a name that occurs twice."""
    empty = joined(session.createDataFrame([], rows), relation, replace(options, shed=None))
    names = list(map(str.lower, empty.columns))
    if BATCH in names:
        owner = "stream" if BATCH in map(str.lower, rows.names) else "relation"
        raise ValueError(f"The results get a column {BATCH}: rename that of the {owner}.")
    if (name := options.probability) is not None and name.lower() in [*names, BATCH]:
        raise ValueError(f"The results have a column {name}: name another one for the probability.")
    return empty


def columns_of(frame: DataFrame) -> dict[str, str]:
    """The columns of results, as a folder's definition has them."""
    return {"columns": ", ".join(f"{field.name} {field.dataType.simpleString()}" for field in frame.schema.fields)}


def stream_join(
    stream: DataFrame,
    relation: Stored,
    folder: str | Path,
    *,
    on: str | Sequence[str] | Mapping[str, str] | None = None,
    condition: Condition | None = None,
    how: str = "inner",
    memory_bytes: int = 64 << 20,
    direct: bool = False,
    available_now: bool = False,
    every: str | None = None,
    shed: str | None = None,
    malformed: str | None = None,
    probability: str | None = None,
) -> StreamingQuery:
    """Start a query that joins a stream with a relation, and writes the results into ``folder``.

    These are Parquet files by micro-batch, with the columns of :func:`deltawave.meshjoin.mesh_join`, and the number of
    the micro-batch in ``micro_batch``. The folder also has the stream's checkpoint: a query that is started again with
    it continues where the last one stopped, even if that was killed. No result is missing or there twice.

    - ``relation``: a function of no arguments is called before each micro-batch, so that a changed relation is stored
      again (:meth:`StoredRelation.of`); a micro-batch is joined with one state of it
    - ``available_now``: join the rows that are there, then end
    - ``every``: the time between two micro-batches, such as ``10 seconds``; without it the next one begins at once
    - ``shed``: if a micro-batch does not fit in memory, join one window, chosen by this priority (``keep_w``,
      ``sample_w``, ``top_w``, ``cluster_sampling``), and keep the other tuples in the folder (MJ08 4). A run without
      ``shed`` joins these before its stream starts; their results have a negative number in ``micro_batch``
    - ``malformed``: a column of structs that is null for the stream's rows. Other rows are not joined, but kept with
      their micro-batch, as JSON in ``micro_batch=<number>/_malformed``; the results have no such column
    - ``probability``: a column of the results for the probability with which their row of the stream was kept
      (``sample_w``, ``cluster_sampling``), 1 if nothing was shed; null in the results of a later pass
    - others: as for ``mesh_join``

    What a micro-batch took is written as JSON into ``micro_batch=<number>/_metrics``.

    Raises ``ValueError`` before the stream starts for what ``mesh_join`` refuses, a frame that is no stream,
    ``right_anti``, ``shed`` without ``on``, ``malformed`` that is no column, and a folder of another join (other
    ``how``, keys, condition or columns). The query fails if a changed relation has other columns.
    """
    require_stream(stream, how)
    options = JoinOptions(
        on=on,
        condition=condition,
        how=how,
        memory_bytes=memory_bytes,
        direct=direct,
        shed=shed,
        malformed=malformed,
        probability=probability,
    )
    batches = MicroBatches(stream.sparkSession, stream.schema, relation, folder, options)
    batches.join_shed()
    writer = stream.writeStream.foreachBatch(batches.__call__).option("checkpointLocation", batches.folders.checkpoint)
    if available_now:
        writer = writer.trigger(availableNow=True)
    elif every is not None:
        writer = writer.trigger(processingTime=every)
    return writer.start()


def require_stream(stream: DataFrame, how: str) -> None:
    """Raise ``ValueError`` for a frame that is no stream, and a join that needs the end of one."""
    if not stream.isStreaming:
        raise ValueError("stream_join needs a stream (readStream); mesh_join joins other frames.")
    if how == "right_anti":
        raise ValueError(
            "A stream has no end, so that right_anti can't know which rows of the relation it never matches."
        )
