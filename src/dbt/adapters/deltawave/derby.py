"""Functions that a Derby database needs for checksums: it has no hash functions of its own, but accepts Java's."""

from __future__ import annotations

import re

_TEMPLATE = (
    "create function {name} (value {takes}) returns {returns} parameter style java no sql language java "
    "deterministic returns null on null input external name '{method}'"
)

# Each method is in a jar of Spark's, or in Java.
FUNCTIONS = {
    name: _TEMPLATE.format(name=name, takes=takes, returns=returns, method=method)
    for name, takes, returns, method in (
        ("deltawave_hash", "varchar(32672)", "bigint", "org.apache.commons.codec.digest.MurmurHash2.hash64"),
        (
            "deltawave_bytes",
            "varchar(3000)",
            "varchar(3000) for bit data",
            "org.apache.commons.codec.binary.StringUtils.getBytesUtf8",
        ),
        (
            "deltawave_hex",
            "varchar(16000) for bit data",
            "varchar(32000)",
            "org.apache.commons.codec.binary.Hex.encodeHexString",
        ),
        ("deltawave_bits", "double", "bigint", "java.lang.Double.doubleToLongBits"),
    )
}

_UNKNOWN = re.compile(r"'(?:\w+\.)?(?P<name>DELTAWAVE_\w+)' is not recognized as a function", re.IGNORECASE)


def missing_function(message: str) -> str | None:
    """Return the statement that makes the function that Derby's message reports as missing; none for other messages."""
    found = _UNKNOWN.search(message)
    return FUNCTIONS.get(found["name"].lower()) if found else None
