"""Names and values as Spark's SQL reads them."""

import math
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

# Spark's widest decimal; a longer one is written as text, for the cast around it.
MAX_DECIMAL_DIGITS = 38


def quoted(*names: str) -> str:
    """Return a name, or a path of names, in backquotes."""
    return ".".join("`" + name.replace("`", "``") + "`" for name in names)


def plain_text(value: Any) -> str:
    """Return a value's text, which Spark casts back to its type; numbers without an exponent."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


def literal(value: Any) -> str:
    """Return ``value`` as a literal that loses nothing; of a type that SQL does not have, its text."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return plain_text(value)
    if isinstance(value, (int, Decimal)):
        plain = plain_text(value)
        # None in NaN and Infinity.
        digits = sum(map(str.isdigit, plain))
        return plain if 1 <= digits <= MAX_DECIMAL_DIGITS else _text(plain)
    if isinstance(value, float):
        return f"{value!r}D" if math.isfinite(value) else f"cast({_text(str(value))} as double)"
    if isinstance(value, (bytes, bytearray)):
        return f"X'{value.hex()}'"
    return _text(plain_text(value))


def _text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    # Anywhere in a statement, Spark replaces ${name} by the setting of that name.
    return "'" + escaped.replace("${", "\\u0024{") + "'"


def unused_prefix(prefix: str, names: Iterable[str]) -> str:
    """The prefix, longer if one of the names begins with it."""
    while any(name.lower().startswith(prefix) for name in names):
        prefix += "_"
    return prefix
