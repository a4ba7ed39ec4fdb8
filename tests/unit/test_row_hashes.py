"""Hashes of rows: equal where the delta contract says so, different otherwise, and the same in every release."""

import datetime
import itertools
import math
import string
import struct
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltawave.rows import hashing
from deltawave.rows.hashing import row_hashes

ONE, TWO = {"n": 1, "t": []}, {"n": 2, "t": []}
DEEP = pa.struct([("n", pa.int32()), ("t", pa.list_(pa.string()))])
# Values of each type; those of one list in a column are equal.
EQUAL: dict[str, tuple[pa.DataType, list[list[Any]]]] = {
    "bool": (pa.bool_(), [[True], [False], [None]]),
    "tinyint": (pa.int8(), [[-128], [127], [0], [None]]),
    "bigint": (pa.int64(), [[-(2**63)], [2**63 - 1], [-1], [0], [None]]),
    "double": (pa.float64(), [[0.0, -0.0], [math.nan, -math.nan], [math.inf], [-math.inf], [5e-324], [None]]),
    "float": (pa.float32(), [[0.0, -0.0], [math.nan, -math.nan], [1.5], [None]]),
    "decimal": (
        pa.decimal128(38, 10),
        [[Decimal("1.1"), Decimal("1.10")], [Decimal("-1.1")], [Decimal(10) ** 27], [Decimal(-10) ** 27], [None]],
    ),
    "string": (
        pa.string(),
        [
            [""],
            [" "],
            ["\0"],
            ["\0\0"],
            ["12345678"],
            ["123456789"],
            ["12345678" * 9],
            ["12345678" * 10],
            ["ß"],
            [None],
        ],
    ),
    "binary": (pa.binary(), [[b""], [b"\0"], [b"\0" * 8], [b"\0" * 9], [b"\xff" * 8], [None]]),
    "date": (pa.date32(), [[datetime.date(1, 1, 1)], [datetime.date(9999, 12, 31)], [None]]),
    "timestamp": (
        pa.timestamp("us", "UTC"),
        [[datetime.datetime(2024, 10, 27, tzinfo=datetime.timezone.utc)], [datetime.datetime(1, 1, 1)], [None]],
    ),
    "day to second": (pa.duration("us"), [[datetime.timedelta(1)], [datetime.timedelta(-1)], [None]]),
    "array": (
        pa.list_(pa.float64()),
        [[[]], [[0.0], [-0.0]], [[None]], [[None, 0.0]], [[0.0, None]], [[0.0, 0.0]], [[math.nan]], [None]],
    ),
    "struct": (
        DEEP,
        [
            [{"n": 1, "t": ["a", "b"]}],
            [{"n": 1, "t": ["ab"]}],
            [{"n": None, "t": None}],
            [{"n": None, "t": []}],
            [{"n": 1, "t": [None]}],
            [None],
        ],
    ),
    "array of structs": (pa.list_(DEEP), [[[ONE, TWO]], [[TWO, ONE]], [[ONE]], [[ONE, None]]]),
}


def hashes(values: list[Any], kind: pa.DataType) -> list[int]:
    return row_hashes([pa.array(values, kind)], seed=1).tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", EQUAL)
class TestTypes:
    def test_equal_values_and_only_they_have_equal_hashes(self, name: str) -> None:
        kind, groups = EQUAL[name]
        found = [set(hashes(group, kind)) for group in groups]
        assert all(len(group) == 1 for group in found)
        assert len(set.union(*found)) == len(groups)

    def test_a_value_has_the_same_hash_wherever_it_lies(self, name: str) -> None:
        kind, groups = EQUAL[name]
        values = [group[0] for group in groups]
        alone = [hashes([value], kind)[0] for value in values]
        column = pa.array([values[-1], values[0], *values, *values], kind)
        assert row_hashes([column.slice(2, len(values))], seed=1).tolist() == alone
        chunks = pa.chunked_array([column.slice(2, 1), column.slice(3, len(values) - 1)])
        assert row_hashes([chunks], seed=1).tolist() == alone


@pytest.mark.parametrize("kind", [pa.string(), pa.int64(), pa.binary()])
def test_a_dictionary_and_long_offsets_change_nothing(kind: pa.DataType) -> None:
    values = pa.array([b"a", None, b"b", b"a"]).cast(pa.string()) if kind != pa.int64() else pa.array([1, None, 2, 1])
    plain = values.cast(kind)
    assert row_hashes([plain.dictionary_encode()], 1).tolist() == row_hashes([plain], 1).tolist()
    if kind != pa.int64():
        long = plain.cast(pa.large_string() if kind == pa.string() else pa.large_binary())
        assert row_hashes([long], 1).tolist() == row_hashes([plain], 1).tolist()


def test_bytes_below_a_null_count_for_nothing() -> None:
    hidden = pa.Array.from_buffers(
        pa.string(), 2, [pa.py_buffer(b"\x01"), pa.array([0, 1, 6], pa.int32()).buffers()[1], pa.py_buffer(b"xhello")]
    )
    assert hidden.to_pylist() == ["x", None]
    assert row_hashes([hidden], 1).tolist() == hashes(["x", None], pa.string())


def test_a_type_that_cannot_be_hashed_is_named() -> None:
    with pytest.raises(TypeError, match="month_day_nano_interval can't be hashed"):
        row_hashes([pa.array([None], pa.month_day_nano_interval())], 1)


