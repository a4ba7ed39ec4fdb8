"""A stream that is joined run by run, such as by ``dbt run``: each run joins the newly arrived rows."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

from pyspark.sql import DataFrame
from pyspark.sql.types import LongType, StructField, StructType

from deltawave.meshjoin.batch_folders import BATCH, SHED, UNFIT, BatchFolders
from deltawave.meshjoin.beside_tables import beside_tables
from deltawave.meshjoin.conditions import Condition
from deltawave.meshjoin.kafka_fault import past_kafka_fault
from deltawave.meshjoin.mesh_join import mesh_join
from deltawave.meshjoin.micro_batches import (
    columns_of,
    demand_free,
    demand_no_batch,
    with_probability,
    without_unfit,
)
from deltawave.meshjoin.missing_results import TableResults, require_comparable
from deltawave.meshjoin.settled import Settled
from deltawave.meshjoin.shed_tasks import demand_priority
from deltawave.meshjoin.stored_relation import StoredRelation
from deltawave.meshjoin.stream_join import demand_stream, stream_join
from deltawave.model_runs import after_append, is_empty_run

_LOG = logging.getLogger(__name__)


def join_arriving(
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
    unfit: str | None = None,
    probability: str | None = None,
) -> DataFrame:
    """Join the rows of a stream that arrived since the last run, and return the results that ``done`` lacks.

    The results and the stream's checkpoint are kept in a folder of this ``name`` beside the session's tables
    (:func:`deltawave.meshjoin.stream_join`). So each result is returned until it is in ``done``, and not again, even if
    a run is killed before the stream ends, after that, or while it appends to the table, which may then have half.
    A micro-batch that was found in the table is neither read nor compared again.

    - ``name``: one for each table, such as ``str(dbt.this)``
    - ``done``: what the table has; none to begin anew, which sets aside what is kept. That stays until a run begins
      anew after another one has found results of this stream in the table
    - ``where``: a condition in SQL over the columns of the results: others are not returned
    - others: those of ``stream_join``

    Under ``dbt run --empty``, and for a frame without rows, which is no stream, nothing is table.

    A model may leave out returned rows, and add columns; ``done`` has to have the others unchanged. What a model leaves
    out is not returned again once its other rows were appended: dbt-deltawave reports that, elsewhere call
    :func:`deltawave.model_runs.results_appended`.

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
    marking: dict[str, Any] = {"shed": shed, "unfit": unfit, "probability": probability}
    # What is wrong is said before anything is set aside.
    rows = without_unfit(stream.schema, unfit)
    if shed is not None:
        demand_priority(shed, condition, probability)
    empty = mesh_join(session.createDataFrame([], rows), relation, **joining)
    demand_no_batch(empty, rows)
    demand_free(empty, probability)
    empty = with_probability(empty, probability, None)
    require_comparable(empty)
    schema = StructType([*empty.schema, StructField(BATCH, LongType())])
    nothing = session.createDataFrame([], schema)
    if where is not None:
        nothing.where(where)
    if is_empty_run() or (not stream.isStreaming and stream.isEmpty()):
        return nothing
    demand_stream(stream, how)
    if done is None:
        kept.set_aside()
    elif kept.has_begun:
        kept.demand(columns_of(empty))
    table = TableResults(nothing if done is None else done, kept, schema, name, folder, where)
    if table.has_some:
        kept.confirm()
    if table.is_new:
        kept.settle(table.settled.text())

    def joined() -> None:
        query = stream_join(stream, relation, folder, available_now=True, **marking, **joining)
        try:
            query.awaitTermination()
        finally:
            query.stop()

    past_kafka_fault(joined)
    missing, had = table.missing()
    if had:
        _follow(kept, replace(table.settled, run=uuid4().hex, before=had, where=where, is_appended=False))
        _report(kept, table.new(), folder)
    return missing


def _follow(kept: BatchFolders, returned: Settled) -> None:
    """Note what is returned, and later that the model's rows were appended."""
    kept.settle(returned.text())

    def appended() -> None:
        is_alone = Settled.of(kept.settled()) == returned
        # Another run may have appended the same: the next one compares everything.
        kept.settle((replace(returned, is_appended=True) if is_alone else Settled()).text())

    after_append(appended)


def _report(kept: BatchFolders, batches: Iterable[int], folder: str) -> None:
    """Warn of rows and messages of new micro-batches that are in no result."""
    for count, what, inside in (
        (kept.unfit_count, "message(s) are no rows. They were kept aside, as JSON in", UNFIT),
        (kept.shed_count, "row(s) did not fit in memory. They wait for a run without shed in", SHED),
    ):
        for batch in batches:
            if number := count(batch):
                _LOG.warning("%s %s %s/%s=%s/%s", f"{number:,}", what, folder, BATCH, batch, inside)
