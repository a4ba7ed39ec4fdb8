"""The files that ``deltawave compare`` reads, as tables of DuckDB."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import duckdb

from deltawave.comparing import csv_files, json_files
from deltawave.comparing.csv_files import Layout, Reading, escaped, partition_literal
from deltawave.comparing.dialects import DuckDialect, quoted
from deltawave.comparing.duck_engine import DuckEngine
from deltawave.comparing.kinds import Kind, decimal
from deltawave.comparing.paths import File, Table, transcoded
from deltawave.pages.texts import short
from deltawave.sides import SIDES, Side
from deltawave.sql_text import MAX_DECIMAL_DIGITS

# To look up many files for each statement takes longer than to copy them.
_FEW_FILES = 20
_literal = DuckDialect().literal


def engine_of(
    connection: duckdb.DuckDBPyConnection,
    tables: Mapping[Side, Table],
    readings: Mapping[Side, Reading],
    key: Collection[str],
    temporary: Path,
) -> DuckEngine:
    """Read both tables. ``key``: the names of the key. Raises ``ValueError`` for files that can't be read."""
    engine = DuckEngine(connection)
    for side in SIDES:
        _load(engine, connection, side, tables[side], readings[side], {name.lower() for name in key}, temporary / side)
    if not engine.fields:
        names = " and ".join(tables[side].name for side in SIDES)
        raise ValueError(f"{names} have no rows of JSON, and so no columns that could be compared.")
    for side, other in zip(SIDES, reversed(SIDES), strict=True):
        if side not in engine.fields:
            engine.load(side, f"select * from {engine.table(other)} limit 0")
            engine.fields[side] = engine.fields[other]
            readings[side].note(f"{tables[side].name} has no rows: its columns are those of {tables[other].name}")
    return engine


def _load(
    engine: DuckEngine,
    connection: duckdb.DuckDBPyConnection,
    side: Side,
    table: Table,
    reading: Reading,
    key: Collection[str],
    temporary: Path,
) -> None:
    temporary.mkdir(exist_ok=True)
    if table.kind == "csv":
        _load_csv(engine, connection, side, table, reading, key, temporary)
        return
    if table.kind == "json":
        files = [transcoded(file, reading.encoding, temporary / str(place)) for place, file in enumerate(table.files)]
        try:
            if (rows := json_files.select(connection, files, key, reading)) is not None:
                engine.load(side, rows)
        except duckdb.Error as error:
            raise ValueError(json_files.problem(error, files) or _unread(table, error)) from error
        return
    long: dict[str, Kind] = {}
    paths = [
        _with_short_decimals(connection, file, temporary / str(place), long) for place, file in enumerate(table.files)
    ]
    try:
        names = _names(connection, table) if len(table.files) == 1 else None
        engine.load(side, _select_parquet(table, paths), names, is_columnar=True)
        own = engine.fields[side]
        engine.fields[side] = {name: long.get(name, kind) if kind.is_text else kind for name, kind in own.items()}
    except duckdb.Error as error:
        raise ValueError(_unread(table, error)) from error


def _load_csv(
    engine: DuckEngine,
    connection: duckdb.DuckDBPyConnection,
    side: Side,
    table: Table,
    reading: Reading,
    key: Collection[str],
    temporary: Path,
) -> None:
    """Rows are copied if they have to be read several times, or if that shows what has to be noted of them."""
    ready = [transcoded(file, reading.encoding, temporary / str(place)) for place, file in enumerate(table.files)]
    files = [(file, csv_files.layout_of(file, reading)) for file in ready]
    files = [
        (csv_files.with_one_line_end(file, layout, temporary / f"{place}-lines"), layout)
        if csv_files.has_mixed_line_ends(file)
        else (file, layout)
        for place, (file, layout) in enumerate(files)
    ]
    unnamed = {name for _, layout in files for name in layout.unnamed}
    if key and not unnamed and not reading.skips and len(files) <= _FEW_FILES:
        select, names = csv_files.select(files, reading)
        with suppress(duckdb.Error):
            engine.load(side, select, names, read_by=lambda: _copy_csv(engine, side, table, files, reading, temporary))
            return
    ready = _copy_csv(engine, side, table, files, reading, temporary)
    if reading.skips:
        for note in csv_files.skipped(connection, ready):
            reading.note(note)
    if dropped := engine.drop_empty(side, unnamed.__contains__):
        reading.note(f"{table.name}: columns without a name and without values are left out: {', '.join(dropped)}")


