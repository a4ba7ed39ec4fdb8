"""The checksum of a day's rows, by which changes are noticed: an aggregate in SQL."""

from collections.abc import Mapping, Sequence

from pyspark.sql.types import DataType

from deltawave.comparable import comparable_part
from deltawave.sql_text import literal, quoted
from deltawave.wave.operations import Days
from deltawave.wave.tables import IS_FIRST, PART, Part, WaveRecord, WaveSpec

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


def changed_days(
    record: WaveRecord, days: Days, first: Mapping[int, tuple[str, Part]], written: Sequence[tuple[str, Part]]
) -> str:
    """A query for the days whose written rows differ from those that were expected.

    New ``days`` are compared with the source's rows at the beginning of the run where they were written ``first``;
    copied ones with the record, or, if new, with the rows that were copied. The columns of the query are the ``day``,
    the ``checksum`` of the written rows, whether their number differs (``has_other_count``), and whether they were
    copied (``is_copied``).

    ``written``: the tables and parts that were written.
    """
    spec = record.spec
    once = f" and {IS_FIRST}" if spec.is_multiple else ""
    rows = "\nunion all\n".join(
        f"select {place} as place, * from {table} where {PART} = {literal(part.name)}{once}"
        for place, (table, part) in enumerate(written)
    )
    wanted = []
    for place, (table, part) in enumerate(written):
        for number in sorted(part.days):
            day, is_new = record.days[number], number in days
            is_copied = not is_new or first[number] != (table, part)
            checksum = "null" if is_new and is_copied else literal(day.checksum)
            wanted.append(f"({place}, {literal(day.value)}, {day.rows}L, {checksum}, {str(is_copied).lower()})")
    value = f"cast({quoted(spec.day_column)} as string)"
    return (
        "select day, found_checksum as checksum, found_rows <> row_count as has_other_count, is_copied from (\n"
        "select wanted.*, found.checksum as found_checksum, coalesce(found.row_count, 0L) as found_rows,\n"
        "first(found.checksum) over (partition by wanted.day order by is_copied, wanted.place) as first_checksum\n"
        f"from (values {', '.join(wanted)}) as wanted(place, day, row_count, checksum, is_copied)\nleft join (\n"
        f"select place, {value} as day, count(*) as row_count, {day_checksum(spec)} as checksum\nfrom (\n{rows}\n)\n"
        f"group by place, {value}\n) as found on wanted.place = found.place and wanted.day = found.day\n)\n"
        "where found_rows <> row_count\n"
        "or row_count > 0 and found_checksum <> coalesce(checksum, first_checksum)\norder by day, is_copied"
    )


def row_hash(spec: WaveSpec) -> str:
    """A bigint over all columns of a row. ``xxhash64`` skips nulls, so a list of flags marks them."""
    values = [_hashable(quoted(name), kind) for name, kind in spec.columns]
    nulls = [f"isnull({quoted(name)})" for name, _ in spec.columns]
    return f"xxhash64({', '.join(values)}, array({', '.join(nulls)}))"


def _hashable(column: str, kind: str) -> str:
    if kind.startswith(("array<", "struct<", "map<", "variant")):
        options = ", ".join(f"{literal(name)}, {literal(value)}" for name, value in _JSON.items())
        # Variants of several types have the same text. Only for them, a session has to parse the type.
        value = comparable_part(column, DataType.fromDDL(kind)) if "variant" in kind else column
        return f"to_json(named_struct('value', {value}), map({options}))"
    # Texts that are equal under a collation can differ.
    return f"cast({column} as binary)" if kind.startswith("string collate") else column
