"""What the library compares of a column is what the macros compare."""

import pytest
from pyspark.sql.types import (
    ArrayType,
    CalendarIntervalType,
    DataType,
    DayTimeIntervalType,
    DoubleType,
    IntegerType,
    MapType,
    StringType,
    StructField,
    StructType,
    VariantType,
    YearMonthIntervalType,
)
from unit.macro_harness import Macros

from deltawave.comparable import comparable

COUNTS = MapType(StringType(), IntegerType())
TYPES: list[DataType] = [
    IntegerType(),
    StringType(),
    StringType("UNICODE_CI"),
    VariantType(),
    CalendarIntervalType(),
    DayTimeIntervalType(),
    YearMonthIntervalType(),
    YearMonthIntervalType(0, 0),
    ArrayType(YearMonthIntervalType()),
    ArrayType(DoubleType()),
    ArrayType(COUNTS),
    COUNTS,
    MapType(StringType(), COUNTS),
    StructType([StructField("n", IntegerType())]),
    StructType([StructField("it's \\ so", COUNTS), StructField("n", IntegerType())]),
    ArrayType(StructType([StructField("variant", VariantType())])),
]


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.simpleString())
def test_the_macros_say_the_same(kind: DataType) -> None:
    assert comparable("a`b", kind) == Macros()._comparable("`a``b`", kind.simpleString())
