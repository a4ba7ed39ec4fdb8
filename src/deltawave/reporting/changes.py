"""Rows of a change log as plain values."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Literal, get_args

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType

from deltawave.reporting.spark_texts import as_text
from deltawave.sql_text import quoted

ChangeType = Literal["insert", "update", "delete"]
CHANGE_TYPES: tuple[ChangeType, ...] = get_args(ChangeType)
# What stands for a value that the log does not have.
UNKNOWN = "(not recorded)"
# The log's own columns.
_OWN = ("_change_type", "_changed_columns", "_before", "_batch_id", "_batch_at")
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True)
class Change:
    """A row of a change log. Values are texts of at most 1,000 characters; ``None`` is null.

    - ``at``: the time of the batch, in UTC
    - ``row``: the values after the change, of a delete the last ones
    - ``changed``: the changed columns of an update, if the log records them; empty for a backfill, which only adds the
      values of a new column
    - ``before``: the values before an update, without the key, if the log has them
    """

    batch: int
    at: datetime
    kind: ChangeType
    row: Mapping[str, str | None]
    changed: tuple[str, ...] | None = None
    before: Mapping[str, str | None] | None = None

    @property
    def is_backfill(self) -> bool:
        return self.kind == "update" and self.changed == ()

    def values(self, keys: Collection[str]) -> dict[str, str | None]:
        """The row's values, without those of ``keys``, which are in lower case."""
        return {name: value for name, value in self.row.items() if name.lower() not in keys}

    def is_unrecorded(self, keys: Collection[str]) -> bool:
        """Whether the log does not have the values of a deleted row: then all are null."""
        values = self.values(keys).values()
        return self.kind == "delete" and bool(values) and all(value is None for value in values)


def data_fields(log: DataFrame) -> list[StructField]:
    """The fields of the table whose changes are logged."""
    return [field for field in log.schema.fields if field.name.lower() not in _OWN]


def before_fields(log: DataFrame) -> list[StructField]:
    """The fields that have before images; none where the log has no before images."""
    kind = log.schema["_before"].dataType
    return kind.fields if isinstance(kind, StructType) else []


def is_update() -> Column:
    """Whether a row of a log is an update of a compared column, or of unknown columns."""
    return (F.col("_change_type") == "update") & ~F.coalesce(F.size("_changed_columns") == 0, F.lit(False))


def is_recorded(log: DataFrame, key: Sequence[str]) -> Column:
    """Whether a row of a log has the table's values: a delete may have those of the key only."""
    keys = {name.lower() for name in key}
    others = [field.name for field in data_fields(log) if field.name.lower() not in keys]
    if not others:
        return F.lit(True)
    # As an array, since conditions of hundreds of columns would be nested as deeply.
    has_value = F.array_contains(F.array(*(F.col(quoted(name)).isNotNull() for name in others)), True)
    return (F.col("_change_type") != "delete") | has_value


def as_texts(fields: Iterable[StructField], *struct: str) -> Column:
    """The values of columns, or of fields of a ``struct``, as an array of texts."""
    return F.array(*(as_text(F.col(quoted(*struct, field.name)), field.dataType) for field in fields))


def collected(rows: DataFrame) -> list[Change]:
    """The rows of a log, or of a part of it, in their order."""
    fields, of_before = data_fields(rows), before_fields(rows)
    chosen = rows.select(
        F.col("_batch_id").cast("bigint").alias("batch"),
        F.unix_micros(F.col("_batch_at").cast("timestamp")).alias("at"),
        F.col("_change_type").alias("kind"),
        as_texts(fields).alias("row"),
        F.col("_changed_columns").cast("array<string>").alias("changed"),
        F.when(F.col("_before").isNotNull(), as_texts(of_before, "_before").cast("array<string>")).alias("before"),
    )
    names, names_before = [field.name for field in fields], [field.name for field in of_before]
    return [
        Change(
            row["batch"],
            instant(row["at"]),
            row["kind"],
            dict(zip(names, row["row"], strict=True)),
            None if row["changed"] is None else tuple(row["changed"]),
            None if row["before"] is None else dict(zip(names_before, row["before"], strict=True)),
        )
        for row in chosen.collect()
    ]


def instant(micros: int) -> datetime:
    """The time so many microseconds after 1970, in UTC."""
    return _EPOCH + timedelta(microseconds=micros)


def times(moments: Iterable[datetime]) -> list[str]:
    """Times in UTC as texts: days, or minutes where one of them does not begin a day."""
    listed = list(moments)
    is_daily = all(moment == moment.replace(hour=0, minute=0, second=0, microsecond=0) for moment in listed)
    return [moment.strftime("%Y-%m-%d" if is_daily else "%Y-%m-%d %H:%M") for moment in listed]


def key_of(change: Change, key: Sequence[str]) -> tuple[str | None, ...]:
    """The values of the key, whatever the case of its names."""
    return tuple(value_in(change.row, name) for name in key)


def value_in(row: Mapping[str, str | None] | None, name: str) -> str | None:
    """A column's value, whatever the case of its name; null where it is missing."""
    values = row or {}
    if name in values:
        return values[name]
    return next((value for each, value in values.items() if each.lower() == name.lower()), None)
