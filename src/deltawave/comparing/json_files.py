"""JSON, read by DuckDB: lines, an array, or rows that lie under one name. Texts stay as they are written."""

import gzip
import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import duckdb

from deltawave.comparing.csv_files import escaped
from deltawave.comparing.dialects import DuckDialect, quoted
from deltawave.comparing.paths import File
from deltawave.pages.texts import short

# In bytes; a file that is one object may be longer.
_LARGEST_ROW, _LARGEST = 1 << 26, (1 << 31) - 1
# What DuckDB sees in texts.
_IN_TEXTS = ("date", "time", "timestamp", "timestamp_ns", "timestamp with time zone", "uuid", "null")
_LINES = ("jsonl", "ndjson")
_dialect = DuckDialect()


def select(connection: duckdb.DuckDBPyConnection, files: Sequence[File], key: Collection[str]) -> str:
    """A select of the rows of files. Raises ``ValueError`` for files without rows.

    ``key``: the names of the key in lower case: an object that has them is a row itself
    """
    types = _types(connection, f"select * from {_source(files, ', sample_size = -1')}")
    if list(types) == ["json"]:
        names = ", ".join(file.name for file in files[:3])
        wanted = "It has to be objects: on lines, in an array, or in an array under one name"
        raise ValueError(f"{names} has no rows of JSON. {wanted}.")
    columns = {name: _as_written(each) for name, each in types.items()}
    columns |= _long_numbers(connection, files, types, columns)
    listed = ", ".join(f"{_dialect.literal(name)}: {_dialect.literal(each)}" for name, each in columns.items())
    # DuckDB knows the geometries of GeoJSON, and how it is made, only where it finds the columns itself.
    is_found = any(each.id == "geometry" for each in types.values())
    source = _source(files, ", sample_size = -1" if is_found else f", columns = {{{listed}}}")
    if inner := _inner(connection, files, types, source, key):
        return f"select unnest(each_row) from (select unnest({quoted(inner)}) as each_row from {source})"
    cells = [
        f"cast({quoted(name)} as VARCHAR) as {quoted(name)}" for name, each in types.items() if each.id == "geometry"
    ]
    return f"select * replace ({', '.join(cells)}) from {source}" if cells else f"select * from {source}"


def _types(connection: duckdb.DuckDBPyConnection, select: str) -> dict[str, Any]:
    return {each[0]: each[1] for each in connection.execute(f"{select} limit 0").description or []}


def _source(files: Sequence[File], options: str) -> str:
    listed = ", ".join(_dialect.literal(escaped(file.path)) for file in files)
    size = max(_LARGEST_ROW, max(file.path.stat().st_size for file in files))
    return (
        f"read_json([{listed}], format = 'auto', compression = '{files[0].packing}', union_by_name = true, "
        f"maximum_object_size = {min(size, _LARGEST)}, map_inference_threshold = -1, maximum_depth = -1{options})"
    )


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


def _long_numbers(
    connection: duckdb.DuckDBPyConnection, files: Sequence[File], types: Mapping[str, Any], columns: Mapping[str, str]
) -> dict[str, str]:
    """The columns that DuckDB reads as doubles though they have long whole numbers alone: a double would round them."""
    doubles = [name for name, each in types.items() if each.id == "double"]
    if not doubles or any(each.id == "geometry" for each in types.values()):
        return {}
    listed = ", ".join(
        f"{_dialect.literal(name)}: {_dialect.literal('VARCHAR' if name in doubles else each)}"
        for name, each in columns.items()
    )
    whole = ", ".join(f"bool_and({_dialect.matches(quoted(name), '-?[0-9]{1,38}')})" for name in doubles)
    (found,) = connection.execute(f"select {whole} from {_source(files, f', columns = {{{listed}}}')}").fetchall()
    return {name: "DECIMAL(38,0)" for name, is_whole in zip(doubles, found, strict=True) if is_whole}


def _inner(
    connection: duckdb.DuckDBPyConnection,
    files: Sequence[File],
    types: Mapping[str, Any],
    source: str,
    key: Collection[str],
) -> str | None:
    """The one name under which an object has a list of rows, if that object is all there is."""
    lists = [name for name, each in types.items() if each.id == "list" and each.children[0][1].id == "struct"]
    names = {name.lower() for name in types}
    if len(lists) != 1 or (key and names.issuperset(key)) or any(file.extension in _LINES for file in files):
        return None
    objects = connection.execute(f"select count(*) from {source}").fetchall()[0][0]
    return lists[0] if objects == len(files) else None


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
    if file.packing == "zstd":
        return None
    with gzip.open(file.path) if file.packing == "gzip" else file.path.open("rb") as opened:
        data = opened.read()
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
