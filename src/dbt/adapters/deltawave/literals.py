"""Python values as Spark SQL literals."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import Any

# Spark's widest decimal; a longer one is handed over as text for the surrounding cast.
MAX_DECIMAL_DIGITS = 38


def literal(value: Any) -> str:
    """Return ``value`` as a Spark SQL literal that loses nothing."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if len(str(abs(value))) <= MAX_DECIMAL_DIGITS else quoted(str(value))
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, float):
        return f"{value!r}D" if math.isfinite(value) else f"cast({quoted(str(value))} as double)"
    if isinstance(value, dt.datetime):
        return quoted(value.isoformat(sep=" "))
    if isinstance(value, dt.date):
        return quoted(value.isoformat())
    if isinstance(value, (bytes, bytearray)):
        return f"X'{value.hex()}'"
    return quoted(str(value))


def quoted(text: str) -> str:
    """Return ``text`` as a string literal."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _decimal(value: Decimal) -> str:
    if not value.is_finite():
        return quoted(str(value))
    plain = format(value, "f")
    digits = sum(character.isdigit() for character in plain)
    return plain if digits <= MAX_DECIMAL_DIGITS else quoted(plain)
