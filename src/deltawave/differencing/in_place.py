"""Parquet files that are read where they lie, by row groups and without Spark's rows.

Tasks decode row groups with pyarrow, which takes a quarter of what Spark takes to read a row and hand it to Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import DataType, StructType

# What Spark notes of a column whose values it changes while it reads them.
_FILLED_IN = {"EXISTS_DEFAULT", "__CHAR_VARCHAR_TYPE_STRING"}

Batches = Iterable[pa.RecordBatch]

# Rows that are decoded at a time.
_BATCH_ROWS = 1 << 16
# A text of which so few bytes per value are stored repeats itself: it stays in a dictionary.
_REPEATING_BYTES = 4


@dataclass(frozen=True)
class RowGroups:
    """The row groups of a frame's files, and its columns.

    - ``groups``: path and number of each, in the order of the paths; a task reads one
    - ``rows``: how many rows each has
    - ``row_bytes``: about how many bytes a decoded row takes
    """

    groups: tuple[tuple[str, int], ...]
    rows: tuple[int, ...]
    row_bytes: int
    schema: pa.Schema

    @classmethod
    def of(cls, frame: DataFrame) -> RowGroups | None:
        """Those of a plain select of Parquet files; none if Spark may read other values than they hold.

        A task reads their footers: files lie where tasks run. Raises ``ValueError`` for a column that no file has.
        """
        paths = sorted(frame.inputFiles())
        if not paths or not _is_read_as_stored(frame):
            return None

        def examine(batches: Batches) -> Batches:
            for _ in batches:
                files = [_open(path) for path in paths]
                yield pa.RecordBatch.from_pydict(
                    {
                        "path": paths,
                        "groups": [_rows_of_groups(file.metadata) for file in files],
                        "names": [[name.lower() for name in file.schema_arrow.names] for file in files],
                        "row_bytes": [_row_bytes(file) for file in files],
                        "is_legacy": [_has_other_calendar(file.metadata.metadata or {}) for file in files],
                    }
                )

        types = "path string, groups array<bigint>, names array<string>, row_bytes bigint, is_legacy boolean"
        found = frame.sparkSession.range(1, numPartitions=1).mapInArrow(examine, types).collect()
        if any(row.is_legacy for row in found):
            return None
        known = {name for row in found for name in row.names}
        missing = [name for name in frame.columns if name.lower() not in known]
        if missing:
            raise ValueError(f"No file that is read in place has the column(s) {', '.join(missing)}.")
        groups = tuple((row.path, number) for row in found for number in range(len(row.groups)))
        rows = tuple(rows for row in found for rows in row.groups)
        row_bytes = max((row.row_bytes for row in found), default=1)
        return cls(groups, rows, row_bytes, to_arrow_schema(frame.schema))

    @property
    def tasks(self) -> int:
        """How many tasks read them."""
        return max(1, len(self.groups))

    def only(self, names: Sequence[str]) -> RowGroups:
        """The same row groups, with these columns alone."""
        return replace(self, schema=pa.schema([self.schema.field(name) for name in names]))

    def read(self, numbers: Iterable[int]) -> Iterator[pa.RecordBatch]:
        """Decode these row groups, one after the other. Texts that repeat themselves stay in dictionaries."""
        return _rows(self, list(numbers))


def map_rows(
    frame: DataFrame,
    expressions: Sequence[str],
    work: Callable[[Batches], Batches],
    schema: StructType | str,
    in_place: bool = False,
) -> DataFrame:
    """Let tasks ``work`` on batches of these expressions over the rows of a frame; a result of that ``schema``.

    With ``in_place`` the frame is a plain select of Parquet files. Spark reads it if an expression is no column.
    """
    places = {quoted(name): place for place, name in enumerate(frame.columns)}
    groups = RowGroups.of(frame) if in_place and all(each in places for each in expressions) else None
    if groups is None:
        cells = [F.expr(each).alias(f"e{number}") for number, each in enumerate(expressions)]
        return frame.select(*cells).mapInArrow(work, schema)
    wanted = [places[each] for each in expressions]
    found = groups

    def read(batches: Batches) -> Batches:
        rows = found.read(number for batch in batches for number in batch.column(0).to_pylist())
        names = [f"e{number}" for number in range(len(wanted))]
        return work(pa.RecordBatch.from_arrays([row.column(place) for place in wanted], names) for row in rows)

    return frame.sparkSession.range(0, found.tasks, 1, found.tasks).mapInArrow(read, schema)


def _rows(groups: RowGroups, numbers: list[int]) -> Iterator[pa.RecordBatch]:
    for path, group in (groups.groups[number] for number in numbers if number < len(groups.groups)):
        file = _open(path)
        repeating = _repeating(file.metadata.row_group(group))
        if repeating:
            file = _open(path, read_dictionary=repeating)
        wanted = {name.lower() for name in groups.schema.names}
        names = [name for name in file.schema_arrow.names if name.lower() in wanted]
        # A dot would name a field of a struct.
        columns = None if any("." in name for name in names) else names
        for batch in file.iter_batches(_BATCH_ROWS, row_groups=[group], columns=columns, use_threads=False):
            yield _typed(batch, groups.schema)


def _typed(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The columns in their types, except that a dictionary stays one. A file may lack a column."""
    places = {name.lower(): place for place, name in enumerate(batch.schema.names)}
    cells = []
    for field in schema:
        place = places.get(field.name.lower())
        column = pa.nulls(batch.num_rows, field.type) if place is None else batch.column(place)
        is_kept = isinstance(column, pa.DictionaryArray) or column.type == field.type
        # Spark cuts nanoseconds off, too.
        cells.append(column if is_kept else column.cast(field.type, safe=not pa.types.is_timestamp(field.type)))
    return pa.RecordBatch.from_arrays(cells, schema.names)


