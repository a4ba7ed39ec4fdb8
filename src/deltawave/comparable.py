"""Values as they are compared, by their types, and the description of two snapshots' columns."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from deltawave.spark_versions import CALENDAR_INTERVALS, VARIANTS
from deltawave.sql_text import literal, quoted


def comparable(name: str, kind: T.DataType) -> str:
    """The expression for a column: itself, unless Spark cannot compare its type by content."""
    return comparable_part(quoted(name), kind)


def comparable_part(value: str, kind: T.DataType) -> str:
    """The same for an expression of that type."""
    if isinstance(kind, T.ArrayType):
        element = comparable_part("element", kind.elementType)
        return value if element == "element" else f"transform({value}, element -> {element})"
    if isinstance(kind, T.MapType):
        entries = f"map_entries({value})"
        key, of_key = comparable_part("entry.key", kind.keyType), comparable_part("entry.value", kind.valueType)
        if (key, of_key) != ("entry.key", "entry.value"):
            entries = f"transform({entries}, entry -> named_struct('key', {key}, 'value', {of_key}))"
        return f"sort_array({entries})"
    if isinstance(kind, T.StructType):
        fields = {field.name: f"{value}.{quoted(field.name)}" for field in kind.fields}
        parts = {field.name: comparable_part(fields[field.name], field.dataType) for field in kind.fields}
        if parts == fields:
            return value
        pairs = ", ".join(f"{literal(name)}, {part}" for name, part in parts.items())
        return f"if(isnull({value}), null, named_struct({pairs}))"
    if isinstance(kind, VARIANTS):
        return f"concat(schema_of_variant({value}), ' ', to_json({value}, map('timeZone', 'UTC')))"
    # Spark does not hand intervals of months to Python, and does not compare calendar intervals.
    if isinstance(kind, T.YearMonthIntervalType):
        return f"cast(cast({value} as interval year to month) as string)"
    if isinstance(kind, CALENDAR_INTERVALS):
        return f"cast({value} as string)"
    if isinstance(kind, T.StringType) and "collate" in kind.simpleString():
        return f"collate({value}, 'UTF8_BINARY')"
    return value


def contained_types(kind: T.DataType) -> Iterator[T.DataType]:
    """A type, and those of its fields, elements, keys and values, at any depth."""
    yield kind
    if isinstance(kind, T.StructType):
        parts = [field.dataType for field in kind.fields]
    else:
        parts = [getattr(kind, name) for name in ("elementType", "keyType", "valueType") if hasattr(kind, name)]
    for part in parts:
        yield from contained_types(part)


_RESERVED = {"change_type", "changed_columns", "was_kept", "is_there"}
_INNER = ("__old_", "__new_", "__cell_", "__compared_")


def described_columns(
    old: DataFrame,
    new: DataFrame,
    unique_key: Sequence[str],
    ignore_columns: Collection[str],
    tolerance: Mapping[str, float],
) -> list[dict[str, Any]]:
    """Describe the columns, those of the new snapshot first. Raises ``ValueError`` for columns that do not fit."""
    in_old, in_new = (_snapshot_fields(side, frame) for side, frame in (("old snapshot", old), ("new snapshot", new)))
    key = {name.lower() for name in unique_key}
    carried = {name.lower() for name in ignore_columns}
    tolerances = {name.lower(): value for name, value in tolerance.items()}
    if not key:
        raise ValueError("unique_key names no column.")
    for name in unique_key:
        for side, known in (("old", in_old), ("new", in_new)):
            if name.lower() not in known:
                raise ValueError(f"The {side} snapshot has no column {name}, which is in unique_key.")
    for name in (*ignore_columns, *tolerance):
        if name.lower() not in in_new and name.lower() not in in_old:
            raise ValueError(f"No snapshot has a column {name}.")
    columns = []
    for name in dict.fromkeys([*in_new, *in_old]):
        fields = [side[name] for side in (in_new, in_old) if name in side]
        _check_field(fields, name in key, name in tolerances)
        is_compared = len(fields) == 2 and name not in key and name not in carried
        columns.append(
            {
                "name": fields[0].name,
                "data_type": fields[0].dataType,
                "is_key": name in key,
                "in_old": name in in_old,
                "in_new": name in in_new,
                "is_compared": is_compared,
                "tolerance": tolerances.get(name),
                "comparable": comparable(fields[0].name, fields[0].dataType) if is_compared else None,
            }
        )
    return columns


def repeated_keys(frame: DataFrame, key: Sequence[str]) -> DataFrame:
    """The keys of several rows, as k0, k1, ..., and the number of their ``rows``."""
    keys = frame.select(*(F.col(quoted(name)).alias(f"k{number}") for number, name in enumerate(key)))
    return keys.groupBy(*keys.columns).agg(F.count(F.lit(1)).alias("rows")).where("rows > 1")


def refuse_repeated_keys(sides: Mapping[str, tuple[DataFrame, Sequence[str]]]) -> None:
    """Read the keys of frames, by their names in messages, in one job; raise ``ValueError`` if one is repeated."""
    found = []
    for side, (frame, key) in sides.items():
        examples = repeated_keys(frame, key).drop("rows").limit(3)
        # As texts: Python has no interval of months.
        found.append(examples.select(F.lit(side), *(F.col(name).cast("string") for name in examples.columns)))
    repeated = sorted((side, ", ".join(map(str, texts))) for side, *texts in reduce(DataFrame.union, found).collect())
    for side, (_, key) in sides.items():
        if shown := ", ".join(f"({text})" for name, text in repeated if name == side):
            raise ValueError(f"Several rows of the {side} have the same key ({', '.join(key)}): {shown}")


def fields_of(side: str, frame: DataFrame) -> dict[str, T.StructField]:
    """A frame's fields by their names as Spark compares them. Raises ``ValueError`` for a duplicate name."""
    fields: dict[str, T.StructField] = {}
    for field in frame.schema.fields:
        name = field.name.lower()
        if name in fields:
            raise ValueError(f"The {side} has several columns {field.name}: Spark takes {name} for one name.")
        fields[name] = field
    return fields


def can_be_key(kind: T.DataType) -> bool:
    """Whether Spark finds equal values of this type."""
    return not any(isinstance(part, (T.MapType, *VARIANTS, *CALENDAR_INTERVALS)) for part in contained_types(kind))


def _snapshot_fields(side: str, frame: DataFrame) -> dict[str, T.StructField]:
    fields = fields_of(side, frame)
    for name, field in fields.items():
        if name in _RESERVED or name.startswith("before__"):
            raise ValueError(f"The {side} has a column {field.name}: the result has one of that name.")
        if name.startswith(_INNER):
            raise ValueError(f"The {side} has a column {field.name}: names that begin so are the comparison's own.")
    return fields


def _check_field(fields: Sequence[T.StructField], is_key: bool, has_tolerance: bool) -> None:
    name, kind = fields[0].name, fields[0].dataType
    types = [field.dataType.simpleString() for field in fields]
    if len(set(types)) > 1:
        raise ValueError(f"The column {name} is {types[1]} in the old snapshot, {types[0]} in the new one.")
    if is_key and not can_be_key(kind):
        raise ValueError(f"The column {name} is of type {types[0]}, which can't be a key.")
    if has_tolerance and not isinstance(kind, T.NumericType):
        raise ValueError(f"The column {name} is of type {types[0]}, to which no tolerance can be applied.")
