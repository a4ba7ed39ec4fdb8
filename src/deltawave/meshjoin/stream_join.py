"""MESHJOIN over Structured Streaming: each micro-batch is joined with the whole relation; its results count once."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.types import StructType

from deltawave.differencing.in_place import quoted
from deltawave.meshjoin.batch_folders import BATCH, BatchFolders
from deltawave.meshjoin.conditions import Condition, Equal
from deltawave.meshjoin.mesh_join import counted_join, demand_priority, mesh_join, shedding_join
from deltawave.meshjoin.stored_relation import StoredRelation
from deltawave.meshjoin.stream_metrics import TaskTotals, totals

_SIGNS = ("KafkaV2[", '"scala.Option.get()" is null')


def past_kafka_fault(run: Callable[[], None], told: Callable[[], None] = lambda: None) -> None:
    """Run a query, and again if it fails with this fault: it then begins with a new micro-batch.

    ``told`` is called in between, as Spark reports no progress of the finished micro-batch.
    """
    try:
        run()
    except StreamingQueryException as error:
        if not all(sign in str(error) for sign in _SIGNS):
            raise
        told()
        run()


# A relation, or a function that is called for it before each micro-batch.
Stored = StoredRelation | Callable[[], StoredRelation]


class MicroBatches:
    """Joins micro-batches with a relation, and commits their results to a folder.

    Structured Streaming calls it with a number and rows, at least once, in the order of the numbers. ``schema``: of the
    stream; ``shed``: how to choose the tuples that are joined at once, if a micro-batch does not fit in memory;
    ``unfit``: the column that marks messages which are no rows; ``probability``: a column of the results for the
    probability with which their tuples were kept.

    Raises ``ValueError`` for what ``mesh_join`` refuses, and for a folder of another join.
    """

    def __init__(
        self,
        session: SparkSession,
        schema: StructType,
        relation: Stored,
        folder: str | Path,
        *,
        on: str | Sequence[str] | Mapping[str, str] | None,
        condition: Condition | None,
        how: str,
        memory_bytes: int,
        direct: bool,
        shed: str | None,
        unfit: str | None,
        probability: str | None = None,
    ) -> None:
        schema = without_unfit(schema, unfit)
        self._relation, self._schema, self._shed, self._unfit = relation, schema, shed, unfit
        self._options: dict[str, Any] = {"on": on, "how": how, "memory_bytes": memory_bytes, "direct": direct}
        if shed is None:
            self._options["condition"] = condition
        else:
            demand_priority(shed, condition, probability)
        nothing, options = session.createDataFrame([], schema), {**self._options, "condition": condition}
        empty, free = mesh_join(nothing, self._asked(), **options)
        free()
        demand_no_batch(empty, schema)
        demand_free(empty, probability)
        self._probability, self._totals = probability, totals(session.sparkContext)
        empty = with_probability(empty, probability, 1.0)
        self._folders = BatchFolders(session, folder)
        compared = re.sub(r" at 0x\w+", "", repr(condition if condition is not None else Equal.on(on or ())))
        self._folders.open({"how": how, "condition": compared, **columns_of(empty)}, schema)

    @property
    def checkpoint(self) -> str:
        """The folder in which the stream records its progress."""
        return self._folders.checkpoint

    def __call__(self, rows: DataFrame, batch: int) -> None:
        """Join a micro-batch, unless that is done."""
        if self._folders.has(batch):
            return
        unfit, metrics = None, self._measured(batch)
        if self._unfit is not None:
            told = quoted(self._unfit)
            unfit = rows.where(f"{told} is not null").select(f"{told}.*")
            rows = rows.where(f"{told} is null").drop(self._unfit)
        if self._shed is not None:
            both, is_shed = shedding_join(
                rows,
                self._asked(),
                priority=self._shed,
                probability=self._probability,
                totals=self._totals,
                **self._options,
            )
            self._folders.demand(columns_of(both.drop(is_shed)))
            self._folders.write(both, batch, is_shed, unfit, metrics)
            return
        found, free = counted_join(rows, self._asked(), totals=self._totals, **self._options)
        try:
            found = with_probability(found, self._probability, 1.0)
            self._folders.demand(columns_of(found))
            self._folders.write(found, batch, unfit=unfit, metrics=metrics)
        finally:
            free()

    def join_shed(self) -> None:
        """Join the rows that former micro-batches have shed: the later, exact pass (MJ08 4)."""
        shed = self._folders.shed(self._schema)
        if shed is None:
            return
        metrics = self._measured(shed.number)
        found, free = counted_join(shed.rows, self._asked(), totals=self._totals, **self._options)
        try:
            # They are in no sample: a sum of values that are divided by the probability leaves them out.
            found = with_probability(found, self._probability, None)
            self._folders.demand(columns_of(found))
            self._folders.write_later(found, shed, metrics)
        finally:
            free()

    def _measured(self, batch: int) -> Callable[[], dict[str, float]]:
        """Begin to measure a micro-batch; the figures are asked for when its results are written."""
        begin, self._totals.value = time.monotonic(), TaskTotals()

        def metrics() -> dict[str, float]:
            found = asdict(self._totals.value)
            if self._options["on"] is None:
                # Under another condition each task sees all rows.
                found["rows"] = found["most_rows"]
            seconds = round(time.monotonic() - begin, 3)
            return {"micro_batch": batch, **found, "readings": round(found["readings"], 2), "seconds": seconds}

        return metrics

    def _asked(self) -> StoredRelation:
        return self._relation if isinstance(self._relation, StoredRelation) else self._relation()


def demand_no_batch(results: DataFrame, stream: StructType) -> None:
    """Raise ``ValueError`` if results have a column with the name of the micro-batch column, in any case."""
    if BATCH in map(str.lower, results.columns):
        owner = "stream" if BATCH in map(str.lower, stream.names) else "relation"
        raise ValueError(f"The results get a column {BATCH}: rename that of the {owner}.")


def demand_free(results: DataFrame, name: str | None) -> None:
    """Raise ``ValueError`` if results have a column with the name of that for the probability, in any case."""
    if name is not None and name.lower() in map(str.lower, [*results.columns, BATCH]):
        raise ValueError(f"The results have a column {name}: name another one for the probability.")


def with_probability(results: DataFrame, name: str | None, probability: float | None) -> DataFrame:
    """Results with the same probability in all rows, in a column of this name, if one is wanted."""
    return results if name is None else results.withColumn(name, F.lit(probability).cast("double"))


def without_unfit(stream: StructType, unfit: str | None) -> StructType:
    """The columns of a stream's rows. Raises ``ValueError`` if it has no column ``unfit``."""
    if unfit is not None and unfit not in stream.names:
        raise ValueError(f"The stream has no column {unfit}; it has {', '.join(stream.names)}.")
    return StructType([field for field in stream.fields if field.name != unfit])


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
    unfit: str | None = None,
    probability: str | None = None,
) -> StreamingQuery:
    """Start a query that joins a stream with a relation, and writes the results into ``folder``.

    ``folder`` has Parquet files by micro-batch: the columns of :func:`deltawave.meshjoin.mesh_join`, and the number of
    the micro-batch in ``micro_batch``. It also has the stream's checkpoint. A query that is started again with the same
    folder continues where the last one stopped, even if that was killed: no result is missing or there twice.

    - ``relation``: a function of no arguments is called before each micro-batch, so that a changed relation is stored
      anew (:meth:`StoredRelation.of`); a micro-batch meets one state of it
    - ``available_now``: join the rows that are there, then end
    - ``every``: the time between two micro-batches, such as ``10 seconds``; without it the next one begins at once
    - ``shed``: if a micro-batch does not fit in memory, join one window, chosen by this priority (``keep_w``,
      ``sample_w``, ``top_w``, ``cluster_sampling``), and keep the other tuples in the folder (MJ08 4). A run without
      ``shed`` joins these before its stream starts; their results have a negative number in ``micro_batch``
    - ``unfit``: a column of structs that is null for the stream's rows. Other rows are not joined, but kept with their
      micro-batch, as JSON in ``micro_batch=<number>/_unfit``; the results have no such column
    - ``probability``: a column of the results for the probability with which their row of the stream was kept
      (``sample_w``, ``cluster_sampling``), 1 if nothing was shed; null in the results of a later pass
    - others: as for ``mesh_join``

    What a micro-batch took (rows, readings of the relation, memory, seconds) is written as JSON into
    ``micro_batch=<number>/_metrics``.

    Raises ``ValueError`` for what ``mesh_join`` refuses, a frame that is no stream, ``right_anti``, ``shed`` without
    ``on``, ``unfit`` that is no column, and a folder of another join (other ``how``, keys, condition or columns). The
    query fails if a changed relation has other columns.
    """
    demand_stream(stream, how)
    # Errors are raised before the stream starts.
    batches = MicroBatches(
        stream.sparkSession,
        stream.schema,
        relation,
        folder,
        on=on,
        condition=condition,
        how=how,
        memory_bytes=memory_bytes,
        direct=direct,
        shed=shed,
        unfit=unfit,
        probability=probability,
    )
    if shed is None:
        batches.join_shed()
    writer = stream.writeStream.foreachBatch(batches.__call__).option("checkpointLocation", batches.checkpoint)
    if available_now:
        writer = writer.trigger(availableNow=True)
    elif every is not None:
        writer = writer.trigger(processingTime=every)
    return writer.start()


def demand_stream(stream: DataFrame, how: str) -> None:
    """Raise ``ValueError`` for a frame that is no stream, and a join that needs the end of one."""
    if not stream.isStreaming:
        raise ValueError("stream_join needs a stream (readStream); mesh_join joins other frames.")
    if how == "right_anti":
        raise ValueError("A stream has no end, so that it can't be told which rows it never meets (right_anti).")
