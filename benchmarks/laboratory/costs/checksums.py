"""How often a checksum hides a change (LG96 3.2)."""

from __future__ import annotations

import math


def single_error(bits: int) -> float:
    """E: the probability that a changed row keeps its checksum of ``bits`` bits, 2^-bits (LG96 3.2).

    Raises ``ValueError`` below one bit.
    """
    if bits < 1:
        raise ValueError(f"single_error: bits can't be {bits!r}; it takes a whole number from 1.")
    return 2.0**-bits


def missed_change_probability(changed_rows: float, bits: int) -> float:
    """Probability that one comparison misses a change, 1 - (1 - E)^rows (LG96 equation 1).

    Equal rows have equal checksums, so only changed rows can be missed; the paper counts all rows of the dump, the
    worst case. For range checksums, pass the number of changed ranges.
    """
    return _missed(changed_rows, single_error(bits))


def comparisons_before_error(changed_rows: float, error: float) -> float:
    """Expected number of comparisons up to the first missed change, 1 / (1 - p_day) (LG96 equation 2, for daily ones).

    ``error`` is :func:`single_error` of the bits. The result is infinite if ``error`` or ``changed_rows`` is 0.
    """
    missed = _missed(changed_rows, error)
    return 1 / missed if missed else math.inf


def _missed(changed_rows: float, error: float) -> float:
    # Computed directly, 1 - (1 - E)^rows would lose all digits of an E of 64 bits.
    return -math.expm1(changed_rows * math.log1p(-error))
