"""What tells whether the rows of a day changed: an aggregate in SQL."""

from __future__ import annotations

from deltawave.wave.statements import literal, quoted
from deltawave.wave.tables import WaveSpec

# The same text in every session, to the microsecond.
_JSON = {
    "timestampFormat": "yyyy-MM-dd HH:mm:ss.SSSSSS",
    "timestampNTZFormat": "yyyy-MM-dd HH:mm:ss.SSSSSS",
    "timeZone": "UTC",
    "ignoreNullFields": "false",
}


def day_checksum(spec: WaveSpec) -> str:
    """An aggregate over the rows of a day, as 16 hexadecimal digits; their order does not matter, their number does."""
    hashed = row_hash(spec)
    return f"lower(hex(xxhash64(bit_xor({hashed}), sum(cast({hashed} as decimal(38, 0))))))"


def row_hash(spec: WaveSpec) -> str:
    """A bigint over all columns of a row. ``xxhash64`` skips nulls, so those are told apart by a list of flags."""
    values = [_hashable(quoted(name), kind) for name, kind in spec.columns]
    nulls = [f"isnull({quoted(name)})" for name, _ in spec.columns]
    return f"xxhash64({', '.join(values)}, array({', '.join(nulls)}))"


def _hashable(column: str, kind: str) -> str:
    if kind.startswith(("array<", "struct<", "map<", "variant")):
        options = ", ".join(f"{literal(name)}, {literal(value)}" for name, value in _JSON.items())
        return f"to_json(named_struct('value', {column}), map({options}))"
    # Texts that are equal under a collation can differ.
    return f"cast({column} as binary)" if kind.startswith("string collate") else column
