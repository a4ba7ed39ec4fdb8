"""The SQL of wave indexes: tables, parts, the rows of a day, and the view."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pyspark.sql.types import DataType

from deltawave.comparable import comparable_part
from deltawave.sql_text import literal, quoted
from deltawave.wave.operations import Days
from deltawave.wave.tables import IS_FIRST, PART, PLACE, VALUE, Part, WaveRecord, WaveSpec, as_comment

PARTS_DROPPED = (
    "The wave index has dropped parts that this query names, since it has made two more transitions: make the query "
    "again."
)


def day_literal(spec: WaveSpec, value: str) -> str:
    return literal(value) if spec.day_type == "string" else f"cast({literal(value)} as {spec.day_type})"


def of_days(record: WaveRecord, days: Iterable[int]) -> str:
    """A condition that holds for rows of these days."""
    values = ", ".join(day_literal(record.spec, record.days[day].value) for day in sorted(days))
    return f"{quoted(record.spec.day_column)} in ({values})"


def create_table(spec: WaveSpec, table: str) -> str:
    """A table of an index: bucketed and sorted by the search field, with one partition per part."""
    columns = ",\n    ".join(f"{quoted(name)} {kind}" for name, kind in spec.entry_columns)
    field = quoted(spec.bucketed_by)
    return (
        f"create table {table} (\n    {columns},\n    {PART} string\n)\nusing parquet\npartitioned by ({PART})\n"
        f"clustered by ({field}) sorted by ({field}) into {spec.buckets} buckets"
    )


def reserve_part(table: str, part: str) -> str:
    """Register a part before it is written, with a folder of its own (relative to the table's).

    Inserts into a table's usual folders share one folder for temporary files, which the first to end removes; the
    others would lose rows without an error. Also, rows of a killed insert are in a part that the catalog knows, and
    drops.
    """
    return f"alter table {table} add partition ({PART} = {literal(part)}) location {literal(part)}"


def insert_part(spec: WaveSpec, table: str, part: str, rows: str) -> str:
    """Write a part: one sorted file for each bucket that has rows."""
    names = ", ".join(quoted(name) for name, _ in spec.entry_columns)
    return (
        f"insert into {table} partition ({PART} = {literal(part)})\n"
        f"select /*+ repartition({spec.buckets}, {quoted(spec.bucketed_by)}) */ {names}\nfrom (\n{rows}\n)"
    )


def source_rows(record: WaveRecord, source: str, days: Days) -> str:
    """The entries of days that a source delivers."""
    spec = record.spec
    columns = ", ".join(quoted(name) for name, _ in spec.columns)
    if not spec.is_multiple:
        return f"select {columns} from {source} where {of_days(record, days)}"
    return (
        f"select {columns}, {VALUE}, coalesce({PLACE}, 0) = 0 as {IS_FIRST} from {source}\n"
        f"lateral view outer posexplode(array_distinct({quoted(spec.search_field)})) wave_values as {PLACE}, {VALUE}\n"
        f"where {of_days(record, days)}"
    )


def part_rows(record: WaveRecord, table: str, part: Part, days: Days) -> str:
    """The entries of days that a part has."""
    condition = f"{PART} = {literal(part.name)}"
    if days != part.days:
        condition += f" and {of_days(record, days)}"
    names = ", ".join(quoted(name) for name, _ in record.spec.entry_columns)
    return f"select {names} from {table} where {condition}"


def drop_part(table: str, part: str) -> str:
    return f"alter table {table} drop if exists partition ({PART} = {literal(part)})"


def part_filter(parts: Sequence[Part]) -> str:
    """A condition that holds for rows of these parts."""
    return f"{PART} in ({', '.join(literal(part.name) for part in parts)})"


def parts_are_there(record: WaveRecord, table: str, parts: Sequence[Part]) -> str | None:
    """A condition that fails if a part with rows has been dropped; None where only whole tables are.

    A scan of partitions that are no longer there would find no rows, without an error.
    """
    filled = [part for part in parts if any(record.days[day].rows for day in part.days)]
    if record.spec.technique != "in_place" or not filled:
        return None
    return (
        f"(select assert_true(size(collect_set({PART})) = {len(filled)}, {literal(PARTS_DROPPED)}) is null "
        f"from {table} where {part_filter(filled)})"
    )


def view_select(record: WaveRecord, mark: dict[str, Any]) -> str:
    """The select that readers see: the rows of all constituents. Its text has ``mark`` and the record in a comment."""
    columns = ", ".join(quoted(name) for name, _ in record.spec.columns)
    comment = as_comment({**mark, "wave": record.to_json()})
    shown = frozenset(day for day in record.days if day >= record.first_shown)
    # All tables have the same columns. Naming them once keeps the view's text short.
    branches = entries(record, shown, [IS_FIRST] if record.spec.is_multiple else [])
    return f"select /* deltawave {comment} */ {columns} from (\n" + "\nunion all\n".join(branches) + "\n)"


def entries(record: WaveRecord, days: Days, conditions: Sequence[str] = (), checks_parts: bool = False) -> list[str]:
    """Selects of the entries of days that fulfil conditions, from each constituent that has some of these days.

    ``checks_parts``: let them fail if a part with rows has been dropped since (see :func:`parts_are_there`).
    """
    found = []
    for table in record.constituents:
        parts = [part for part in table.parts if part.days & days]
        if not parts:
            continue
        there = parts_are_there(record, table.name, parts) if checks_parts else None
        has_others = any(not part.days <= days for part in parts)
        of_range = of_days(record, days & table.days) if has_others else None
        fulfilled = [each for each in (part_filter(parts), there, *conditions, of_range) if each]
        found.append(f"select * from {table.name} where {' and '.join(fulfilled)}")
    return found


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
        f"select {place} as {PLACE}, * from {table} where {PART} = {literal(part.name)}{once}"
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
        f"select {PLACE}, {value} as day, count(*) as row_count, {day_checksum(spec)} as checksum\nfrom (\n{rows}\n)\n"
        f"group by {PLACE}, {value}\n) as found on wanted.place = found.{PLACE} and wanted.day = found.day\n)\n"
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