def _is_read_as_stored(frame: DataFrame) -> bool:
    """Whether Spark fills in, pads and moves no value, as for defaults of columns, char(n), and old calendars."""
    modes = ["spark.sql.parquet.datetimeRebaseModeInRead", "spark.sql.parquet.int96RebaseModeInRead"]
    if any(frame.sparkSession.conf.get(mode) != "CORRECTED" for mode in modes):
        return False
    return not any(
        _has_struct(field.dataType) or _FILLED_IN.intersection(field.metadata) for field in frame.schema.fields
    )


def _has_struct(kind: DataType) -> bool:
    """Whether there are names within a type, which Spark matches in any case."""
    parts = [getattr(kind, name) for name in ("elementType", "keyType", "valueType") if hasattr(kind, name)]
    return isinstance(kind, StructType) or any(map(_has_struct, parts))


def _row_bytes(file: pq.ParquetFile) -> int:
    sample = next(file.iter_batches(1000), None)
    return 1 + sample.nbytes // max(1, sample.num_rows) if sample is not None else 1


def _rows_of_groups(metadata: pq.FileMetaData) -> list[int]:
    return [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]


def _has_other_calendar(metadata: dict[bytes, bytes]) -> bool:
    """Whether dates before 1582 and timestamps before 1900 are counted by the Julian calendar, as by Spark 2."""
    version = metadata.get(b"org.apache.spark.version", b"").decode()
    is_old = bool(version) and tuple(int(part) for part in version.split(".")[:2]) < (3, 1)
    return is_old or any(b"legacy" in key for key in metadata)


def _repeating(group: pq.RowGroupMetaData) -> list[str]:
    """Columns of texts whose values repeat themselves."""
    chunks = [group.column(number) for number in range(group.num_columns)]
    return [
        chunk.path_in_schema
        for chunk in chunks
        if chunk.physical_type == "BYTE_ARRAY"
        and chunk.has_dictionary_page
        and chunk.total_uncompressed_size < _REPEATING_BYTES * chunk.num_values
    ]


def _open(uri: str, read_dictionary: list[str] | None = None) -> pq.ParquetFile:
    # Spark leaves letters of other alphabets as they are.
    system, path = pyarrow.fs.FileSystem.from_uri(quote(uri, safe="%/:?#[]@!$&'()*+,;=~"))
    is_local = isinstance(system, pyarrow.fs.LocalFileSystem)
    return pq.ParquetFile(
        path,
        filesystem=None if is_local else system,
        memory_map=is_local,
        read_dictionary=read_dictionary,
        # Nanoseconds hold no year 9999.
        coerce_int96_timestamp_unit="us",
    )


def quoted(name: str) -> str:
    """A column's name as Spark reads it."""
    return "`" + name.replace("`", "``") + "`"
