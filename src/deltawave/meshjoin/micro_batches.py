"""The sink of :func:`deltawave.meshjoin.stream_join`: it joins each micro-batch of a stream once."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from deltawave.differencing.in_place import quoted
from deltawave.meshjoin.batch_folders import BATCH, BatchFolders
from deltawave.meshjoin.batch_metrics import TaskTotals, totals
from deltawave.meshjoin.conditions import Condition, Equal
from deltawave.meshjoin.mesh_join import counted_join, mesh_join, shedding_join
from deltawave.meshjoin.shed_tasks import demand_priority
from deltawave.meshjoin.stored_relation import StoredRelation
from deltawave.resources import releasing

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
        empty = mesh_join(nothing, self._asked(), **options)
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
        with releasing(counted_join(rows, self._asked(), totals=self._totals, **self._options)) as found:
            found = with_probability(found, self._probability, 1.0)
            self._folders.demand(columns_of(found))
            self._folders.write(found, batch, unfit=unfit, metrics=metrics)

    def join_shed(self) -> None:
        """Join the rows that former micro-batches have shed: the later, exact pass (MJ08 4)."""
        shed = self._folders.shed(self._schema)
        if shed is None:
            return
        metrics = self._measured(shed.number)
        with releasing(counted_join(shed.rows, self._asked(), totals=self._totals, **self._options)) as found:
            # They are in no sample: a sum of values that are divided by the probability leaves them out.
            found = with_probability(found, self._probability, None)
            self._folders.demand(columns_of(found))
            self._folders.write_later(found, shed, metrics)

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
