"""Spark and DuckDB find the same differences: in generated tables of all types, with all options."""

from collections.abc import Callable
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import deltawave

pytestmark = pytest.mark.usefixtures("interpreted")

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
}
OPTIONS: list[dict[str, Any]] = [
    {},
    {"tolerance": 0.01},
    {"tolerance": {"": 1, "ratio": 0.005}, "relative_tolerance": {"amount": 0.01}},
    {"relative_tolerance": 0.5, "ignore_columns": ["name", "tags"]},
    {"ignore_case": ["name"], "ignore_blanks": ["name", "note"], "samples": 2},
    {"numbers": True},
]


@st.composite
def tables(draw: Callable[[Any], Any]) -> tuple[pa.Table, pa.Table]:
    names = draw(st.lists(st.sampled_from(sorted(TYPES)), min_size=1, max_size=6, unique=True))
    random = draw(st.randoms(use_true_random=False))
    keys = random.sample(range(60), draw(st.sampled_from([0, 3, 12, 40])))
    old = [{"id": key, **{name: random.choice([None, *TYPES[name][1]]) for name in names}} for key in keys]
    new = [dict(row) for row in old if random.random() > 0.15]
    for row in new:
        for name in names:
            if random.random() < 0.2:
                row[name] = random.choice([None, *TYPES[name][1]])
    new += [{**random.choice(old), "id": 100 + number} for number in range(3) if old]
    random.shuffle(new)
    changed = random.choice([*names, ""])
    types = {"id": pa.int64(), **{name: TYPES[name][0] for name in names}}
    of_new = {**types, **({changed: OTHERS[changed]} if changed in OTHERS else {})}
    if random.random() < 0.3:
        # The column has another name, and perhaps other values.
        of_new = {f"{name}_2" if name == names[-1] else name: kind for name, kind in of_new.items()}
        new = [{f"{name}_2" if name == names[-1] else name: value for name, value in row.items()} for row in new]
    return pa.Table.from_pylist(old, pa.schema(types.items())), _typed(new, types, of_new)


def _typed(rows: list[dict[str, Any]], types: dict[str, pa.DataType], wanted: dict[str, pa.DataType]) -> pa.Table:
    own = {name: types.get(name, types.get(name.removesuffix("_2"))) for name in wanted}
    table = pa.Table.from_pylist(rows, pa.schema(own.items()))
    limited = pa.compute.and_kleene if False else None
    assert limited is None
    cells = []
    for name, kind in wanted.items():
        column = table[name]
        if kind == pa.int32():
            column = pa.chunked_array(
                [pa.array([None if each is None else each % 1000 for each in column.to_pylist()], kind)]
            )
        cells.append(column if column.type == kind else column.cast(kind))
    return pa.table(dict(zip(wanted, cells, strict=True)))


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(pair=tables(), options=st.sampled_from(OPTIONS), key=st.sampled_from(["id", "id", None, "without"]))
def test_both_engines_find_the_same(
    spark: SparkSession, pair: tuple[pa.Table, pa.Table], options: dict[str, Any], key: str | None
) -> None:
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    if key == "without":
        # Rows are compared as a bag, as far as no other columns are a key.
        pair = pair[0].drop_columns(["id"]), pair[1].drop_columns(["id"])
        key = None
    if not pair[0].num_columns or not pair[1].num_columns:
        return
    results = []
    for table in (lambda each: each, lambda each: spark.createDataFrame(each)):
        try:
            results.append(deltawave.compare(*map(table, pair), key, **_fitting(options, pair)))
        except ValueError as error:
            results.append(str(error))
    assert results[0] == results[1]


def _fitting(options: dict[str, Any], pair: tuple[pa.Table, pa.Table]) -> dict[str, Any]:
    """The options without names of columns that the tables lack."""
    shared = set(pair[0].column_names) & set(pair[1].column_names)
    fitting = {}
    for option, value in options.items():
        if isinstance(value, dict):
            value = {name: each for name, each in value.items() if name in shared or name == ""}
        elif isinstance(value, list):
            value = [name for name in value if name in shared]
        fitting[option] = value
    return fitting
