"""Spark and DuckDB find the same differences: in generated tables of all types, with all options."""

from datetime import date, datetime, timezone
from decimal import Decimal
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

import deltawave

pytestmark = [pytest.mark.usefixtures("interpreted"), pytest.mark.core]

TEXTS = ["", "a", "A", "  a  b ", "a b", "1", "1.0", "01", "-0.50", "1e2", "é", "null", "2024-01-02", "true", "\t"]
NUMBERS = [0.0, -0.0, 1.0, 1.005, 1e-9, 123456789.25, -7.5, float("nan"), float("inf")]
TYPES: dict[str, tuple[pa.DataType, list[Any]]] = {
    "whole": (pa.int64(), [0, 1, 2, -5, 2**62]),
    "small": (pa.int16(), [0, 1, -3]),
    "amount": (pa.decimal128(10, 2), [Decimal("0.00"), Decimal("1.00"), Decimal("1.01"), Decimal("-99999999.99")]),
    "ratio": (pa.float64(), NUMBERS),
    "rate": (pa.float32(), [0.0, 1.0, 1.5, float("nan"), 0.1]),
    "name": (pa.string(), TEXTS),
    "note": (pa.string(), TEXTS),
    "day": (pa.date32(), [date(1900, 1, 1), date(2024, 1, 2), date(2024, 2, 29)]),
    "at": (
        pa.timestamp("us", "UTC"),
        [datetime(2024, 1, 2, tzinfo=timezone.utc), datetime(2024, 1, 2, 3, 4, 5, 6, timezone.utc)],
    ),
    "local": (pa.timestamp("us"), [datetime(2024, 1, 2), datetime(1969, 12, 31, 23, 59)]),
    "is_on": (pa.bool_(), [True, False]),
    "raw": (pa.binary(), [b"", b"\x00\xff", b"a"]),
    "parts": (pa.list_(pa.int32()), [[], [1], [1, None], [2, 1]]),
    "pair": (pa.struct([("x", pa.int32()), ("y", pa.string())]), [{"x": 1, "y": None}, {"x": None, "y": "b"}]),
    "tags": (pa.map_(pa.string(), pa.int32()), [[], [("a", 1)], [("a", 1), ("b", 2)], [("b", 2), ("a", 1)]]),
}
# The types that a column may have in the new table.
OTHERS = {
    "whole": pa.int32(),
    "small": pa.string(),
    "amount": pa.float64(),
    "rate": pa.float64(),
    "day": pa.timestamp("us"),
    "parts": pa.list_(pa.float64()),
    "pair": pa.struct([("y", pa.string()), ("x", pa.int64()), ("z", pa.list_(pa.int32()))]),
    "tags": pa.map_(pa.string(), pa.float64()),
}
OPTIONS: list[dict[str, Any]] = [
    {},
    {"tolerance": 0.01},
    {"tolerance": {"": 1, "ratio": 0.005}, "relative_tolerance": {"amount": 0.01}},
    {"relative_tolerance": 0.5, "ignore_columns": ["name", "tags"]},
    {"ignore_case": ["name"], "ignore_blanks": ["name", "note"], "samples": 2},
    {"numbers": True},
]


def tables(random: Random) -> tuple[pa.Table, pa.Table]:
    """An old and a new table of the same columns, but for one that may have another type, and one another name."""
    names = random.sample(sorted(TYPES), random.randrange(1, 7))
    keys = random.sample(range(60), random.choice([0, 3, 12, 40]))
    old = [{"id": key, **{name: random.choice([None, *TYPES[name][1]]) for name in names}} for key in keys]
    new = [dict(row) for row in old if random.random() > 0.15]
    for row in new:
        for name in names:
            if random.random() < 0.2:
                row[name] = random.choice([None, *TYPES[name][1]])
    new += [{**random.choice(old), "id": 100 + number} for number in range(3) if old]
    random.shuffle(new)
    types = {"id": pa.int64(), **{name: TYPES[name][0] for name in names}}
    of_new = dict(types)
    if (changed := random.choice([*names, ""])) in OTHERS:
        of_new[changed] = OTHERS[changed]
    last = names[-1]
    table = _typed(new, types, of_new)
    if random.random() < 0.3:
        table = table.rename_columns([f"{name}_2" if name == last else name for name in of_new])
    return pa.Table.from_pylist(old, pa.schema(types.items())), table


def _typed(rows: list[dict[str, Any]], own: dict[str, pa.DataType], wanted: dict[str, pa.DataType]) -> pa.Table:
    table = pa.Table.from_pylist(rows, pa.schema(own.items()))
    # A smaller type cuts values, which makes differences.
    return pa.table([table[name].cast(kind, safe=False) for name, kind in wanted.items()], list(wanted))


@settings(max_examples=8, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 1 << 32), options=st.sampled_from(OPTIONS), key=st.sampled_from(["id", "id", "id", "", "none"])
)
def test_both_engines_find_the_same(spark: SparkSession, seed: int, options: dict[str, Any], key: str) -> None:
    """With a key that is given, that is found, and where the columns that are left may be none."""
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    old, new = tables(Random(seed))
    if key == "none":
        old, new = (table.drop_columns(["id"]) for table in (old, new))
    fitting = _fitting(options, set(old.column_names) & set(new.column_names))
    results = []
    for pair in ((old, new), [_of_spark(spark, table) for table in (old, new)]):
        try:
            results.append(deltawave.compare(*pair, "id" if key == "id" else None, **fitting))
        except ValueError as error:
            results.append(str(error))
    assert results[0] == results[1]


def _of_spark(spark: SparkSession, table: pa.Table) -> DataFrame:
    if not table.num_rows:
        # pyspark takes no column without a chunk.
        table = pa.table([pa.array([], field.type) for field in table.schema], schema=table.schema)
    return spark.createDataFrame(table, schema=from_arrow_schema(table.schema, prefer_timestamp_ntz=True))


def _fitting(options: dict[str, Any], shared: set[str]) -> dict[str, Any]:
    """The options without names of columns that the tables lack."""
    fitting = {}
    for option, value in options.items():
        if isinstance(value, dict):
            value = {name: each for name, each in value.items() if name in shared or name == ""}
        elif isinstance(value, list):
            value = [name for name in value if name in shared]
        fitting[option] = value
    return fitting
