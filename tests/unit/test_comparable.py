"""What the library compares of a column is what the macros compare."""

import pytest
from pyspark.sql import types
from unit.macro_harness import Macros

from deltawave.comparable import comparable

COUNTS = types.MapType(types.StringType(), types.IntegerType())
TYPES: list[types.DataType] = [
    types.IntegerType(),
    types.StringType(),
    types.StringType("UNICODE_CI"),
    types.VariantType(),
    types.CalendarIntervalType(),
    types.DayTimeIntervalType(),
    types.YearMonthIntervalType(),
    types.YearMonthIntervalType(0, 0),
    types.ArrayType(types.YearMonthIntervalType()),
    types.ArrayType(types.DoubleType()),
    types.ArrayType(COUNTS),
    COUNTS,
    types.MapType(types.StringType(), COUNTS),
    types.StructType([types.StructField("n", types.IntegerType())]),
    types.StructType([types.StructField("it's \\ so", COUNTS), types.StructField("n", types.IntegerType())]),
    types.ArrayType(types.StructType([types.StructField("variant", types.VariantType())])),
]


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.simpleString())
def test_the_macros_say_the_same(kind: types.DataType) -> None:
    assert comparable("a`b", kind) == Macros()._comparable("`a``b`", kind.simpleString())
