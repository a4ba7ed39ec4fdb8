"""Types of columns as text that SQL reads, and back: wave indexes are planned without a session that could parse it."""

from __future__ import annotations

import re

from pyspark.sql.types import (
    ArrayType,
    CalendarIntervalType,
    DataType,
    MapType,
    StringType,
    StructField,
    StructType,
    VariantType,
)

from deltawave.sql_text import quoted

_FIELD = re.compile(r"`((?:[^`]|``)*)`:")
# Such as decimal(9,2).
_ATOM = re.compile(r"[^,<>()]+(?:\([^()]*\))?[^,<>()]*")


def type_text(kind: DataType) -> str:
    """A type as SQL reads it. The names of a struct's fields are quoted: they may contain any character."""
    if isinstance(kind, StructType):
        fields = (f"{quoted(field.name)}:{type_text(field.dataType)}" for field in kind.fields)
        return f"struct<{','.join(fields)}>"
    if isinstance(kind, ArrayType):
        return f"array<{type_text(kind.elementType)}>"
    if isinstance(kind, MapType):
        return f"map<{type_text(kind.keyType)},{type_text(kind.valueType)}>"
    return kind.simpleString()


def nesting(text: str) -> DataType:
    """The type of which :func:`type_text` gave this text, with strings for all that Spark compares by content."""
    return _type_at(text, 0)[0]


def _type_at(text: str, start: int) -> tuple[DataType, int]:
    """The type that begins there, and where it ends."""
    for prefix in ("array<", "map<", "struct<"):
        if text.startswith(prefix, start):
            return _nested_at(text, start + len(prefix), prefix)
    atom = _ATOM.match(text, start)
    if atom is None:
        raise ValueError(f"{text!r} is no type of a column: {text[start:]!r}.")
    if atom.group() == "variant":
        return VariantType(), atom.end()
    return CalendarIntervalType() if atom.group() == "interval" else StringType(), atom.end()


def _nested_at(text: str, at: int, prefix: str) -> tuple[DataType, int]:
    names: list[str] = []
    kinds: list[DataType] = []
    while not text.startswith(">", at):
        at += text.startswith(",", at)
        if field := _FIELD.match(text, at) if prefix == "struct<" else None:
            names, at = [*names, field.group(1).replace("``", "`")], field.end()
        kind, at = _type_at(text, at)
        kinds.append(kind)
    if prefix == "array<":
        return ArrayType(kinds[0]), at + 1
    if prefix == "map<":
        return MapType(kinds[0], kinds[1]), at + 1
    return StructType([StructField(name, kind) for name, kind in zip(names, kinds, strict=True)]), at + 1
