"""The options of a mesh join on Spark, checked once and passed on as one object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from deltawave.meshjoin.conditions import Condition, Equal
from deltawave.meshjoin.operator import KINDS
from deltawave.meshjoin.shedding import INCLUSION, PRIORITIES

Columns = str | Sequence[str] | Mapping[str, str]


@dataclass(frozen=True)
class JoinOptions:
    """How a stream is joined with a relation: the arguments of ``mesh_join`` and ``stream_join``.

    Raises ``ValueError`` if ``on`` and ``condition`` are both given or both missing, for another ``how``, for a
    priority that does not exist or does not suit the condition, and for a ``probability`` that no priority gives.
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
        if self.shed is not None:
            self._check_priority(self.shed)
        if (self.on is None) == (self.condition is None):
            raise ValueError("A mesh join needs either `on` or `condition`.")
        if self.how not in KINDS:
            raise ValueError(f"There is no mesh join {self.how!r}: {', '.join(KINDS)}.")

    def _check_priority(self, name: str) -> None:
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
