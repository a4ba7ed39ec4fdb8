"""The columns of two tables: which are compared, in which type, and when two values count as equal."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real

from pyspark.sql import DataFrame
from pyspark.sql.types import (
    ByteType,
    DataType,
    DecimalType,
    DoubleType,
    IntegerType,
    IntegralType,
    LongType,
    NumericType,
    ShortType,
    StringType,
)

from deltawave.differencing.contract import SIDES, Side
from deltawave.differencing.described import can_be_key, fields_of
from deltawave.sql_text import MAX_DECIMAL_DIGITS

Numbers = Mapping[str, float] | float | None
Names = str | Collection[str]

_DIGITS: dict[type[DataType], int] = {ByteType: 3, ShortType: 5, IntegerType: 10, LongType: 19}
# The name under which a tolerance of all columns stands; no column has it.
_ALL = ""


@dataclass(frozen=True)
class Column:
    """A column of one or both tables.

    - ``number``: its place among the columns of the key, or among the others
    - ``types``: its type in each table that has it
    - ``tolerance``, ``relative_tolerance``: the absolute difference that counts as equal, and that as a share of the
      larger value
    """

    name: str
    number: int
    types: Mapping[Side, DataType]
    is_key: bool
    is_ignored: bool
    tolerance: float | None = None
    relative_tolerance: float | None = None
    ignore_case: bool = False
    ignore_blanks: bool = False

    @property
    def is_shared(self) -> bool:
        return len(self.types) == len(SIDES)

    @property
    def is_compared(self) -> bool:
        return self.is_shared and not self.is_key and not self.is_ignored

    @property
    def kind(self) -> DataType:
        """The type in which its values are compared."""
        return common_type(*self.types.values())


def common_type(one: DataType, other: DataType | None = None) -> DataType:
    """The type in which values of two types are compared: numbers as numbers, all others as text.

    Numbers are compared exactly, unless one is a floating-point number or they need more than 38 digits.
    """
    if other is None or one.simpleString() == other.simpleString():
        return one
    if not isinstance(one, NumericType) or not isinstance(other, NumericType):
        return StringType()
    if all(isinstance(kind, (IntegralType, DecimalType)) for kind in (one, other)):
        scales = [kind.scale if isinstance(kind, DecimalType) else 0 for kind in (one, other)]
        whole = max(_whole_digits(one), _whole_digits(other))
        if whole + max(scales) <= MAX_DECIMAL_DIGITS:
            return DecimalType(whole + max(scales), max(scales))
    return DoubleType()


def _whole_digits(kind: DataType) -> int:
    return kind.precision - kind.scale if isinstance(kind, DecimalType) else _DIGITS[type(kind)]


def described(
    frames: Mapping[Side, DataFrame],
    key: Names,
    ignore_columns: Names,
    numbers: Mapping[str, Numbers],
    texts: Mapping[str, Names],
) -> list[Column]:
    """Describe the columns: those of the key, in its order, then the others of the old and of the new table.

    ``numbers`` and ``texts`` are options of ``compare`` for numbers and for texts, by their names. Raises
    ``ValueError`` for what does not fit the tables.
    """
    fields = {side: fields_of(f"{side} table", frame) for side, frame in frames.items()}
    known = list(dict.fromkeys(name for side in SIDES for name in fields[side]))
    keys, ignored = _lower(key), _lower(ignore_columns)
    by_name = {option: _numbers(option, given) for option, given in numbers.items()}
    wanted = {option: _lower(given) for option, given in texts.items()}
    named: dict[str, Iterable[str]] = {"ignore_columns": ignored, **by_name, **wanted}
    if not keys:
        raise ValueError("key names no column.")
    for name in keys:
        for side in SIDES:
            if name not in fields[side]:
                raise ValueError(
                    f"The {side} table has no column {name}, which is in key. "
                    f"It has: {', '.join(field.name for field in fields[side].values())}."
                )
            if not can_be_key(fields[side][name].dataType):
                kind = fields[side][name].dataType.simpleString()
                raise ValueError(f"The column {name} is of type {kind}, which can't be a key.")
    for option, names in named.items():
        for name in names:
            if name != _ALL and name not in known:
                raise ValueError(f"{option}: neither table has a column {name}.")
            if name in keys:
                raise ValueError(f"{option}: {name} is part of the key.")
    columns = []
    for group in (keys, [name for name in known if name not in keys]):
        for number, name in enumerate(group):
            own = {side: fields[side][name] for side in SIDES if name in fields[side]}
            types = {side: field.dataType for side, field in own.items()}
            column = Column(next(iter(own.values())).name, number, types, name in keys, name in ignored)
            columns.append(_measured(column, name, by_name, wanted))
    return columns


def _lower(given: Names) -> list[str]:
    return list(dict.fromkeys(name.lower() for name in ([given] if isinstance(given, str) else given)))


def _numbers(option: str, given: Numbers) -> dict[str, float]:
    by_name: Mapping[str, float] = {} if given is None else given if isinstance(given, Mapping) else {_ALL: given}
    for value in by_name.values():
        if not isinstance(value, Real) or isinstance(value, bool) or not 0 <= value < math.inf:
            raise ValueError(f"{option} can't be {value!r}: it takes a number from 0, or one for each column.")
    return {str(name).lower(): float(value) for name, value in by_name.items()}


def _measured(
    column: Column, name: str, numbers: Mapping[str, Mapping[str, float]], texts: Mapping[str, Sequence[str]]
) -> Column:
    """The column with the options that apply to it."""
    needs: list[tuple[Mapping[str, Collection[str]], type[DataType], str]] = [
        (numbers, NumericType, "a number"),
        (texts, StringType, "text"),
    ]
    for options, needed, what in needs:
        for option in (option for option, names in options.items() if name in names):
            if not column.is_compared:
                raise ValueError(f"{option}: {column.name} is not compared: it is ignored, or only one table has it.")
            if not isinstance(column.kind, needed):
                kind = column.kind.simpleString()
                raise ValueError(f"{option}: {column.name} is compared as {kind}, and has to be {what}.")
    if not column.is_compared:
        return column
    is_number = isinstance(column.kind, NumericType)
    measures = {option: by_name.get(name, by_name.get(_ALL)) for option, by_name in numbers.items() if is_number}
    return replace(
        column,
        tolerance=measures.get("tolerance"),
        relative_tolerance=measures.get("relative_tolerance"),
        ignore_case=name in texts["ignore_case"],
        ignore_blanks=name in texts["ignore_blanks"],
    )
