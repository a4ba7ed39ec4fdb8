"""How often a checksum hides a change, against LG96 3.2."""

import math

import pytest

from laboratory.costs.checksums import comparisons_before_error, missed_change_probability, single_error

RECORDS = 1_789_570


def test_2430_days_come_from_a_rounded_error() -> None:
    assert single_error(32) == pytest.approx(2.3e-10, rel=0.02)
    assert round(comparisons_before_error(RECORDS, 2.3e-10)) == 2430
    assert round(comparisons_before_error(RECORDS, single_error(32))) == 2400


def test_no_digit_is_lost_for_wide_checksums() -> None:
    assert missed_change_probability(1e6, 64) == pytest.approx(1e6 / 2**64)
    assert missed_change_probability(1e6, 128) == pytest.approx(1e6 / 2**128)


def test_equal_rows_are_never_missed() -> None:
    assert missed_change_probability(0, 32) == 0
    assert comparisons_before_error(0, single_error(32)) == math.inf


def test_more_changes_and_fewer_bits_miss_more() -> None:
    rates = [missed_change_probability(rows, bits) for rows, bits in [(10, 64), (1000, 64), (1000, 32), (10**9, 16)]]
    assert rates == sorted(rates)
    assert rates[-1] == pytest.approx(1)


def test_a_checksum_has_bits() -> None:
    with pytest.raises(ValueError, match="bits can't be 0"):
        single_error(0)
