"""The types of columns, by their names in Spark: which are numbers, and in which type two are compared."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from deltawave.sql_text import MAX_DECIMAL_DIGITS

# The digits of whole numbers. DuckDB has unsigned ones, too.
_DIGITS = {
    "tinyint": 3,
    "smallint": 5,
    "int": 10,
    "bigint": 19,
    "utinyint": 3,
    "usmallint": 5,
    "uint": 10,
    "ubigint": 20,
    "hugeint": 39,
    "uhugeint": 39,
}
_FLOATS = ("float", "double")
# The wider ones last.
_TIMES = ("date", "timestamp_ntz", "timestamp_ns", "timestamp")
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
_TEXT = re.compile(r"string( collate \w+)?|(char|varchar)\(\d+\)")


@dataclass(frozen=True)
class Kind:
    """A type, by the name that Spark's ``simpleString`` gives it; types that Spark lacks have DuckDB's names.

    ``parts``: the fields of a struct; the key and value of a map; an array's values, without a name
    """

    name: str
    parts: tuple[tuple[str, "Kind"], ...] = ()

    @cached_property
    def digits(self) -> tuple[int, int] | None:
        """The digits before and after the point of numbers whose difference is exact."""
        if found := _DECIMAL.fullmatch(self.name):
            precision, scale = map(int, found.groups())
            return precision - scale, scale
        return (_DIGITS[self.name], 0) if self.name in _DIGITS else None

    @property
    def is_whole(self) -> bool:
        return self.name in _DIGITS

    @property
    def is_long(self) -> bool:
        """Whether it is a decimal of more digits than the engines have, which is a text there."""
        return self.digits is not None and sum(self.digits) > MAX_DECIMAL_DIGITS and not self.is_whole

    @property
    def is_exact(self) -> bool:
        return self.digits is not None

    @property
    def is_float(self) -> bool:
        return self.name in _FLOATS

    @property
    def is_number(self) -> bool:
        return self.is_exact or self.is_float

    @property
    def is_text(self) -> bool:
        return _TEXT.fullmatch(self.name) is not None

    @property
    def is_time(self) -> bool:
        return self.name in _TIMES

    @property
    def is_nested(self) -> bool:
        return self.name.startswith(("array<", "map<", "struct<"))

    @property
    def form(self) -> str:
        """Array, map or struct, of what is nested."""
        return self.name.partition("<")[0]

    @property
    def is_category(self) -> bool:
        """Whether its values may divide rows into groups."""
        return self.is_text or self.is_number or self.is_time or self.name == "boolean"


STRING, DOUBLE = Kind("string"), Kind("double")
# Of a column that is always null.
VOID = Kind("void")
NANOSECONDS = Kind("timestamp_ns")


def array(values: Kind) -> Kind:
    return Kind(f"array<{values.name}>", (("", values),))


def map_of(key: Kind, value: Kind) -> Kind:
    return Kind(f"map<{key.name},{value.name}>", (("key", key), ("value", value)))


def struct(fields: Iterable[tuple[str, Kind]]) -> Kind:
    parts = tuple(fields)
    return Kind(f"struct<{','.join(f'{name}:{kind.name}' for name, kind in parts)}>", parts)


def decimal(whole: int, scale: int) -> Kind:
    return Kind(f"decimal({whole + scale},{scale})")


def common_type(one: Kind, other: Kind | None = None) -> Kind:
    """The type in which values of two types are compared: numbers as numbers, times as times, all others as text.

    Numbers are compared exactly, unless one is a floating-point number or they need more than 38 digits. Times have the
    wider type, as for Spark, but nanoseconds reach from 1677 to 2262 only. Nested types have those of their parts, and
    all fields of both structs.
    """
    if one.is_long or (other is not None and other.is_long):
        return STRING
    if other is None or one == other or other == VOID:
        return one
    if one == VOID:
        return other
    if one.parts and one.form == other.form:
        return _common_nested(one, other)
    if one.is_time and other.is_time and NANOSECONDS not in (one, other):
        return max(one, other, key=lambda kind: _TIMES.index(kind.name))
    if not one.is_number or not other.is_number:
        return STRING
    if one.digits and other.digits:
        whole, scale = (max(digits) for digits in zip(one.digits, other.digits, strict=True))
        if whole + scale <= MAX_DECIMAL_DIGITS:
            return decimal(whole, scale)
    return DOUBLE


def _common_nested(one: Kind, other: Kind) -> Kind:
    others = {name.lower(): kind for name, kind in other.parts}
    parts = [(name, common_type(kind, others.pop(name.lower(), None))) for name, kind in one.parts]
    if one.form == "struct":
        return struct([*parts, *((name, kind) for name, kind in other.parts if name.lower() in others)])
    if one.form == "array":
        return array(parts[0][1])
    # Entries are ordered by their keys.
    return map_of(*(kind for _, kind in parts)) if parts[0][1] == one.parts[0][1] == other.parts[0][1] else STRING
