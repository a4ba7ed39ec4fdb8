"""Tables in this process that are not Spark's: of pandas, Polars, pyarrow, DuckDB and others that give Arrow data."""

from collections.abc import Mapping
from typing import Any

from deltawave.comparing.columns import Options
from deltawave.comparing.compared import compared_by
from deltawave.comparing.comparison import Comparison
from deltawave.comparing.connection import connected
from deltawave.comparing.duck_engine import DuckEngine
from deltawave.sides import Side


class _Stream:
    """A table of which DuckDB sees nothing else: it would take one of its own for one of this connection."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


def compared_in_memory(tables: Mapping[Side, Any], options: Options) -> Comparison:
    """What differs between two tables. Raises ``TypeError`` for what gives no Arrow data."""
    for side, table in tables.items():
        if not hasattr(table, "__arrow_c_stream__"):
            what = f"{type(table).__module__}.{type(table).__qualname__}"
            raise TypeError(f"The {side} table is a {what}, which has no __arrow_c_stream__: it is no table.")
    with connected() as connection:
        engine = DuckEngine(connection)
        for side, table in tables.items():
            # A stream can be read once.
            connection.register("given", _Stream(table))
            engine.load(side, "select * from given")
        return compared_by(engine, options)
