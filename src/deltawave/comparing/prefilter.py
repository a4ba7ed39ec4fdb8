"""Leaves out rows that are equal before Spark joins two large tables on one machine: DuckDB finds them faster."""

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

import duckdb
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType

from deltawave.comparing.columns import Column
from deltawave.comparing.concentrations import LEAST_ROWS, as_value, estimate, is_category, measured
from deltawave.differencing.contract import SIDES, Side
from deltawave.differencing.hash_selects import hashes
from deltawave.differencing.local_engine import LocalEngine, name_in_duckdb, reaches
from deltawave.differencing.parquet_files import ChangedFileError

_LOG = logging.getLogger(__name__)

_MEMORY = 1 << 30
# Smaller tables are left to Spark alone.
_LEAST_BYTES = 32 << 20


@dataclass(frozen=True)
class Prefiltered:
    """What Spark has to join.

    - ``frames``: the rows of each table that may differ
    - ``equal``: how many pairs of equal rows were left out
    - ``values``: about how many values each category has in the whole tables, by their names among the counts
    - ``equal_values``: how many of the rows that were left out have each value of a category
    """

    frames: Mapping[Side, DataFrame]
    equal: int = 0
    values: Mapping[str, int] = field(default_factory=dict)
    equal_values: DataFrame | None = None


def prefiltered(frames: Mapping[Side, DataFrame], columns: Sequence[Column]) -> Prefiltered:
    """Leave out pairs of rows whose compared columns have the same hash of 128 bits: they are equal under all options.

    Nothing is left out of small tables, and where DuckDB cannot compare as Spark does.
    """
    same_types = not any(column.two_types for column in columns)
    if not (same_types and _file_bytes(frames) >= _LEAST_BYTES and all(map(reaches, frames.values()))):
        return Prefiltered(frames)
    try:
        with LocalEngine(frames["old"].sparkSession, _MEMORY) as engine:
            return _by_duckdb(engine, frames, columns)
    except (duckdb.Error, ChangedFileError) as error:
        _LOG.info("Spark joins all rows: %s", error)
        return Prefiltered(frames)


def _file_bytes(frames: Mapping[Side, DataFrame]) -> int:
    """The size of the files of this machine that both tables are read from."""
    paths = (unquote(urlsplit(uri).path) for frame in frames.values() for uri in frame.inputFiles())
    return sum(map(os.path.getsize, filter(os.path.isfile, paths)))


def _by_duckdb(engine: LocalEngine, frames: Mapping[Side, DataFrame], columns: Sequence[Column]) -> Prefiltered:
    own = {side: [column for column in columns if side in column.types] for side in SIDES}
    tables = Tables({side: _numbered(engine.rows(frames[side]), frames[side], own[side]) for side in SIDES}, columns)
    found = engine.stored(tables.unlike())
    ((keys, rows),) = engine.execute(f"select count(*), coalesce(sum(old_rows), 0) from ({found})")
    ((old_rows,),) = engine.execute(f"select count(*) from ({tables.rows['old']})")
    categories = [column for column in columns if is_category(column)]
    values: dict[str, int] = {}
    equal_values = None
    # With fewer differing keys no concentration is reported, so no values are counted.
    if categories and keys >= LEAST_ROWS:
        (old,), (new,) = (engine.execute(tables.estimates(side, categories)) for side in SIDES)
        values = {estimate(column): max(each) for column, *each in zip(categories, old, new, strict=True)}
        if few := measured(categories, lambda column: values[estimate(column)]):
            equal_values = _equal_values(engine, tables.equal_values(found, few), few)
    differing = {
        side: engine.frame(
            tables.joined("semi", side, found),
            StructType([StructField(column.name, column.types[side]) for column in own[side]]),
        )
        for side in SIDES
    }
    return Prefiltered(differing, old_rows - rows, values, equal_values)


def _numbered(rows: str, frame: DataFrame, columns: Sequence[Column]) -> str:
    """A select of a table's rows, the columns by their numbers."""
    names = {name.lower(): name_in_duckdb(name) for name in frame.columns}
    return f"select {', '.join(f'{names[each.name.lower()]} as c{each.number}' for each in columns)} from ({rows})"


def _equal_values(engine: LocalEngine, select: str, columns: Sequence[Column]) -> DataFrame:
    schema = StructType().add("side", "string").add("number", "integer").add("rows", "long")
    for column in columns:
        schema.add(f"c{column.number}", column.kind)
    # All columns but one are null.
    value = F.coalesce(*(as_value(F.col(f"c{column.number}"), column.kind) for column in columns))
    counted = engine.frame(select, schema)
    return counted.select(F.lit("equal").alias("kind"), "number", "side", value.alias("value"), "rows")


class Tables:
    """Selects over the ``rows`` of both tables, which are selects themselves, of columns by their numbers."""

    def __init__(self, rows: Mapping[Side, str], columns: Sequence[Column]) -> None:
        self.rows = rows
        self._key = [f"c{column.number}" for column in columns if column.is_key]
        self._compared = [column for column in columns if column.is_compared]

    def unlike(self) -> str:
        """A select of keys and how many old rows each has: all but those that each table has once, with one hash."""
        keys = ", ".join(self._key)
        low, high = hashes([f"c{each.number}" for each in self._compared], [each.kind for each in self._compared])
        sides = (
            f"select {keys}, {low} as low, {high} as high, {side == 'new'} as is_new from ({self.rows[side]})"
            for side in SIDES
        )
        return (
            f"select {keys}, count(*) filter (not is_new) as old_rows from ({' union all '.join(sides)}) "
            f"group by {keys} having count(*) filter (not is_new) <> 1 or count(*) filter (is_new) <> 1 "
            "or min(low) <> max(low) or min(high) <> max(high)"
        )

    def joined(self, kind: str, side: Side, found: str) -> str:
        """A table's rows whose keys were found (a semi join), or were not (an anti join)."""
        same = " and ".join(f"whole.{key} is not distinct from found.{key}" for key in self._key)
        return f"select whole.* from ({self.rows[side]}) as whole {kind} join ({found}) as found on {same}"

    def estimates(self, side: Side, columns: Sequence[Column]) -> str:
        """About how many values each of these columns has."""
        cells = ", ".join(f"approx_count_distinct(c{column.number})" for column in columns)
        return f"select {cells} from ({self.rows[side]})"

    def equal_values(self, found: str, columns: Sequence[Column]) -> str:
        """How many of the rows that were not found have each value, one column at a time: the others are null."""
        cells = ", ".join(f"c{column.number}" for column in columns)
        sets = ", ".join(f"(c{column.number})" for column in columns)
        numbers = " ".join(f"when grouping(c{column.number}) = 0 then {column.number}" for column in columns)
        return " union all ".join(
            f"select '{side}' as side, case {numbers} end as number, count(*) as rows, {cells} "
            f"from ({self.joined('anti', side, found)}) group by grouping sets ({sets})"
            for side in SIDES
        )
