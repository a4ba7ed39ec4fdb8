"""What tells whether a day changed sees each change of a row, in every session."""

from typing import Any

import pytest
from pyspark.sql import SparkSession, types

from deltawave.comparable import comparable
from deltawave.wave import WaveIndex
from deltawave.wave.statements import row_hash
from deltawave.wave.tables import WaveSpec
from deltawave.wave.wave_table import columns_of, date_at, type_text

pytestmark = pytest.mark.usefixtures("interpreted")

ROW = {
    "day": "date'2026-01-01'",
    "a": "1",
    "b": "cast(null as int)",
    "at": "timestamp'2026-01-01 00:00:00.000001Z'",
    "local": "timestamp_ntz'2026-01-01 00:00:00.000001'",
    "pair": "named_struct('x y', cast(null as int), 'z', 1)",
    "times": "array(timestamp'2026-01-01 00:00:00.000001Z', null)",
    "counts": "map('a', 1)",
    "shown": "'A' collate UTF8_LCASE",
    "any": "cast('2026-01-01' as variant)",
    "some": "array(named_struct('x `y', cast('2026-01-01' as variant), 'z', map('a', 1)), null)",
    "named": "map('a', cast('2026-01-01' as variant), 'b', null)",
}
CHANGES = {
    "none": {},
    "a null that moves": {"a": "cast(null as int)", "b": "1"},
    "a microsecond": {"at": "timestamp'2026-01-01 00:00:00.000002Z'"},
    "a microsecond without a zone": {"local": "timestamp_ntz'2026-01-01 00:00:00.000002'"},
    "a null that moves in a struct": {"pair": "named_struct('x y', 1, 'z', cast(null as int))"},
    "a microsecond in an array": {"times": "array(timestamp'2026-01-01 00:00:00.000002Z', null)"},
    "a null more": {"times": "array(timestamp'2026-01-01 00:00:00.000001Z', null, null)"},
    "a value of a map": {"counts": "map('a', 2)"},
    "case under a collation": {"shown": "'a' collate UTF8_LCASE"},
    "the type of a variant": {"any": "cast(date'2026-01-01' as variant)"},
    "the type of a variant in a struct": {
        "some": "array(named_struct('x `y', cast(date'2026-01-01' as variant), 'z', map('a', 1)), null)"
    },
    "a value beside a variant": {
        "some": "array(named_struct('x `y', cast('2026-01-01' as variant), 'z', map('a', 2)), null)"
    },
    "the type of a variant in a map": {"named": "map('a', cast(date'2026-01-01' as variant), 'b', null)"},
}


def test_each_change_is_seen_in_every_time_zone(spark: SparkSession) -> None:
    selects = [
        "select " + ", ".join(f"{value} as {name}" for name, value in {**ROW, **change}.items())
        for change in CHANGES.values()
    ]
    rows = spark.sql(" union all ".join(selects))
    spec = WaveSpec(WaveIndex("del", 3, 2), "in_place", "day", "a", columns_of(rows))
    zone: Any = spark.conf.get("spark.sql.session.timeZone")
    found, dates = [], []
    try:
        for other in ("UTC", "Asia/Tokyo"):
            spark.conf.set("spark.sql.session.timeZone", other)
            dates.append(str(date_at(spark, "2026-01-01T23:30:00.000000Z")))
            found.append([row[0] for row in rows.selectExpr(row_hash(spec)).collect()])
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)
    assert found[0] == found[1]
    assert len(set(found[0])) == len(CHANGES)
    # The date of a run is that of the session's time zone.
    assert dates == ["2026-01-01", "2026-01-02"]


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(
    "kind",
    [
        types.VariantType(),
        types.ArrayType(types.ArrayType(types.VariantType())),
        types.MapType(types.DecimalType(9, 2), types.VariantType()),
        types.StructType(
            [types.StructField("x `y`:<int>,", types.VariantType()), types.StructField("z", types.StructType([]))]
        ),
        types.StructType(
            [
                types.StructField("at", types.ArrayType(types.DayTimeIntervalType())),
                types.StructField("for", types.CalendarIntervalType()),
            ]
        ),
        types.MapType(
            types.StringType(),
            types.StructType(
                [types.StructField("of", types.DecimalType(9, 2)), types.StructField("any", types.VariantType())]
            ),
        ),
    ],
)
def test_types_are_read_again(kind: types.DataType) -> None:
    assert comparable("day", types.DataType.fromDDL(type_text(kind))) == comparable("day", kind)
