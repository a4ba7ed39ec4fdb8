"""Values that Arrow tells apart. Spark decides on those that it does."""

from decimal import Decimal
from math import nan
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltawave.rows.batches import any_unequal, unequal

PAIRS: list[tuple[pa.DataType, Any, Any]] = [
    (pa.int64(), 1, 2),
    (pa.string(), "a", "b"),
    (pa.string(), "", None),
    (pa.binary(), b"a", b"a\0"),
    (pa.bool_(), True, False),
    (pa.decimal128(20, 2), Decimal("1.00"), Decimal("1.01")),
    (pa.timestamp("us", "UTC"), 0, 1),
    (pa.date32(), 0, 1),
    (pa.float64(), 0.5, 0.25),
    (pa.list_(pa.int64()), [1], [1, None]),
    (pa.list_(pa.int64()), [], None),
    (pa.map_(pa.string(), pa.int64()), [("a", 1)], [("a", 2)]),
    (pa.struct([("x", pa.int64())]), {"x": 1}, {"x": None}),
]


@pytest.mark.parametrize(("kind", "one", "other"), PAIRS, ids=str)
def test_values_of_each_type(kind: pa.DataType, one: Any, other: Any) -> None:
    left = pa.array([one, one, None, other, None], kind)
    right = pa.array([one, other, None, one, one], kind)
    assert unequal(left, right).tolist() == [False, True, False, True, one is not None]


def test_nan_and_zeros_are_equal_as_in_spark() -> None:
    left, right = pa.array([nan, 0.0, nan, None, nan]), pa.array([nan, -0.0, 0.0, nan, None])
    assert unequal(left, right).tolist() == [False, False, True, True, True]


TEXTS = st.lists(st.sampled_from(["", "a", "b", "c", None]), max_size=30)


@settings(deadline=None)
@given(TEXTS, TEXTS, st.booleans(), st.booleans())
def test_texts_in_dictionaries(left: list[Any], right: list[Any], left_coded: bool, right_coded: bool) -> None:
    count = min(len(left), len(right))
    columns = [
        column.dictionary_encode() if coded else column
        for values, coded in ((left, left_coded), (right, right_coded))
        for column in [pa.array(values[:count], pa.string())]
    ]
    assert unequal(*columns).tolist() == [one != other for one, other in zip(left, right, strict=False)]


def test_a_slice_is_compared_at_its_own_place() -> None:
    values = pa.array([[each] for each in range(100)])
    assert not unequal(values.slice(40, 10), values.slice(40, 10)).any()
    assert unequal(values.slice(40, 10), values.slice(41, 10)).all()


def test_one_column_is_enough() -> None:
    numbers, texts = pa.array([1, 2, 3]), pa.array(["a", "b", "c"])
    found = any_unequal([numbers, texts], [numbers, pa.array(["a", "x", "c"])], 3)
    assert found.tolist() == [False, True, False]
    assert any_unequal([], [], 2).tolist() == [False, False]
