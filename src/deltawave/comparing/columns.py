"""The columns of two tables: which are compared, in which type, and with which options."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from numbers import Real

from pyspark.sql import DataFrame
from pyspark.sql import types as T

from deltawave.comparable import can_be_key, fields_of
from deltawave.differencing.contract import SIDES, Side
from deltawave.sql_text import MAX_DECIMAL_DIGITS

Numbers = Mapping[str, float] | float | None
Names = str | Collection[str]

# Numbers whose difference is exact.
EXACT = (T.IntegralType, T.DecimalType)
_DIGITS: dict[type[T.DataType], int] = {T.ByteType: 3, T.ShortType: 5, T.IntegerType: 10, T.LongType: 19}
# The wider ones last.
_TIMES = (T.DateType, T.TimestampNTZType, T.TimestampType)
# Stands for all other columns in a mapping of names to numbers.
_ALL = ""


@dataclass(frozen=True)
class Column:
    """A column of one or both tables.

    - ``types``: its type in each table that has it
    - ``options``: those of ``compare`` that apply to it, with a tolerance above 0; with 1 if they have no number
    """

    name: str
    number: int
    types: Mapping[Side, T.DataType]
    is_key: bool
    is_ignored: bool
    options: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_shared(self) -> bool:
        return len(self.types) == len(SIDES)

    @property
    def is_compared(self) -> bool:
        return self.is_shared and not self.is_key and not self.is_ignored

    @property
    def kind(self) -> T.DataType:
        """The type in which its values are compared."""
        return common_type(*self.types.values())

    @property
    def two_types(self) -> dict[str, str]:
        """Its types and that of the comparison, as Spark writes them; nothing if they are the same."""
        names = [kind.simpleString() for kind in (*self.types.values(), self.kind)]
        return {} if names[0] == names[1] else dict(zip(("old", "new", "compared_as"), names, strict=True))


def common_type(one: T.DataType, other: T.DataType | None = None) -> T.DataType:
    """The type in which values of two types are compared: numbers as numbers, times as times, all others as text.

    Numbers are compared exactly, unless one is a floating-point number or they need more than 38 digits. Times have the
    wider type, as for Spark.
    """
    if other is None or one.simpleString() == other.simpleString():
        return one
    if isinstance(one, _TIMES) and isinstance(other, _TIMES):
        return max(one, other, key=lambda kind: _TIMES.index(type(kind)))
    if not isinstance(one, T.NumericType) or not isinstance(other, T.NumericType):
        return T.StringType()
    if isinstance(one, EXACT) and isinstance(other, EXACT):
        whole, scale = (max(digits) for digits in zip(_digits(one), _digits(other), strict=True))
        if whole + scale <= MAX_DECIMAL_DIGITS:
            return T.DecimalType(whole + scale, scale)
    return T.DoubleType()


def _digits(kind: T.DataType) -> tuple[int, int]:
    """The number of digits before and after the point."""
    if isinstance(kind, T.DecimalType):
        return kind.precision - kind.scale, kind.scale
    return _DIGITS[type(kind)], 0


def named(given: Names) -> dict[str, float]:
    """Names in lower case, each with 1, as options of columns are held."""
    return {name.lower(): 1.0 for name in ([given] if isinstance(given, str) else given)}


def numbered(option: str, given: Numbers) -> dict[str, float]:
    """The numbers of an option, by names in lower case. Raises ``ValueError`` for what is no tolerance."""
    by_name: Mapping[str, float] = {} if given is None else given if isinstance(given, Mapping) else {_ALL: given}
    for value in by_name.values():
        if not isinstance(value, Real) or isinstance(value, bool) or not 0 <= value < math.inf:
            raise ValueError(f"{option} can't be {value!r}: it takes a number from 0, or one for each column.")
    return {name.lower(): float(value) for name, value in by_name.items()}


def described(
    frames: Mapping[Side, DataFrame], key: Names, ignore_columns: Names, options: Mapping[str, Mapping[str, float]]
) -> list[Column]:
    """Describe the columns: those of the key, in its order, then the others of the old and of the new table.

    ``options``: of columns, by their names in lower case. Raises ``ValueError`` for what does not fit the tables.
    """
    fields = {side: fields_of(f"{side} table", frame) for side, frame in frames.items()}
    keys, ignored = named(key), named(ignore_columns)
    if not keys:
        raise ValueError("key names no column.")
    for name in keys:
        for side, known in fields.items():
            if name not in known:
                names = ", ".join(each.name for each in known.values()) or "no columns at all"
                raise ValueError(f"The {side} table has no column {name}, which is in key. It has: {names}.")
            if not can_be_key(known[name].dataType):
                kind = known[name].dataType.simpleString()
                raise ValueError(f"The column {name} is of type {kind}, which can't be a key.")
    ordered = dict.fromkeys([*keys, *fields["old"], *fields["new"]])
    given: Mapping[str, Mapping[str, float]] = {"ignore_columns": ignored, **options}
    for option, of_columns in given.items():
        for name in of_columns:
            if name != _ALL and name not in ordered:
                raise ValueError(f"{option}: neither table has a column {name}.")
            if name in keys:
                raise ValueError(f"{option}: {name} is part of the key.")
    columns = []
    for number, name in enumerate(ordered):
        own = {side: fields[side][name] for side in SIDES if name in fields[side]}
        types = {side: each.dataType for side, each in own.items()}
        column = Column(next(iter(own.values())).name, number, types, name in keys, name in ignored)
        columns.append(replace(column, options=_applied(column, options)))
    return columns


def _applied(column: Column, options: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """The options that apply to a column; a tolerance of 0 is none."""
    applied: dict[str, float] = {}
    name = column.name.lower()
    for option, of_columns in options.items():
        what = "text" if option.startswith("ignore") else "a number"
        fits = isinstance(column.kind, T.StringType) if what == "text" else isinstance(column.kind, T.NumericType)
        if name in of_columns and not column.is_compared:
            raise ValueError(f"{option}: {column.name} is not compared: it is ignored, or only one table has it.")
        if name in of_columns and not fits:
            kind = column.kind.simpleString()
            raise ValueError(f"{option}: {column.name} is compared as {kind}, and has to be {what}.")
        value = of_columns.get(name, of_columns.get(_ALL))
        if column.is_compared and fits and value:
            applied[option] = value
    return applied