def _copy_csv(
    engine: DuckEngine,
    side: Side,
    table: Table,
    files: Sequence[tuple[File, Layout]],
    reading: Reading,
    temporary: Path,
) -> list[File]:
    """Copy the rows of files, and return the files that were read, which may be mended copies."""
    ready = [file for file, _ in files]
    # What was wrong with files that are read in another way.
    wrong: dict[str, str] = {}
    while True:
        try:
            engine.load(side, *csv_files.select(files, reading))
            return ready
        except duckdb.Error as error:
            own = csv_files.file_of(error, ready)
            message = wrong.get(own.name) or csv_files.problem(error, ready) or _unread(table, error)
            if own.name in wrong or not csv_files.is_escaped_by_backslashes(error):
                raise ValueError(message) from error
            wrong[own.name] = message
            copy = csv_files.with_doubled_quotes(own, temporary / f"{len(wrong)}-quotes")
            files = [(copy if file == own else file, layout) for file, layout in files]
            ready = [file for file, _ in files]
            reading.note(f"{own.name}: quotes are escaped by backslashes")


def _select_parquet(table: Table, paths: Sequence[Path]) -> str:
    """A select of all rows, with the texts in the names of folders as CSV has them: DuckDB would read 01 as 1."""
    of_partitions: dict[tuple[tuple[str, str], ...], list[Path]] = {}
    for file, path in zip(table.files, paths, strict=True):
        of_partitions.setdefault(file.partition, []).append(path)
    selects = []
    for partition, own in of_partitions.items():
        listed = ", ".join(_literal(escaped(path)) for path in own)
        source = f"read_parquet([{listed}], union_by_name = true, hive_partitioning = false)"
        named = {name.lower(): (name, value) for name, value in partition}
        others = f"columns(lambda own: lower(own) not in ({', '.join(map(_literal, named))}))" if named else "*"
        texts = [f"{partition_literal(value)} as {quoted(name)}" for name, value in named.values()]
        selects.append(f"select {', '.join([others, *texts])} from {source}")
    return " union all by name ".join(selects)


def _with_short_decimals(
    connection: duckdb.DuckDBPyConnection, file: File, target: Path, long: dict[str, Kind]
) -> Path:
    """The path of a Parquet file without decimals of more than 38 digits, which DuckDB rounds: they become texts.

    ``long``: gets their types, by the names of their columns

    Raises ``ValueError`` if that needs pyarrow, which is not there, and for such decimals within other values.
    """
    try:
        ((longest,),) = connection.execute(
            f"select max(precision) from parquet_schema({_literal(escaped(file.path))})"
        ).fetchall()
    except duckdb.Error:
        return file.path
    if (longest or 0) <= MAX_DECIMAL_DIGITS:
        return file.path
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        what = f"{file.name} has decimals of {longest} digits, and DuckDB reads {MAX_DECIMAL_DIGITS}"
        raise ValueError(f"{what}: install pyarrow, which reads them.") from error
    table = pq.read_table(file.path, partitioning=None)
    for place, field in enumerate(table.schema):
        if pa.types.is_nested(field.type) and "decimal256(" in str(field.type):
            wrong = f"{file.name} has decimals of more than {MAX_DECIMAL_DIGITS} digits within the lists or objects of"
            raise ValueError(f"{wrong} {short(field.name)}, which would be rounded: make a column of them.")
        if pa.types.is_decimal256(field.type):
            long[field.name] = decimal(field.type.precision - field.type.scale, field.type.scale)
            table = table.set_column(place, field.name, table[place].cast(pa.string()))
    pq.write_table(table, target)
    return target


def _names(connection: duckdb.DuckDBPyConnection, table: Table) -> list[str] | None:
    """The names in a file, where DuckDB calls columns otherwise, as their names differ in case only.

    None where a name occurs twice: DuckDB's names are unique.
    """
    (file,) = table.files
    with suppress(duckdb.Error):
        rows = connection.execute(
            f"select name, coalesce(num_children, 0) from parquet_schema({_literal(escaped(file.path))})"
        ).fetchall()
        names: list[str] = []
        # The first one is the root; the children of a column follow it.
        inside = 0
        for name, children in rows[1:]:
            if not inside:
                names.append(name)
            inside = max(0, inside - 1) + children
        return None if file.partition or len(set(names)) < len(names) else names
    return None


def _unread(table: Table, error: duckdb.Error) -> str:
    message = " ".join(str(error).split("\n")[0].split())
    return f"{table.name} can't be read as {table.kind}: {message}"
