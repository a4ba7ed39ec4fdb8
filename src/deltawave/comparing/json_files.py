"""JSON, read by DuckDB: lines, an array, or rows that lie under one name. Texts stay as they are written."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import duckdb

from deltawave.comparing.csv_files import Reading, escaped
from deltawave.comparing.dialects import DuckDialect, quoted
from deltawave.comparing.equality import number_text
from deltawave.comparing.paths import File
from deltawave.pages.texts import short

# In bytes; a file that is one object may be longer.
_LARGEST_ROW, _LARGEST = 1 << 26, (1 << 31) - 1
# What DuckDB sees in texts.
_IN_TEXTS = ("date", "time", "timestamp", "timestamp_ns", "timestamp with time zone", "uuid", "null")
_LINES = ("jsonl", "ndjson")
# What DuckDB calls a column whose name differs from another's in case only.
_NUMBERED = re.compile(r"(.+)_\d+")
# Whole numbers that a double may round, and such ones within lists and objects.
_LONG, _LONG_WITHIN = "-?[0-9]{16,}", r"[\[:,]\s*-?[0-9]{16,}\s*[,}\]]"
_dialect = DuckDialect()


def select(
    connection: duckdb.DuckDBPyConnection, files: Sequence[File], key: Collection[str], reading: Reading
) -> str | None:
    """A select of the rows of files; None if they have none. Raises ``ValueError`` for what would lose values.

    ``key``: the names of the key in lower case: an object that has them is a row itself
    """
    types = _types(connection, f"select * from {_source(files, ', sample_size = -1')}")
    if list(types) == ["json"]:
        if not connection.execute(f"select * from {_source(files, '')} limit 1").fetchall():
            return None
        names = ", ".join(file.name for file in files[:3])
        wanted = "It has to be objects: on lines, in an array, or in an array under one name"
        raise ValueError(f"{names} has no rows of JSON. {wanted}.")
    columns = {name: _as_written(each) for name, each in types.items()}
    _require_unlike_names(connection, files, types)
    long, nested = _long_numbers(connection, files, types, columns)
    columns |= long | nested
    listed = ", ".join(f"{_dialect.literal(name)}: {_dialect.literal(each)}" for name, each in columns.items())
    # DuckDB knows the geometries of GeoJSON, and how it is made, only where it finds the columns itself.
    is_found = any(each.id == "geometry" for each in types.values())
    source = _source(files, ", sample_size = -1" if is_found else f", columns = {{{listed}}}")
    inner = _inner(connection, files, types, source, key)
    if inner and not _has_rows(types[inner]):
        ((longest,),) = connection.execute(f"select max(len({quoted(inner)})) from {source}").fetchall()
        if not longest:
            return None
        inner = None
    if inner:
        if inner in nested:
            wrong = f"{files[0].name} has whole numbers of more than 15 digits beside fractions under {short(inner)}"
            raise ValueError(f"{wrong}, which would be rounded: write its rows as lines.")
        if others := ", ".join(short(name) for name in types if name != inner):
            reading.note(f"{files[0].name}: rows are those under {short(inner)}; not compared: {others}")
        return f"select unnest(each_row) from (select unnest({quoted(inner)}) as each_row from {source})"
    texts = {name: f"cast({quoted(name)} as VARCHAR)" for name, each in types.items() if each.id == "geometry"}
    texts |= {name: number_text(quoted(name), _dialect) for name, kind in long.items() if kind == "VARCHAR"}
    texts |= {name: f"cast(json({quoted(name)}) as VARCHAR)" for name in nested}
    cells = [f"{text} as {quoted(name)}" for name, text in texts.items()]
    return f"select * replace ({', '.join(cells)}) from {source}" if cells else f"select * from {source}"


def _types(connection: duckdb.DuckDBPyConnection, select: str) -> dict[str, Any]:
    return {each[0]: each[1] for each in connection.execute(f"{select} limit 0").description or []}


def _source(files: Sequence[File], options: str) -> str:
    listed, common = _listed(files)
    return (
        f"read_json([{listed}], {common}, union_by_name = true, map_inference_threshold = -1, maximum_depth = -1"
        f"{options})"
    )


def _listed(files: Sequence[File]) -> tuple[str, str]:
    """Files in a list of SQL, and the options with which all functions of DuckDB read them."""
    listed = ", ".join(_dialect.literal(escaped(file.path)) for file in files)
    size = max(_LARGEST_ROW, max(file.path.stat().st_size for file in files))
    return listed, f"format = 'auto', compression = 'none', maximum_object_size = {min(size, _LARGEST)}"


def _as_written(type_: Any) -> str:
    """A type of DuckDB in which texts stay texts."""
    identity = type_.id
    if identity in _IN_TEXTS or str(type_) == "JSON":
        return "VARCHAR"
    if identity == "list":
        return f"{_as_written(type_.children[0][1])}[]"
    if identity == "struct":
        return f"STRUCT({', '.join(f'{quoted(name)} {_as_written(each)}' for name, each in type_.children)})"
    return str(type_)


def _require_unlike_names(
    connection: duckdb.DuckDBPyConnection, files: Sequence[File], types: Mapping[str, Any]
) -> None:
    """Raise ``ValueError`` for names that differ in case only, of which DuckDB would read one."""
    names = {name.lower() for name in types}
    numbered = filter(None, map(_NUMBERED.fullmatch, types))
    if len(files) == 1 and not any(each[1].lower() in names for each in numbered):
        return
    listed, options = _listed(files)
    found = connection.execute(
        f"select distinct unnest(json_keys(json)) as name from read_json_objects([{listed}], {options}) order by name"
    ).fetchall()
    of_lower: dict[str, str] = {}
    for (name,) in found:
        if (other := of_lower.setdefault(name.lower(), name)) != name:
            raise ValueError(
                f"{files[0].name} has names that differ in case only, {short(other)} and {short(name)}: rename one."
            )


def _long_numbers(
    connection: duckdb.DuckDBPyConnection, files: Sequence[File], types: Mapping[str, Any], columns: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """The types of columns that DuckDB reads as doubles though they have long whole numbers: it would round them.

    First those of numbers: decimals if all are whole, or else texts; then those of lists and objects, as texts.
    """
    doubles = [name for name, each in types.items() if each.id == "double"]
    nested = [name for name, each in types.items() if each.id != "double" and _has_double(each)]
    if not doubles + nested or any(each.id == "geometry" for each in types.values()):
        return {}, {}
    as_texts = {**columns, **dict.fromkeys(doubles + nested, "VARCHAR")}
    listed = ", ".join(f"{_dialect.literal(name)}: {_dialect.literal(each)}" for name, each in as_texts.items())
    are_whole = [f"bool_and({_dialect.matches(quoted(name), '-?[0-9]{1,38}')})" for name in doubles]
    are_long = [f"bool_or({_dialect.matches(quoted(name), _LONG)})" for name in doubles]
    have_long = [f"bool_or(regexp_matches({quoted(name)}, {_dialect.literal(_LONG_WITHIN)}))" for name in nested]
    (found,) = connection.execute(
        f"select {', '.join(are_whole + are_long + have_long)} from {_source(files, f', columns = {{{listed}}}')}"
    ).fetchall()
    number = len(doubles)
    numbers = {
        name: "DECIMAL(38,0)" if is_whole else "VARCHAR"
        for name, is_whole, is_long in zip(doubles, found[:number], found[number : 2 * number], strict=True)
        if is_whole or is_long
    }
    return numbers, {name: "VARCHAR" for name, has in zip(nested, found[2 * number :], strict=True) if has}


def _has_double(type_: Any) -> bool:
    if type_.id in ("list", "struct"):
        return any(_has_double(each) for _, each in type_.children)
    return str(type_) == "DOUBLE"


def _inner(
    connection: duckdb.DuckDBPyConnection,
    files: Sequence[File],
    types: Mapping[str, Any],
    source: str,
    key: Collection[str],
) -> str | None:
    """The one name under which an object has a list of rows, if that object is all there is."""
    lists = [name for name, each in types.items() if _has_rows(each)]
    # Nothing shows what an empty list is for.
    lists = lists or [name for name, each in types.items() if str(each) == "JSON[]"]
    names = {name.lower() for name in types}
    if len(lists) != 1 or (key and names.issuperset(key)) or any(file.extension in _LINES for file in files):
        return None
    objects = connection.execute(f"select count(*) from {source}").fetchall()[0][0]
    return lists[0] if objects == len(files) else None


def _has_rows(type_: Any) -> bool:
    return bool(type_.id == "list" and type_.children[0][1].id == "struct")


def problem(error: duckdb.Error, files: Sequence[File]) -> str | None:
    """What is wrong with a file of JSON, and where; None for an error of another kind."""
    message = str(error)
    if "JSON" not in message:
        return None
    file = next((file for file in files if f'"{file.path.absolute()}"' in message), files[0])
    if "duplicate key" in message:
        text = short(message.split("Object ")[-1].split("\n")[0])
        return f"{file.name} has an object with a name that occurs twice: {text}. Rename one."
    if "UTF-8" in message:
        return f"{file.name} is not JSON in UTF-8: give its --encoding, for instance windows-1252."
    where = _where(file)
    return f"{file.name}{where or ' can not be read: ' + short(message, 300)}. Mend it."


def _where(file: File) -> str | None:
    """Where a file stops being JSON."""
    data = file.path.read_bytes()
    try:
        json.loads(data)
        return None
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":
            return f", line {error.lineno}, column {error.colno}, is not JSON: {error.msg}"
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            if line.strip():
                json.loads(line)
        except json.JSONDecodeError as error:
            text = short(line.decode(errors="replace"))
            return f", line {number}, column {error.colno}, is not JSON: {error.msg}: {text}"
    return None
