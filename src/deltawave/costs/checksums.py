"""LG96 3.2: how long it takes until a checksum hides a change."""

from __future__ import annotations

import math


def single_error(bits: int) -> float:
    """E: the probability that a changed row has its old checksum of so many bits, 2^-bits (LG96 3.2).

    Raises ``ValueError`` below one bit.
    """
    if bits < 1:
        raise ValueError(f"single_error: bits can't be {bits!r}; it takes a whole number from 1.")
    return 2.0**-bits


def missed_change_probability(changed_rows: float, bits: int) -> float:
    """Probability that one comparison misses a change, 1 - (1 - E)^rows (LG96 equation 1).

    ``changed_rows`` are the changed rows of a comparison: equal rows have equal checksums, so nothing is missed there.
    The paper counts all rows of the dump, for the worst case. Of range checksums, count the changed ranges.
    """
    return _missed(changed_rows, single_error(bits))


def comparisons_before_error(changed_rows: float, error: float) -> float:
    """Expected number of daily comparisons up to the first missed change, 1 / (1 - p_day) (LG96 equation 2).

    ``error`` is :func:`single_error` of the bits. Without an error or a changed row this is infinite.
    """
    missed = _missed(changed_rows, error)
    return 1 / missed if missed else math.inf


def _missed(changed_rows: float, error: float) -> float:
    # 1 - (1 - E)^rows keeps no digit of an E of 64 bits.
    return -math.expm1(changed_rows * math.log1p(-error))
