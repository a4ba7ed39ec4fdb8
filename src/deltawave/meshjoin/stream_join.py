"""MESHJOIN over Structured Streaming: each micro-batch meshes with the whole relation, and its results count once."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from deltawave.meshjoin.batch_folders import BATCH, BatchFolders
from deltawave.meshjoin.conditions import Condition, Equal
from deltawave.meshjoin.mesh_join import mesh_join
from deltawave.meshjoin.stored_relation import StoredRelation

# A relation, or what is asked for it before each micro-batch.
Stored = StoredRelation | Callable[[], StoredRelation]


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
) -> StreamingQuery:
    """Start a query that joins a stream with a relation, and writes the results into ``folder``.

    ``folder`` has Parquet files by micro-batch: the columns of :func:`deltawave.meshjoin.mesh_join`, and the number of
    the micro-batch in ``micro_batch``. It also has the stream's checkpoint. A query that is started again with the same
    folder goes on where the last one was, even if that was killed: no result is missing, and none is there twice.

    - ``relation``: a function of no arguments is called before each micro-batch, so that a relation that has changed is
      stored anew (:meth:`StoredRelation.of`); a micro-batch meets one state of it
    - ``available_now``: join what is there in one run, and end
    - ``every``: the time between two micro-batches, such as ``10 seconds``; without it the next one begins at once
    - others: those of ``mesh_join``

    Raises ``ValueError`` for what ``mesh_join`` refuses, a frame that is no stream, ``right_anti``, and a folder of
    another join (other ``how``, keys, condition or columns). The query fails if a changed relation has other columns.
    """
    if not stream.isStreaming:
        raise ValueError("stream_join needs a stream (readStream); mesh_join joins other frames.")
    if how == "right_anti":
        raise ValueError("A stream has no end, so that it can't be told which rows it never meets (right_anti).")
    if BATCH in stream.columns:
        raise ValueError(f"The results get a column {BATCH}: rename that of the stream.")
    options = {"on": on, "condition": condition, "how": how, "memory_bytes": memory_bytes, "direct": direct}
    session = stream.sparkSession
    # What is wrong is said before the stream starts.
    empty, free = mesh_join(session.createDataFrame([], stream.schema), _asked(relation), **options)  # type: ignore[arg-type]
    free()
    if BATCH in empty.columns:
        raise ValueError(f"The results get a column {BATCH}: rename that of the relation.")
    results = BatchFolders(session, folder)
    compared = re.sub(r" at 0x\w+", "", repr(condition if condition is not None else Equal.on(on or ())))
    results.open({"how": how, "condition": compared, **_columns(empty)})

    def join(rows: DataFrame, batch: int) -> None:
        if results.has(batch):
            return
        found, free = mesh_join(rows, _asked(relation), **options)  # type: ignore[arg-type]
        try:
            results.demand(_columns(found))
            results.write(found, batch)
        finally:
            free()

    writer = stream.writeStream.foreachBatch(join).option("checkpointLocation", results.checkpoint)
    if available_now:
        writer = writer.trigger(availableNow=True)
    elif every is not None:
        writer = writer.trigger(processingTime=every)
    return writer.start()


def _columns(frame: DataFrame) -> dict[str, str]:
    return {"columns": ", ".join(f"{field.name} {field.dataType.simpleString()}" for field in frame.schema.fields)}


def _asked(relation: Stored) -> StoredRelation:
    return relation if isinstance(relation, StoredRelation) else relation()
