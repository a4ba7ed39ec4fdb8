"""Spark expressions whose values are equal exactly when the contents of columns are equal (the delta contract)."""

from collections.abc import Iterator

from pyspark.sql.types import (
    ArrayType,
    CalendarIntervalType,
    DataType,
    MapType,
    StringType,
    StructType,
    VariantType,
    YearMonthIntervalType,
)

from deltawave.sql_text import literal, quoted


def comparable(name: str, kind: DataType) -> str:
    """The expression for a column: itself, unless Spark cannot compare its type by content."""
    return comparable_part(quoted(name), kind)


def comparable_part(value: str, kind: DataType) -> str:
    """The same for an expression of that type."""
    if isinstance(kind, ArrayType):
        element = comparable_part("element", kind.elementType)
        return value if element == "element" else f"transform({value}, element -> {element})"
    if isinstance(kind, MapType):
        entries = f"map_entries({value})"
        key, of_key = comparable_part("entry.key", kind.keyType), comparable_part("entry.value", kind.valueType)
        if (key, of_key) != ("entry.key", "entry.value"):
            entries = f"transform({entries}, entry -> named_struct('key', {key}, 'value', {of_key}))"
        return f"sort_array({entries})"
    if isinstance(kind, StructType):
        fields = {field.name: f"{value}.{quoted(field.name)}" for field in kind.fields}
        parts = {field.name: comparable_part(fields[field.name], field.dataType) for field in kind.fields}
        if parts == fields:
            return value
        pairs = ", ".join(f"{literal(name)}, {part}" for name, part in parts.items())
        return f"if(isnull({value}), null, named_struct({pairs}))"
    if isinstance(kind, VariantType):
        return f"concat(schema_of_variant({value}), ' ', to_json({value}, map('timeZone', 'UTC')))"
    # Spark does not hand intervals of months to Python, and does not compare calendar intervals.
    if isinstance(kind, YearMonthIntervalType):
        return f"cast(cast({value} as interval year to month) as string)"
    if isinstance(kind, CalendarIntervalType):
        return f"cast({value} as string)"
    if isinstance(kind, StringType) and "collate" in kind.simpleString():
        return f"collate({value}, 'UTF8_BINARY')"
    return value


def contained_types(kind: DataType) -> Iterator[DataType]:
    """A type, and those of its fields, elements, keys and values, at any depth."""
    yield kind
    if isinstance(kind, StructType):
        parts = [field.dataType for field in kind.fields]
    else:
        parts = [getattr(kind, name) for name in ("elementType", "keyType", "valueType") if hasattr(kind, name)]
    for part in parts:
        yield from contained_types(part)


def reaches_python(kind: DataType) -> bool:
    """Whether Spark hands values of this type over and takes them back unchanged."""
    lost = (VariantType, YearMonthIntervalType, CalendarIntervalType)
    parts = list(contained_types(kind))
    has_collation = any(isinstance(part, StringType) and "collate" in part.simpleString() for part in parts)
    return not has_collation and not any(isinstance(part, lost) for part in parts)
