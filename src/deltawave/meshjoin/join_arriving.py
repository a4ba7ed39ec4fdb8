"""A stream that is joined run by run, such as by ``dbt run``: each run joins the newly arrived rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.types import LongType, StructField, StructType

from deltawave.meshjoin.batch_folders import BATCH, BatchFolders
from deltawave.meshjoin.beside_tables import beside_tables
from deltawave.meshjoin.conditions import Condition
from deltawave.meshjoin.kafka_fault import past_kafka_fault
from deltawave.meshjoin.lacking import Taken, demand_comparable
from deltawave.meshjoin.mesh_join import mesh_join
from deltawave.meshjoin.micro_batches import columns_of, demand_no_batch
from deltawave.meshjoin.stored_relation import StoredRelation
from deltawave.meshjoin.stream_join import demand_stream, stream_join


def join_arriving(
    stream: DataFrame,
    relation: StoredRelation,
    name: str,
    *,
    done: DataFrame | None,
    on: str | Sequence[str] | Mapping[str, str] | None = None,
    condition: Condition | None = None,
    how: str = "inner",
    memory_bytes: int = 64 << 20,
    direct: bool = False,
) -> DataFrame:
    """Join the rows of a stream that arrived since the last run, and return the results that ``done`` lacks.

    The results and the stream's checkpoint are kept in a folder of this ``name`` beside the session's tables
    (:func:`deltawave.meshjoin.stream_join`). So each result is returned until it is in ``done``, and not again, even if
    a run is killed before the stream ends, after that, or while it appends to the table, which may then have half.

    - ``name``: one for each table, such as ``str(dbt.this)``
    - ``done``: what the table has; none to begin anew, which sets aside what is kept. That stays until a run begins
      anew after another one has found results of this stream in the table
    - others: those of ``stream_join``

    A frame without rows, as under ``dbt run --empty``, is no stream, and changes nothing.

    A model may leave out returned rows, and add columns; ``done`` has to have the others unchanged.

    Raises ``ValueError`` for what ``stream_join`` refuses, and if ``done`` has results that are not kept.
    """
    session = stream.sparkSession
    folder = beside_tables(session, "stream_join", name)
    kept = BatchFolders(session, folder)
    joining: dict[str, Any] = {
        "on": on,
        "condition": condition,
        "how": how,
        "memory_bytes": memory_bytes,
        "direct": direct,
    }
    # What is wrong is said before anything is set aside.
    empty, free = mesh_join(session.createDataFrame([], stream.schema), relation, **joining)
    free()
    demand_no_batch(empty, stream.schema)
    demand_comparable(empty)
    schema = StructType([*empty.schema, StructField(BATCH, LongType())])
    if not stream.isStreaming and stream.isEmpty():
        return session.createDataFrame([], schema)
    demand_stream(stream, how)
    if done is None:
        kept.set_aside()
    elif kept.has_begun:
        kept.demand(columns_of(empty))
    taken = None if done is None else Taken(done, kept.rows(schema), name, folder, kept.is_confirmed, kept.former)

    def joined() -> None:
        query = stream_join(stream, relation, folder, available_now=True, **joining)
        try:
            query.awaitTermination()
        finally:
            query.stop()

    past_kafka_fault(joined)
    results = kept.rows(schema)
    if taken is None:
        return results
    lacking = taken.lacking(results)
    if taken.has_some:
        kept.confirm()
    return lacking
