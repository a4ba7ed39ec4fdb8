"""MESHJOIN over Structured Streaming: each micro-batch is joined with the whole relation; its results count once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from deltawave.meshjoin.conditions import Condition
from deltawave.meshjoin.micro_batches import MicroBatches, Stored


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
