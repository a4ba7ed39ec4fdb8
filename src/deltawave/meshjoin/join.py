"""MESHJOIN on Spark: tasks join the rows of a frame with a stored relation (MJ08 3).

For equal keys the frame is split like the relation, and each task joins its share. For other conditions each task joins
all rows with its part of the pages: a row is unmatched if no task has matched it. A frame is finite, like a
micro-batch, and is joined in full cycles over the relation: no row waits for the next frame.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import BooleanType, DoubleType, StructField, StructType

from deltawave.meshjoin.batches import by_part, map_in_arrow
from deltawave.meshjoin.conditions import Condition, Equal
from deltawave.meshjoin.operator import MeshJoin
from deltawave.meshjoin.relation import PageFile, Relation
from deltawave.meshjoin.shedding import INCLUSION, PRIORITIES, shedding
from deltawave.meshjoin.stored_relation import StoredRelation, part_of
from deltawave.meshjoin.stream import Counts
from deltawave.meshjoin.stream_metrics import Totals, of_task
from deltawave.resources import holding, persisted
from deltawave.rows.batches import Batches
from deltawave.rows.in_place import nullable_schema
from deltawave.spark_versions import repartition_by_id
from deltawave.sql_text import unused_prefix

Columns = str | Sequence[str] | Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class JoinOptions:
    """How a stream is joined with a relation: the arguments of ``mesh_join`` and ``stream_join``.

    Raises ``ValueError`` if ``on`` and ``condition`` are both given or both missing, for a priority that does not exist
    or does not suit the condition, and for a ``probability`` that no priority gives.
    """

    on: Columns | None = None
    condition: Condition | None = None
    how: str = "inner"
    memory_bytes: int = 64 << 20
    direct: bool = False
    shed: str | None = None
    malformed: str | None = None
    probability: str | None = None

    def __post_init__(self) -> None:
        if (self.on is None) == (self.condition is None):
            raise ValueError("A mesh join needs either `on` or `condition`.")
        if (name := self.shed) is None:
            return
        if name not in PRIORITIES:
            raise ValueError(f"There is no priority {name!r} to shed by: {', '.join(PRIORITIES)}.")
        if self.condition is not None:
            raise ValueError(
                "A stream sheds by equal keys only (on): under another condition every task sees all rows."
            )
        if self.probability is not None and name not in INCLUSION:
            raise ValueError(
                f"{name} keeps rows by rule, not by chance, so that they have no probability ({self.probability}): "
                f"shed by {' or '.join(INCLUSION)}, or leave it out."
            )

    @property
    def compared(self) -> Condition:
        """The condition; that of ``on`` is equality."""
        return self.condition if self.condition is not None else Equal.on(self.on or ())

    def rows_schema(self, stream: StructType) -> StructType:
        """The columns of a stream's rows. Raises ``ValueError`` if the stream has no column ``malformed``."""
        if self.malformed is not None and self.malformed not in stream.names:
            raise ValueError(f"The stream has no column {self.malformed}; it has {', '.join(stream.names)}.")
        return StructType([field for field in stream.fields if field.name != self.malformed])

    def with_probability(self, results: DataFrame, probability: float | None) -> DataFrame:
        """Results with the same probability in all rows, if that is wanted."""
        name = self.probability
        return results if name is None else results.withColumn(name, F.lit(probability).cast("double"))


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
    - ``condition``: another condition (``Between``, ``Near``, ``Where``); the relation has to be stored without a key
    - ``how``: ``inner``; ``left``, also unmatched rows of the stream; ``left_semi`` and ``left_anti``, rows of the
      stream with or without a match, each once (duplicates; new rows); ``right_anti``, unmatched rows of the relation
      (deleted ones)
    - ``where``: a further condition for a pair of an inner join, in SQL over the result's columns
    - ``memory_bytes``: memory of a task for pages, rows and hash table (equation 1)
    - ``direct``: read the relation past the operating system's cache

    As in SQL, null matches nothing. Raises ``ValueError`` for columns that are missing or of other types, for a
    relation that is split by another key, and if the memory is too small for a page and a row.
    """
    if where is not None and how != "inner":
        raise ValueError(f"A mesh join takes `where` with how='inner' only, not with {how!r}: filter its result.")
    options = JoinOptions(on=on, condition=condition, how=how, memory_bytes=memory_bytes, direct=direct)
    found = joined(stream, relation, options)
    return found if where is None else found.where(where)


def joined(
    stream: DataFrame, relation: StoredRelation, options: JoinOptions, totals: Totals | None = None
) -> DataFrame:
    """:func:`mesh_join`; its tasks add their figures to ``totals`` when the result is read.

    With ``options.shed`` each task joins one window of rows, which is chosen by this priority. The result also has the
    shed rows: its last column marks them.
    """
    mesh = _Mesh.of(stream.schema, relation, options, totals)
    if not mesh.is_split:
        return _by_rows(stream, mesh)
    # Each row is joined with the part of its key.
    return mesh.over(stream, part_of(options.compared.stream_columns, relation.parts), list(range(relation.parts)))


@dataclass(frozen=True)
class _Mesh:
    """The tasks' work on a stream of these columns."""

    stream: StructType
    stored: StoredRelation
    options: JoinOptions
    totals: Totals | None

    @classmethod
    def of(cls, stream: StructType, relation: StoredRelation, options: JoinOptions, totals: Totals | None) -> "_Mesh":
        """The work on a stream. Raises ``ValueError`` for what can't be joined, before Spark starts."""
        mesh, wanted = cls(stream, relation, options, totals), tuple(options.compared.relation_columns)
        if mesh.is_split and wanted != relation.key:
            split = f"by {', '.join(relation.key)}" if relation.key else "by rows"
            raise ValueError(f"The relation is stored {split}: store it with key={list(wanted)!r}.")
        if not mesh.is_split and relation.key:
            raise ValueError("The relation is stored by a key: for this condition store it without one.")
        join = mesh.empty_join
        types = pa.types
        fixed = [kind for kind in join.stream_schema.types if types.is_primitive(kind) or types.is_decimal(kind)]
        for part in relation.files:
            with mesh._opened(part) as pages:
                # The memory has to suffice for a page and the narrowest row.
                replace(join, relation=pages).capacity(max(1, sum(kind.bit_width for kind in fixed) // 8))
        return mesh

    @property
    def is_split(self) -> bool:
        """Whether each row of the stream is joined with one part: that of its key."""
        return isinstance(self.options.compared, Equal)

    @property
    def empty_join(self) -> MeshJoin:
        """The join of a part without rows."""
        how = self.options.how
        if not self.is_split and how in ("left", "left_semi", "left_anti"):
            # No part knows whether a row has a match in another one.
            how = "inner"
        relation, rows = Relation(nullable_schema(self.stored.schema)), nullable_schema(self.stream)
        return MeshJoin(relation, self.options.compared, rows, how, self.options.memory_bytes)

    @property
    def result(self) -> StructType:
        types = {field.name: field.dataType for field in (*self.stored.schema.fields, *self.stream.fields)}
        result = StructType([StructField(name, types[name]) for name in self.empty_join.schema.names])
        if self.options.shed is None:
            return result
        if self.options.probability is not None:
            result = result.add(self.options.probability, DoubleType())
        return result.add(unused_prefix("is_shed_", result.names), BooleanType())

    def over(self, stream: DataFrame, part: Column, parts: list[int]) -> DataFrame:
        """The result over a frame; ``part``: which of the relation's ``parts`` a row is joined with."""
        is_row, placed = (unused_prefix(prefix, stream.columns) for prefix in ("is_row_", "part_"))
        rows = stream.select("*", F.lit(True).alias(is_row), part.alias(placed))
        if self.options.how == "right_anti":
            # A row of nulls for each part: parts that get no row of the stream have to be read as well.
            nothing = [F.lit(None).cast(field.dataType).alias(field.name) for field in stream.schema.fields]
            every = F.explode(F.array(*map(F.lit, parts))).alias(placed)
            rows = rows.unionByName(stream.sparkSession.range(1).select(*nothing, F.lit(False).alias(is_row), every))
        result, empty_join = self.result, self.empty_join
        arrow_schema = to_arrow_schema(result)

        def mesh(batches: Batches) -> Batches:
            # Arrow's own pool keeps freed memory, up to twice what is granted.
            pa.set_memory_pool(pa.system_memory_pool())
            for number, own in by_part(batches):
                with self._opened(number) as pages:
                    join, counts = replace(empty_join, relation=pages), Counts()
                    rows = (batch.filter(batch.column(is_row)).drop_columns([is_row]) for batch in own)
                    tuples = (batch.cast(join.stream_schema) for batch in rows)
                    if (shed := self.options.shed) is None:
                        yield from (found.cast(arrow_schema) for found in join.run(tuples, counts=counts))
                    else:
                        file = self.stored.files.get(number)
                        yield from shedding(join, tuples, shed, file, arrow_schema, counts)
                    if self.totals is not None:
                        self.totals.add(of_task(counts, pages.pages))

        return map_in_arrow(repartition_by_id(rows, max(parts) + 1, placed), mesh, result)

    def _opened(self, part: int) -> AbstractContextManager[Relation]:
        if (path := self.stored.files.get(part)) is None:
            return nullcontext(Relation(nullable_schema(self.stored.schema)))
        return PageFile(path, self.options.direct)


def _by_rows(stream: DataFrame, mesh: _Mesh) -> DataFrame:
    """Each part of the relation is joined with all rows; which rows have no match is known when all parts are done."""
    how = mesh.options.how
    number = unused_prefix("number_", [*stream.columns, *mesh.stored.schema.names])
    parts = sorted(mesh.stored.files) or [0]
    numbered = persisted(stream.withColumn(number, F.monotonically_increasing_id()))
    found = replace(mesh, stream=numbered.schema).over(numbered, F.explode(F.array(*map(F.lit, parts))), parts)
    if how == "right_anti":
        return found
    if how == "inner":
        return found.drop(number)
    found = persisted(found)
    kind = "left_semi" if how == "left_semi" else "left_anti"
    rows = holding(numbered.join(found.select(number).distinct(), number, kind), found)
    if how == "left":
        rows = found.unionByName(rows, allowMissingColumns=True)
    return rows.drop(number)
