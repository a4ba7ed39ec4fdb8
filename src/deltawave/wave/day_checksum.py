"""The checksum of a day's rows, by which changes are noticed: an aggregate in SQL."""

from __future__ import annotations

from collections.abc import Mapping

from deltawave.differencing.comparable import comparable_part, literal
from deltawave.differencing.in_place import quoted
from deltawave.wave.operations import Days
from deltawave.wave.tables import IS_FIRST, PART, Part, WaveRecord, WaveSpec
from deltawave.wave.type_texts import nesting

# So that the text is the same in every session, to the microsecond.
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


def changed_days(record: WaveRecord, days: Days, written: Mapping[int, tuple[str, Part]]) -> str:
    """A query for the ``days`` whose written rows differ from the source's rows at the beginning of the run.

    Its columns are the ``day``, the ``checksum`` of the written rows, and whether their number differs
    (``has_other_count``).

    ``written``: the table and part of each day.
    """
    spec = record.spec
    places = {(table, part.name) for table, part in written.values()}
    once = f" and {IS_FIRST}" if spec.is_multiple else ""
    rows = "\nunion all\n".join(
        f"select * from {table} where {PART} = {literal(part)}{once}" for table, part in sorted(places)
    )
    wanted = ", ".join(
        f"({literal(record.days[day].value)}, {record.days[day].rows}L, {literal(record.days[day].checksum)})"
        for day in sorted(days)
    )
    day = f"cast({quoted(spec.day_column)} as string)"
    return (
        "select wanted.day, found.checksum, coalesce(found.row_count, 0L) <> wanted.row_count as has_other_count\n"
        f"from (values {wanted}) as wanted(day, row_count, checksum)\nleft join (\n"
        f"select {day} as day, count(*) as row_count, {day_checksum(spec)} as checksum\nfrom (\n{rows}\n)\n"
        f"group by {day}\n) as found on wanted.day = found.day\n"
        "where coalesce(found.row_count, 0L) <> wanted.row_count\n"
        "or wanted.row_count > 0 and found.checksum <> wanted.checksum\norder by wanted.day"
    )


def row_hash(spec: WaveSpec) -> str:
    """A bigint over all columns of a row. ``xxhash64`` skips nulls, so a list of flags marks them."""
    values = [_hashable(quoted(name), kind) for name, kind in spec.columns]
    nulls = [f"isnull({quoted(name)})" for name, _ in spec.columns]
    return f"xxhash64({', '.join(values)}, array({', '.join(nulls)}))"


def _hashable(column: str, kind: str) -> str:
    if kind.startswith(("array<", "struct<", "map<", "variant")):
        options = ", ".join(f"{literal(name)}, {literal(value)}" for name, value in _JSON.items())
        # Variants of several types have the same text.
        value = comparable_part(column, nesting(kind)) if "variant" in kind else column
        return f"to_json(named_struct('value', {value}), map({options}))"
    # Texts that are equal under a collation can differ.
    return f"cast({column} as binary)" if kind.startswith("string collate") else column
