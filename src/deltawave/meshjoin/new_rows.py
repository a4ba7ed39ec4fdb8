"""What is new since the last run, such as that of ``dbt run``: rows, surrogate keys, and results of a stream."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from uuid import uuid4

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StructField, StructType

from deltawave.meshjoin.batch_folders import BATCH, MALFORMED, SHED, BatchFolders
from deltawave.meshjoin.conditions import Condition
from deltawave.meshjoin.expiring import expire, require_deletable, span_of
from deltawave.meshjoin.join import JoinOptions, mesh_join
from deltawave.meshjoin.micro_batches import columns_of, no_results, past_kafka_fault, require_stream, stream_join
from deltawave.meshjoin.stored_relation import StoredRelation, alongside_tables
from deltawave.meshjoin.table_results import LoadedBatches, TableResults, require_comparable
from deltawave.model_runs import after_append, is_empty_run
from deltawave.sql_text import quoted, unused_prefix


def rows_since(stream: DataFrame, done: DataFrame | None, batch: str) -> DataFrame:
    """Return the rows of batches later than all in ``done``; all rows if it has no batch.

    ``batch``: the column of both with the batch's number; ``done``: results of previous runs, none in the first run.
    Negative numbers, of later passes over shed rows, count downwards, separately from the others. A batch that left
    nothing in ``done`` comes again until a later one leaves something. Raises ``ValueError`` if a frame has no such
    column.
    """
    for frame in (stream, done):
        if frame is not None:
            _require(frame, [batch], "The stream")
    if done is None:
        return stream
    number = F.col(quoted(batch))
    first, last = done.agg(F.min(number), F.max(number)).collect()[0]
    if last is None:
        return stream
    if not isinstance(last, int):
        return stream.where(number > F.lit(last))
    return stream.where((number > F.lit(max(last, -1))) | (number < F.lit(min(first, 0))))


def new_keys(
    rows: DataFrame,
    relation: DataFrame,
    assigned: DataFrame | None,
    *,
    on: Mapping[str, str],
    key: str,
    order: str,
    name: str,
    memory_bytes: int = 64 << 20,
) -> DataFrame:
    """Return the rows that are new, with surrogate keys.

    - ``relation``: the known rows, stored as ``name`` by ``StoredRelation.alongside_tables``
    - ``assigned``: the results of previous runs of this function; none in the first run
    - ``on``: the natural key: columns of ``rows``, and the columns of ``relation`` that they equal. The first row of
      a natural key by ``order`` counts; rows with a null in it are not
    - ``key``: the column of surrogate keys, whole numbers, of the relation and the result: they continue from the
      highest one, by ``order`` and natural key

    Raises ``ValueError`` for columns that are missing.
    """
    _require(relation, [*on.values(), key], "The relation")
    _require(rows, [*on, order], "The stream")
    natural = [F.col(quoted(column)) for column in on]
    known = relation.select(*(F.col(quoted(theirs)).alias(own) for own, theirs in on.items()))
    highest = _highest(relation, key)
    if assigned is not None:
        known = known.unionByName(assigned.select(*natural))
        highest = max(highest, _highest(assigned, key))
    stored = StoredRelation.alongside_tables(known, name, key=list(on))
    unknown = mesh_join(rows, stored, on=list(on), how="left_anti", memory_bytes=memory_bytes)
    place = unused_prefix("place", rows.columns)
    placed = unknown.dropna(subset=list(on)).withColumn(
        place, F.row_number().over(Window.partitionBy(*natural).orderBy(quoted(order)))
    )
    number = F.row_number().over(Window.orderBy(F.col(quoted(order)), *natural))
    new_key = (F.lit(highest) + number).cast(relation.schema[key].dataType)
    return placed.where(F.col(place) == 1).drop(place).withColumn(key, new_key)


def _highest(frame: DataFrame, key: str) -> int:
    return int(frame.agg(F.max(quoted(key))).collect()[0][0] or 0)


def _require(frame: DataFrame, columns: Sequence[str], what: str) -> None:
    if missing := [name for name in columns if name not in frame.columns]:
        raise ValueError(f"{what} has no column {missing[0]}; there are {', '.join(frame.columns)}.")


_LOG = logging.getLogger(__name__)


def join_new_rows(
    stream: DataFrame,
    relation: StoredRelation,
    name: str,
    *,
    done: DataFrame | None,
    on: str | Sequence[str] | Mapping[str, str] | None = None,
    condition: Condition | None = None,
    how: str = "inner",
    where: str | None = None,
    memory_bytes: int = 64 << 20,
    direct: bool = False,
    shed: str | None = None,
    malformed: str | None = None,
    probability: str | None = None,
    retain: str | None = None,
) -> DataFrame:
    """Join the rows of a stream that are new since the last run, and return the results that ``done`` does not have.

    The results and the stream's checkpoint are kept in a folder of this ``name`` next to the session's tables
    (:func:`deltawave.meshjoin.stream_join`). So each result is returned until it is in ``done``, and not again, even if
    a run is killed before the stream ends, after that, or while it appends to the table, which may then have half.
    A micro-batch that was found in the table is neither read nor compared again.

    - ``name``: one for each table, such as ``str(dbt.this)``
    - ``done``: what the table has; none to rebuild it, which sets aside what is kept. That stays until the next rebuild
      after a run that found results of this stream in the table
    - ``where``: a condition in SQL over the columns of the results: others are not returned
    - ``retain``: a span such as ``30 days``: once the results are appended, micro-batches that began earlier than that
      before the newest one are deleted from the table ``name``, which has to be one of Parquet, Delta or Iceberg, and
      from the folder. No other run may be under way
    - others: those of ``stream_join``

    Under ``dbt run --empty``, and for a frame without rows, which is no stream, no row is returned.

    A model may leave out returned rows, and add columns; ``done`` has to have the others unchanged. What a model leaves
    out is not returned again once its other rows were appended: dbt-deltawave reports that, elsewhere call
    :func:`deltawave.model_runs.results_appended`.

    Raises ``ValueError`` for what ``stream_join`` refuses, and if ``done`` has results that are not kept.
    """
    session = stream.sparkSession
    folder = alongside_tables(session, "stream_join", name)
    kept = BatchFolders(session, folder)
    # Errors are raised before anything is set aside.
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
    empty = options.with_probability(no_results(session, options.rows_schema(stream.schema), relation, options), None)
    require_comparable(empty)
    span = None if retain is None else span_of(retain)
    if span and done is not None:
        require_deletable(session, name)
    schema = StructType([*empty.schema, StructField(BATCH, LongType())])
    nothing = session.createDataFrame([], schema)
    if where is not None:
        nothing.where(where)
    if is_empty_run() or (not stream.isStreaming and stream.isEmpty()):
        return nothing
    require_stream(stream, how)
    if done is None:
        kept.set_aside()
    elif kept.has_begun:
        kept.require_same(columns_of(empty))
    table = TableResults(nothing if done is None else done, kept, schema, name, folder, where)
    if table.has_some:
        kept.confirm()
    if table.is_new:
        kept.write_loaded(table.loaded.text())

    def joined() -> None:
        query = stream_join(stream, relation, folder, available_now=True, **vars(options))
        try:
            query.awaitTermination()
        finally:
            query.stop()

    past_kafka_fault(joined)
    missing, had = table.missing()
    if had:
        _follow(kept, replace(table.loaded, run=uuid4().hex, before=had, where=where, is_appended=False))
        _report(kept, table.new(), folder)
    if span is not None:
        after_append(partial(expire, session, name, kept, table.loaded, span))
    return missing


def _follow(kept: BatchFolders, returned: LoadedBatches) -> None:
    """Note what is returned, and later that the model's rows were appended."""
    kept.write_loaded(returned.text())

    def appended() -> None:
        is_alone = LoadedBatches.of(kept.loaded()) == returned
        # Another run may have appended the same: the next one compares everything.
        kept.write_loaded((replace(returned, is_appended=True) if is_alone else LoadedBatches()).text())

    after_append(appended)


def _report(kept: BatchFolders, batches: Iterable[int], folder: str) -> None:
    """Warn of rows and messages of new micro-batches that are in no result."""
    for count, what, inside in (
        (kept.malformed_count, "message(s) are no rows. They were kept aside, as JSON in", MALFORMED),
        (kept.shed_count, "row(s) did not fit in memory. They wait for a run without shed in", SHED),
    ):
        for batch in batches:
            if number := count(batch):
                _LOG.warning("%s %s %s/%s=%s/%s", f"{number:,}", what, folder, BATCH, batch, inside)
