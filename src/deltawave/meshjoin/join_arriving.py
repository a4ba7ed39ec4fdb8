"""A stream that is joined run by run, such as by ``dbt run``: each run joins what has arrived since the last one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from deltawave.meshjoin.batch_folders import BATCH, BatchFolders
from deltawave.meshjoin.beside_tables import beside_tables
from deltawave.meshjoin.conditions import Condition
from deltawave.meshjoin.kafka_fault import past_kafka_fault
from deltawave.meshjoin.mesh_join import mesh_join
from deltawave.meshjoin.stored_relation import StoredRelation
from deltawave.meshjoin.stream_join import stream_join


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
    """Join what has arrived in a stream since the last run, and return the results that ``done`` lacks.

    The results and the stream's checkpoint are kept in a folder of this ``name`` beside the session's tables
    (:func:`deltawave.meshjoin.stream_join`). So each result is returned until it is in ``done``, and not again: also
    if a run is killed before the stream ends, after that, or while it appends to a table that may get half of it.

    - ``name``: one for each table, such as ``str(dbt.this)``
    - ``done``: what the table has; none to begin anew, which removes what is kept
    - others: those of ``stream_join``

    A frame without rows, as under ``dbt run --empty``, is no stream, and changes nothing.

    Raises ``ValueError`` for what that refuses, and if ``done`` has results that are not kept.
    """
    session = stream.sparkSession
    folder = beside_tables(session, "stream_join", name)
    kept = BatchFolders(session, folder)
    empty, free = mesh_join(session.createDataFrame([], stream.schema), relation, on=on, condition=condition, how=how)
    free()
    schema = empty.schema.add(BATCH, "long")
    if not stream.isStreaming and stream.isEmpty():
        return session.createDataFrame([], schema)
    if done is None:
        kept.remove()
    else:
        _demand_kept(_counts(done), _counts(kept.rows(schema)), name, folder)

    def joined() -> None:
        query = stream_join(
            stream,
            relation,
            folder,
            on=on,
            condition=condition,
            how=how,
            memory_bytes=memory_bytes,
            direct=direct,
            available_now=True,
        )
        try:
            query.awaitTermination()
        finally:
            query.stop()

    past_kafka_fault(joined)
    results = kept.rows(schema)
    return results if done is None else _lacking(results, done)


def _counts(frame: DataFrame) -> dict[int, int]:
    """How many rows each micro-batch has."""
    return {row[BATCH]: row["count"] for row in frame.groupBy(BATCH).count().collect()}


def _demand_kept(done: Mapping[int, int], kept: Mapping[int, int], name: str, folder: str) -> None:
    if unknown := sorted(batch for batch, rows in done.items() if rows > kept.get(batch, 0)):
        raise ValueError(
            f"{name} has results of micro-batch {unknown[0]} that are not in {folder}: the stream would begin anew, "
            "and results would be there twice. Restore that folder, or build the table anew (--full-refresh)."
        )


def _lacking(results: DataFrame, done: DataFrame) -> DataFrame:
    """The results that are not in ``done``: whole micro-batches, and the rest of one that was half appended."""
    there, has = _counts(results), _counts(done)
    late = [batch for batch, rows in there.items() if has.get(batch, 0) < rows]
    lacking = results.where(F.col(BATCH).isin(late))
    if not any(batch in has for batch in late):
        return lacking
    return lacking.exceptAll(done.select(results.columns).where(F.col(BATCH).isin(late)))
