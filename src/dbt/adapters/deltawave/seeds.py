"""The files of seeds, read by columns: with the types and the values that dbt finds, in a fraction of the time."""

import csv
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import agate  # type: ignore[import-untyped]
import pyarrow as pa
import pyarrow.compute as pc
from dbt_common.clients.agate_helper import DEFAULT_TYPE_TESTER, build_type_tester
from dbt_common.exceptions import DbtRuntimeError

from deltawave.sql_text import plain_text

# Cells that dbt takes for null, whatever the type, once trimmed and in lower case.
_NULLS = ("null", "")
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"([01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}"
# How all values of a type are usually written: agate reads such cells as this type, if as no earlier one, and Spark
# reads each as the value that agate finds: no more digits than agate keeps, no negative zero. Whether a day exists is
# left to _MOMENTS.
_USUAL = {
    "bigint": [r"-?[0-9]{1,18}"],
    "double": [r"(-?[1-9][0-9]{0,13}|0)(\.[0-9]{1,14})?|-0\.[0-9]{0,7}[1-9][0-9]{0,6}"],
    "date": [_DAY],
    # To agate these are two types.
    "timestamp": [f"{_DAY} {_CLOCK}", f"{_DAY}T{_CLOCK}"],
    # Ignoring the case would let other letters through, such as a long s.
    "boolean": [r"[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]"],
    "string": [r"(?s:.*)"],
}
_MOMENTS: dict[str, Callable[[str], date]] = {"date": date.fromisoformat, "timestamp": datetime.fromisoformat}
_HAS_DECIMALS = r"\A-?[0-9]*\.[0-9]*[1-9][0-9]*\z"
# How many rows are in Python's lists at a time.
_CHUNK = 10_000


class Seed:
    """The table of a seed's file: the columns' names and types in Spark, and cells for Spark to cast to these types.

    Whatever else an agate table has comes from agate, which reads the file when it is asked for (``dbt seed --show``).

    ``declared`` has the names of columns with declared types, which dbt reads as text; ``spark_type`` names the type of
    an agate table's only column. Raises ``DbtRuntimeError`` for an empty file, and ``ValueError`` and ``csv.Error``
    where ``read_by_agate`` does.
    """

    def __init__(
        self,
        path: Path,
        delimiter: str,
        declared: Collection[str],
        spark_type: Callable[[agate.Table], str],
        read_by_agate: Callable[[], agate.Table],
    ) -> None:
        self._read_by_agate = read_by_agate
        with path.open(encoding="utf-8-sig") as file:
            reader = csv.reader(file, delimiter=delimiter)
            if not (header := next(reader, None)):
                raise DbtRuntimeError(f"{path} is empty: the first line of a seed names its columns.")
            first = list(islice(reader, 1))
            # Names columns without a name of their own, and warns of them and of declared columns that do not exist.
            self.column_names = agate.Table(first, header, column_types=build_type_tester(declared)).column_names
            texts = map(_without_nulls, _columns(chain(first, reader), len(self.column_names)))
        columns = [
            _Column("string", each) if name in declared else _inferred(each, spark_type)
            for name, each in zip(self.column_names, texts, strict=True)
        ]
        self.spark_types = [column.spark_type for column in columns]
        self.cells = pa.table([column.cells for column in columns], list(self.column_names))
        self.row_count: int = self.cells.num_rows

    @cached_property
    def _agate_table(self) -> agate.Table:
        return self._read_by_agate()

    def __len__(self) -> int:
        return self.row_count

    def __iter__(self) -> Iterator[Any]:
        return iter(self._agate_table)

    def __getitem__(self, key: Any) -> Any:
        return self._agate_table[key]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._agate_table, name)


class _Column(NamedTuple):
    """A column's type in Spark, and its cells: what Spark casts to this type, or to the declared one."""

    spark_type: str
    cells: pa.ChunkedArray


def _columns(rows: Iterator[list[str]], width: int) -> list[pa.ChunkedArray]:
    """The texts of ``width`` columns; cells that a row lacks are null. Raises ``ValueError`` if a row has too many."""
    chunks: list[list[pa.Array]] = [[] for _ in range(width)]
    while chunk := list(islice(rows, _CHUNK)):
        columns = list(zip_longest(*chunk))
        columns += [(None,) * len(chunk)] * (width - len(columns))
        for column, parts in zip(columns, chunks, strict=True):
            parts.append(pa.array(column, pa.string()))
    return [pa.chunked_array(parts, pa.string()) for parts in chunks]


def _without_nulls(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    is_null = pc.is_in(pc.utf8_lower(pc.utf8_trim_whitespace(texts)), pa.array(_NULLS))
    return pc.if_else(is_null, pa.scalar(None, pa.string()), texts)


def _inferred(texts: pa.ChunkedArray, spark_type: Callable[[agate.Table], str]) -> _Column:
    """The column with the type that agate finds, which is the first of a list that all cells can have.

    If a few cells have a type, and all others are written as it usually is, then all have it; and earlier types are
    those that one of the few cannot have. Only a column that is written otherwise is read by agate, at some
    microseconds a cell.
    """
    values = texts.drop_null()
    # Whether numbers have decimals is not up to the first one.
    with_decimals = values.filter(pc.match_substring_regex(values, _HAS_DECIMALS))
    found = spark_type(_by_agate(values[:1].to_pylist() + with_decimals[:1].to_pylist()))
    if _are_usual(values, found):
        return _Column(found, texts)
    table = _by_agate(texts.to_pylist())
    found = spark_type(table)
    cells = [_text(value, found) for value in table.columns[0]]
    return _Column(found, pa.chunked_array([pa.array(cells, pa.string())]))


def _by_agate(cells: Iterable[str | None]) -> agate.Table:
    return agate.Table([(cell,) for cell in cells], ["cells"], column_types=DEFAULT_TYPE_TESTER)


def _are_usual(values: pa.ChunkedArray, spark_type: str) -> bool:
    """Whether all are written as values of the type usually are."""
    matches = (pc.match_substring_regex(values, rf"\A(?:{way})\z") for way in _USUAL[spark_type])
    if not any(pc.all(match, min_count=0).as_py() for match in matches):
        return False
    if moment := _MOMENTS.get(spark_type):
        try:
            for value in pc.unique(values).to_pylist():
                moment(value)
        except ValueError:
            return False
    return True


def _text(value: Any, spark_type: str) -> str | None:
    """What Spark casts to the type with the result that the value's literal would have."""
    if not isinstance(value, Decimal):
        return None if value is None else plain_text(value)
    # A text with a point is no bigint, and -0 is another double than 0.
    return plain_text(value).partition(".")[0] if spark_type == "bigint" else plain_text(value or abs(value))