VALUES = st.one_of(st.none(), st.text(alphabet="ab\0é", max_size=20))
ROWS = st.lists(st.tuples(VALUES, VALUES, st.one_of(st.none(), st.integers(-2, 2))), min_size=1, max_size=30)


@settings(deadline=None)
@given(ROWS)
def test_rows_have_equal_hashes_exactly_if_they_are_equal(rows: list[tuple[Any, ...]]) -> None:
    kinds = [pa.string(), pa.string(), pa.int64()]
    columns = [pa.array([row[place] for row in rows], kind) for place, kind in enumerate(kinds)]
    found = row_hashes(columns, seed=3).tolist()
    for row, hashed in zip(rows, found, strict=True):
        assert [other == row for other in rows] == [other == hashed for other in found]


def test_every_bit_of_a_number_moves_half_of_the_bits() -> None:
    numbers = np.concatenate([np.zeros(1, dtype=np.int64), np.int64(1) << np.arange(63)])
    found = row_hashes([pa.array(numbers), pa.array(np.zeros(64))], seed=1)
    moved = np.bitwise_count(found[1:] ^ found[0])
    assert 28 < moved.mean() < 36
    assert moved.min() > 12


def test_many_rows_differ_and_spread_evenly() -> None:
    numbers = pa.array(np.arange(200_000))
    found = row_hashes([numbers, numbers.cast(pa.string())], seed=1)
    assert len(np.unique(found)) == 200_000
    assert np.bincount((found >> np.uint64(60)).astype(np.int64)).max() < 13_200
    assert len(np.unique(found.astype(np.uint32))) > 199_980


LETTERS = string.digits + string.ascii_uppercase
NUMBERS = [float(number) for number in range(8)]
# Values that differ in a few places, as keys and codes do.
FAMILIES: dict[str, list[tuple[Any, ...]]] = {
    "codes": [(f"REF-24-{a}-XX{b}-YY{c}",) for a, b, c in itertools.product(LETTERS, repeat=3)],
    "short texts of bytes": [(bytes(part),) for size in (1, 2) for part in itertools.product(range(150), repeat=size)],
    "packed numbers": [
        (struct.pack("<ifff", 7, *part),) for part in itertools.product([*NUMBERS, -1.0, -2.0], repeat=3)
    ],
    "doubles": list(itertools.product(NUMBERS, repeat=5)),
    "lists": [([a, b, c],) for a, b, c in itertools.product(range(20), repeat=3)],
    "decimals": [
        (Decimal(sign * number * 2**60 + place),) for sign in (1, -1) for number in range(1, 90) for place in range(90)
    ],
}


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("seed", [1, 2])
def test_similar_values_do_not_share_hashes(name: str, seed: int) -> None:
    rows = list(dict.fromkeys(map(repr, FAMILIES[name])))
    kinds = {"decimals": pa.decimal128(38, 0), "lists": pa.list_(pa.int64())}
    columns = [pa.array(column, kinds.get(name)) for column in zip(*FAMILIES[name], strict=True)]
    assert len(np.unique(row_hashes(columns, seed))) == len(rows)


def test_keys_that_share_one_hash_do_not_share_another() -> None:
    """Of a million texts of sixteen digits, a few share 32 bits of a hash; of both seeds, none."""
    numbers = np.random.default_rng(1).choice(10**10, 1_000_000, replace=False)
    keys = pa.array([f"411111{number:010}" for number in numbers.tolist()])
    one, two = row_hashes([keys], 1), row_hashes([keys], 2)
    assert len(np.unique(one)) == len(numbers)
    low, high = one & np.uint64(0xFFFFFFFF), two & np.uint64(0xFFFFFFFF)
    assert len(numbers) - 300 < len(np.unique(low)) < len(numbers)
    assert len(np.unique(low << np.uint64(32) | high)) == len(numbers)


def test_seeds_are_independent_and_columns_have_an_order() -> None:
    one, two = pa.array([1, 2]), pa.array([2, 1])
    assert row_hashes([one, two], 1)[0] != row_hashes([one, two], 1)[1]
    assert row_hashes([one], 1)[0] != row_hashes([one], 2)[0]
    assert row_hashes([], 1, rows=3).tolist() == [0, 0, 0]


@pytest.mark.parametrize("name", EQUAL)
def test_several_seeds_at_a_time_give_the_same_hashes(name: str) -> None:
    kind, groups = EQUAL[name]
    columns = [pa.array([value for group in groups for value in group], kind)]
    together = hashing.hashes_by_seeds([*columns, *columns], (3, 4))
    assert together.tolist() == [row_hashes([*columns, *columns], seed).tolist() for seed in (3, 4)]


def test_hashes_stay_as_they_are() -> None:
    """A caller may keep them for a later release."""
    columns = [
        pa.array([1, None], pa.int32()),
        pa.array(["a long text of several words", None]),
        pa.array([0.5, None]),
        pa.array([[1, 2], None], pa.list_(pa.int32())),
        pa.array([Decimal("12345678901234567890.1"), None], pa.decimal128(38, 1)),
    ]
    assert [f"{found:016x}" for found in row_hashes(columns, seed=1).tolist()] == PINNED


PINNED = ["344cc858dddf5a3b", "96e0bed7e08af2e5"]
