"""Names and values as Spark's SQL reads them."""

import math
from decimal import Decimal
from typing import Any

# Spark's widest decimal; a longer one is written as text, for the cast around it.
MAX_DECIMAL_DIGITS = 38


def quoted(*names: str) -> str:
    """Return a name, or a path of names, in backquotes."""
    return ".".join("`" + name.replace("`", "``") + "`" for name in names)


def literal(value: Any) -> str:
    """Return ``value`` as a literal that loses nothing; of a type that SQL does not have, its text."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, Decimal)):
        plain = str(value) if isinstance(value, int) else f"{value:f}"
        # None in NaN and Infinity.
        digits = sum(map(str.isdigit, plain))
        return plain if 1 <= digits <= MAX_DECIMAL_DIGITS else _text(plain)
    if isinstance(value, float):
        return f"{value!r}D" if math.isfinite(value) else f"cast({_text(str(value))} as double)"
    if isinstance(value, (bytes, bytearray)):
        return f"X'{value.hex()}'"
    return _text(str(value))


def _text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    # Anywhere in a statement, Spark replaces ${name} by the setting of that name.
    return "'" + escaped.replace("${", "\\u0024{") + "'"
