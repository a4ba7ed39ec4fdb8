"""The rows that differ, as a file: a row for each pair that changed, and for each row that only one table has."""

from collections.abc import Iterable
from pathlib import Path

import duckdb

from deltawave.comparing.dialects import DuckDialect, quoted
from deltawave.comparing.duck_engine import DuckEngine
from deltawave.comparing.equality import cell, differs
from deltawave.sides import SIDES

ROW_FORMATS = ("csv", "parquet")
_literal = DuckDialect().literal


def write_rows(connection: duckdb.DuckDBPyConnection, engine: DuckEngine, format: str, target: Path) -> None:
    """Write the rows that differ to a file.

    Columns: ``_change`` (changed, only_old or only_new), ``_changed_columns``, those of the key, and for each other
    column of the old and of the new table ``old__name`` and ``new__name``.
    """
    columns = engine.columns
    keys = [column for column in columns if column.is_key and column.places]
    others = [column for column in columns if not column.is_key]
    names = " || ".join(
        f"case when {differs(column)} then [{_literal(column.name)}] else [] end"
        for column in others
        if column.is_compared
    )
    listed = f"nullif(array_to_string({names}, ', '), '')" if names and format == "csv" else names or "[]::VARCHAR[]"
    cells = [
        "kind as _change",
        f"{listed} as _changed_columns",
        *_named((column.name, cell(column, "old")) for column in keys),
        *_named(
            (f"{side}__{column.name}", cell(column, side))
            for column in others
            for side in SIDES
            if side in column.types
        ),
    ]
    order = ", ".join(cell(column, "old") for column in columns if column.is_key)
    select = f"select {', '.join(cells)} from {engine.pairs} order by {order}"
    header = ", header" if format == "csv" else ""
    connection.execute(f"copy ({select}) to {_literal(str(target.absolute()))} (format {format}{header})")


def _named(cells: Iterable[tuple[str, str]]) -> list[str]:
    return [f"{cell} as {quoted(name)}" for name, cell in cells]
