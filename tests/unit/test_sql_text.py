"""Values as SQL literals."""

import datetime as dt
from decimal import Decimal

import pytest

from deltawave.sql_text import literal


@pytest.mark.parametrize(
    ("value", "sql"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (9007199254740993, "9007199254740993"),
        (-1, "-1"),
        (10**40, "'1" + "0" * 40 + "'"),
        (Decimal("1.50"), "1.50"),
        (Decimal("1E+3"), "1000"),
        (Decimal("NaN"), "'NaN'"),
        (Decimal("1E-50"), "'0." + "0" * 49 + "1'"),
        (0.1, "0.1D"),
        (1e300, "1e+300D"),
        (float("inf"), "cast('inf' as double)"),
        (dt.date(999, 12, 31), "'0999-12-31'"),
        (dt.datetime(2020, 1, 1, 10, 11, 12, 123456), "'2020-01-01 10:11:12.123456'"),
        (dt.datetime(2020, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=2))), "'2020-01-01 00:00:00+02:00'"),
        (b"\x00\xff", "X'00ff'"),
        ("", "''"),
        ("O'Hara", r"'O\'Hara'"),
        ("a\\b", r"'a\\b'"),
        ("\\'", r"'\\\''"),
        ("100%s", "'100%s'"),
    ],
)
def test_literal(value, sql):
    assert literal(value) == sql
