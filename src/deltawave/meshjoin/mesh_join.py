"""MESHJOIN on Spark: tasks join the rows of a frame with a stored relation (MJ08 3).

For equal keys the frame is split like the relation, and each task joins its share. For other conditions each task joins
all rows with its part of the pages: a row is unmatched if no task has matched it. A frame is finite, like a
micro-batch, and is joined in full cycles over the relation: no row waits for the next frame.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import BooleanType, DoubleType, StructField, StructType

from deltawave.differencing.compression import free_prefix
from deltawave.differencing.in_place import Batches
from deltawave.differencing.stored_rows import nullable_schema
from deltawave.meshjoin.batch_metrics import TaskTotals, Totals
from deltawave.meshjoin.conditions import Condition, Equal
from deltawave.meshjoin.named_batches import map_in_arrow
from deltawave.meshjoin.one_pass import Counts
from deltawave.meshjoin.operator import KINDS, MeshJoin
from deltawave.meshjoin.parts import by_part
from deltawave.meshjoin.relation import EmptyRelation, PageFile, Relation
from deltawave.meshjoin.shed_tasks import shedding
from deltawave.meshjoin.sizes import has_one_width
from deltawave.meshjoin.stored_relation import StoredRelation, part_of
from deltawave.resources import holding, persisted


def mesh_join(
    stream: DataFrame,
    relation: StoredRelation,
    *,
    on: str | Sequence[str] | Mapping[str, str] | None = None,
    condition: Condition | None = None,
    how: str = "inner",
    where: str | None = None,
    memory_bytes: int = 64 << 20,
    direct: bool = False,
) -> DataFrame:
    """Return the joined rows.

    The columns of ``stream``, then those of the relation, without an equal key of the same name.

    - ``on``: columns of equal values: names, or a mapping of the stream's to the relation's
    - ``condition``: another condition (:mod:`deltawave.meshjoin.theta`); the relation has to be stored without a key
    - ``how``: ``inner``; ``left``, also unmatched rows of the stream; ``left_semi`` and ``left_anti``, rows of the
      stream with or without a match, each once (duplicates; new rows); ``right_anti``, unmatched rows of the relation
      (deleted ones)
    - ``where``: a further condition for a pair of an inner join, in SQL over the result's columns
    - ``memory_bytes``: memory of a task for pages, rows and hash table (equation 1)
    - ``direct``: read the relation past the operating system's cache

    As in SQL, null meets nothing. Raises ``ValueError`` for columns that are missing or of other types, for a relation
    that is split by another key, and if the memory is too small for a page and a row.
    """
    if where is not None and how != "inner":
        raise ValueError(f"A mesh join takes `where` with how='inner' only, not with {how!r}: filter its result.")
    found = counted_join(
        stream, relation, on=on, condition=condition, how=how, memory_bytes=memory_bytes, direct=direct
    )
    return found if where is None else found.where(where)


def counted_join(
    stream: DataFrame,
    relation: StoredRelation,
    *,
    on: str | Sequence[str] | Mapping[str, str] | None,
    condition: Condition | None,
    how: str,
    memory_bytes: int,
    direct: bool,
    totals: Totals | None = None,
) -> DataFrame:
    """:func:`mesh_join`, whose tasks add their figures to ``totals`` when the result is read."""
    mesh = replace(_mesh_of(relation, on, condition, how, memory_bytes, direct), totals=totals)
    # Errors are raised before Spark starts.
    mesh.join(stream.schema, how)
    mesh.demand_memory(stream.schema)
    is_split = isinstance(mesh.condition, Equal)
    return _by_key(stream, relation.parts, mesh) if is_split else _by_rows(stream, mesh, how)


def shedding_join(
    stream: DataFrame,
    relation: StoredRelation,
    *,
    on: str | Sequence[str] | Mapping[str, str] | None,
    how: str,
    memory_bytes: int,
    direct: bool,
    priority: str,
    probability: str | None = None,
    totals: Totals | None = None,
) -> tuple[DataFrame, str]:
    """Join one window of rows in each task. Return results and shed rows, and the column that marks shed rows.

    - ``priority``: how the window is chosen (:data:`deltawave.meshjoin.shedding.PRIORITIES`)
    - ``probability``: a column for the probability with which the tuple of a result was kept
    - ``totals``: to which the tasks add their figures
    - others, and errors: as for :func:`mesh_join`
    """
    mesh = _mesh_of(relation, on, None, how, memory_bytes, direct)
    mesh = replace(mesh, shed=priority, probability=probability, totals=totals)
    mesh.join(stream.schema, how)
    mesh.demand_memory(stream.schema)
    return _by_key(stream, relation.parts, mesh), mesh.told_shed(stream.schema)


def _mesh_of(
    relation: StoredRelation,
    on: str | Sequence[str] | Mapping[str, str] | None,
    condition: Condition | None,
    how: str,
    memory_bytes: int,
    direct: bool,
) -> _Mesh:
    if (on is None) == (condition is None):
        raise ValueError("A mesh join needs either `on` or `condition`.")
    if how not in KINDS:
        raise ValueError(f"There is no mesh join {how!r}: {', '.join(KINDS)}.")
    wanted = condition if condition is not None else Equal.on(on or ())
    is_split = isinstance(wanted, Equal)
    if is_split and tuple(wanted.relation_columns) != relation.key:
        split = f"by {', '.join(relation.key)}" if relation.key else "by rows"
        raise ValueError(f"The relation is stored {split}: store it with key={list(wanted.relation_columns)!r}.")
    if not is_split and relation.key:
        raise ValueError("The relation is stored by a key: for this condition store it without one.")
    return _Mesh(
        dict(relation.files),
        nullable_schema(relation.schema),
        relation.schema,
        wanted,
        how if is_split or how == "right_anti" else "inner",
        memory_bytes,
        direct,
    )


@dataclass(frozen=True)
class _Mesh:
    """The tasks' work on the rows of each part.

    ``shed``: the priority by which they shed, if they do; ``probability``: the column for that of being kept.
    """

    files: dict[int, str]
    relation: pa.Schema
    relation_types: StructType
    condition: Condition
    how: str
    memory_bytes: int
    direct: bool
    shed: str | None = None
    probability: str | None = None
    totals: Totals | None = None

    def join(self, stream: StructType, how: str | None = None, pages: Relation | None = None) -> MeshJoin:
        """The join of one part. Raises ``ValueError`` for columns that do not fit."""
        return MeshJoin(
            pages or EmptyRelation(self.relation),
            self.condition,
            nullable_schema(stream),
            how or self.how,
            self.memory_bytes,
        )

    def demand_memory(self, stream: StructType) -> None:
        """Raise ``ValueError`` if the memory is too small for a page of some part and the narrowest row."""
        for part in self.files:
            with self._opened(part) as pages:
                join = self.join(stream, pages=pages)
                widths = [field.type.bit_width for field in join.stream_schema if has_one_width(field.type)]
                join.capacity(max(1, sum(widths) // 8))

    def result(self, stream: StructType) -> StructType:
        """The columns of the result, in Spark's types."""
        types = {field.name: field.dataType for field in (*self.relation_types.fields, *stream.fields)}
        result = StructType([StructField(name, types[name]) for name in self.join(stream).schema.names])
        if self.probability is not None:
            result = result.add(self.probability, DoubleType())
        return result if self.shed is None else result.add(self.told_shed(stream), BooleanType())

    def told_shed(self, stream: StructType) -> str:
        """The column of the result that marks shed rows."""
        return free_prefix("is_shed_", [*stream.names, *self.relation.names, self.probability or ""])

    def over(self, stream: DataFrame, part: Column, parts: list[int]) -> DataFrame:
        """The result over a frame; ``part``: which of the relation's ``parts`` a row meets."""
        is_row, placed = (free_prefix(prefix, stream.columns) for prefix in ("is_row_", "part_"))
        rows = stream.select("*", F.lit(True).alias(is_row), part.alias(placed))
        if self.how == "right_anti":
            # A part that no row meets is read as well.
            nothing = [F.lit(None).cast(field.dataType).alias(field.name) for field in stream.schema.fields]
            every = F.explode(F.array(*map(F.lit, parts))).alias(placed)
            rows = rows.unionByName(stream.sparkSession.range(1).select(*nothing, F.lit(False).alias(is_row), every))
        result = self.result(stream.schema)
        told, types = to_arrow_schema(result), stream.schema

        def mesh(batches: Batches) -> Batches:
            # Arrow's own pool keeps freed memory, up to twice what is granted.
            pa.set_memory_pool(pa.system_memory_pool())
            for number, own in by_part(batches):
                with self._opened(number) as pages:
                    join, counts = self.join(types, pages=pages), Counts()
                    arrived = (batch.filter(batch.column(is_row)).drop_columns([is_row]) for batch in own)
                    tuples = (batch.cast(join.stream_schema) for batch in arrived)
                    if self.shed is None:
                        yield from (found.cast(told) for found in join.run(tuples, counts=counts))
                    else:
                        file, has_probability = self.files.get(number), self.probability is not None
                        yield from shedding(join, tuples, self.shed, file, told, has_probability, counts)
                    if self.totals is not None:
                        self.totals.add(TaskTotals.of_task(counts, pages.pages))

        return map_in_arrow(rows.repartitionById(max(parts) + 1, placed).sortWithinPartitions(placed), mesh, result)

    @contextmanager
    def _opened(self, part: int) -> Iterator[Relation]:
        path = self.files.get(part)
        if path is None:
            yield EmptyRelation(self.relation)
        else:
            with PageFile(path, self.direct) as pages:
                yield pages


def _by_key(stream: DataFrame, parts: int, mesh: _Mesh) -> DataFrame:
    return mesh.over(stream, part_of(mesh.condition.stream_columns, parts), list(range(parts)))


def _by_rows(stream: DataFrame, mesh: _Mesh, how: str) -> DataFrame:
    """Each part of the relation meets all rows; which rows have no match is known when all parts are done."""
    number = free_prefix("number_", [*stream.columns, *mesh.relation.names])
    parts = sorted(mesh.files) or [0]
    numbered = persisted(stream.withColumn(number, F.monotonically_increasing_id()))
    found = mesh.over(numbered, F.explode(F.array(*map(F.lit, parts))), parts)
    if how == "right_anti":
        return found
    if how == "inner":
        return found.drop(number)
    found = persisted(found)
    met = holding(numbered.join(found.select(number).distinct(), number, "left_semi"), found)
    if how == "left_semi":
        return met.drop(number)
    unmet = holding(numbered.join(found.select(number).distinct(), number, "left_anti"), found)
    if how == "left_anti":
        return unmet.drop(number)
    return found.unionByName(unmet, allowMissingColumns=True).drop(number)
