"""Parquet files that Python reads in place, by row groups and without Spark.

Tasks decode row groups with pyarrow, in a quarter of the time that Spark takes to read a row and hand it to Python.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from urllib.parse import quote, unquote
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructField, StructType, VariantType

from deltawave.comparable import contained_types
from deltawave.differencing.batches import (
    BATCH_BYTES,
    Batches,
    PositionedBatches,
    Positions,
    cut,
    decoded_bytes,
    joined,
    positioned,
    repeating_columns,
    step_rows,
)
from deltawave.sql_text import quoted

# Metadata of a column that has a number, by which Spark may look for it, whatever its name in a file.
_NUMBER = "parquet.field.id"
# Metadata of a column whose values Spark changes while it reads them.
FILLED_IN = {"EXISTS_DEFAULT", "__CHAR_VARCHAR_TYPE_STRING"}

# Under other settings Spark reads values, or matches names, differently from what the files hold.
_AS_STORED = {
    "spark.sql.parquet.datetimeRebaseModeInRead": "corrected",
    "spark.sql.parquet.int96RebaseModeInRead": "corrected",
    "spark.sql.parquet.int96TimestampConversion": "false",
    "spark.sql.caseSensitive": "false",
}

# Smaller batches save nothing that is worth the time.
_LEAST_BATCH_BYTES = 1 << 16
_BUFFER_BYTES = 1 << 16
# Footers of more files are read by tasks, several at a time.
_FEW_FILES = 200
# Rows that are decoded to see how wide they are.
_SAMPLED_ROWS = 100

_TEXT = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
_BINARY = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view, pa.types.is_fixed_size_binary)


class NotInPlaceError(Exception):
    """Files cannot be read in place; the text is the reason."""


class ChangedFileError(Exception):
    """A file was changed while snapshots were compared; the text names it."""


@dataclass(frozen=True)
class RowGroups:
    """The row groups of a frame's files, and its columns.

    - ``groups``: path and number of each, in the order of the paths; a task reads one
    - ``rows``: how many rows each has
    - ``row_bytes``: about how many bytes a decoded row takes
    - ``states``: the size and the time of modification of each file when its footer was read
    - ``batch_bytes``: about how many bytes a decoded batch may take
    - ``stored``: the files' columns for those columns that have another name or type there, by names in lower case
    """

    groups: tuple[tuple[str, int], ...]
    rows: tuple[int, ...]
    row_bytes: int
    schema: pa.Schema
    states: Mapping[str, tuple[int, int | None]] = field(default_factory=dict)
    batch_bytes: int = BATCH_BYTES
    stored: Mapping[str, StructField] = field(default_factory=dict)

    @classmethod
    def of(
        cls, frame: DataFrame, files: Sequence[str], columns: Sequence[StructField], ids: Mapping[str, int]
    ) -> "RowGroups":
        """The row groups of a plain select of Parquet files. Tasks read the footers where only they reach the files.

        ``files``, ``columns``, ``ids``: see ``PlainScan``. Raises ``NotInPlaceError`` if Spark may read other values
        than the files hold, or pyarrow cannot read them.
        """
        paths = sorted(files)
        if not paths:
            # Without files, or with rows that Spark has in memory.
            raise NotInPlaceError("Spark names no files")
        if len(set(paths)) < len(paths):
            # Such as the folder of two partitions.
            raise NotInPlaceError("Spark reads a file several times")
        _check_session(frame.sparkSession, [*frame.schema.fields, *columns])
        check_folders(paths, [column.name for column in columns])
        try:
            schema = to_arrow_schema(frame.schema)
            wanted = {each.name.lower(): each.type for each in to_arrow_schema(StructType(list(columns)))}
        except TypeError as error:
            raise NotInPlaceError(str(error)) from error
        session = frame.sparkSession
        if len(paths) <= _FEW_FILES and runs_here(session) and all(map(_is_local, paths)):
            found = [_examined(path, wanted, ids) for path in paths]
        else:
            tasks = parallelism(session)
            found = computed(session, len(paths), lambda number: _examined(paths[number], wanted, ids), tasks)
        known = {name for file in found for name in file["names"]}
        missing = [column.name for column in columns if column.name.lower() not in known]
        if missing:
            raise NotInPlaceError(f"no file has the column(s) {', '.join(missing)}")
        examined = list(zip(paths, found, strict=True))
        groups = tuple((path, number) for path, file in examined for number in range(len(file["rows"])))
        rows = tuple(rows for file in found for rows in file["rows"])
        states = {path: (file["size"], file["modified_ns"]) for path, file in examined}
        stored = {
            column.name.lower(): source
            for column, source in zip(frame.schema.fields, columns, strict=True)
            if (column.name.lower(), column.dataType) != (source.name.lower(), source.dataType)
        }
        return cls(groups, rows, max(file["row_bytes"] for file in found), schema, states, stored=stored)

    @property
    def begins(self) -> Positions:
        """The position at which each row group begins, and the one after the last row."""
        return np.cumsum([0, *self.rows], dtype=np.int64)

    def only(self, names: Sequence[str]) -> "RowGroups":
        """The same row groups with only these columns, whose spelling may differ."""
        fields = {each.name.lower(): each for each in self.schema}
        return replace(self, schema=pa.schema([fields[name.lower()].with_name(name) for name in names]))

    def subset(self, numbers: Sequence[int]) -> "RowGroups":
        """Only these row groups."""
        groups, rows = tuple(self.groups[number] for number in numbers), tuple(self.rows[number] for number in numbers)
        return replace(self, groups=groups, rows=rows)

    def within(self, memory_bytes: int) -> "RowGroups":
        """The same row groups for a task that may use this memory: a decoded batch takes about a sixteenth of it."""
        return replace(self, batch_bytes=max(_LEAST_BATCH_BYTES, min(BATCH_BYTES, memory_bytes // 16)))

    def read(self, number: int) -> Iterator[pa.RecordBatch]:
        """Decode a row group. Repetitive texts stay in dictionaries.

        Raises ``ChangedFileError`` if the file was changed or replaced.
        """
        path, group = self.groups[number]
        if path in self.states and state_of(path) != self.states[path]:
            raise ChangedFileError(f"{path} was changed while it was compared. Run again when it is complete.")
        file = open_file(path, is_mapped=True)
        footer = file.metadata.row_group(group)
        repeating = repeating_columns(footer)
        if repeating:
            file = open_file(path, read_dictionary=repeating, is_mapped=True)
        sources = [self._stored_name(name) for name in self.schema.names]
        names = [name for name in file.schema_arrow.names if name.lower() in sources]
        step = step_rows(footer, names, self.batch_bytes, self.row_bytes)
        steps = file.iter_batches(step, row_groups=[group], columns=_only(names), use_threads=False)
        yield from joined(
            cut((_typed(rows, self.schema, sources) for rows in steps), self.batch_bytes), self.batch_bytes
        )

    def _stored_name(self, name: str) -> str:
        """In lower case."""
        source = self.stored.get(name.lower())
        return (source.name if source else name).lower()

    def positioned(self, number: int) -> PositionedBatches:
        """The same, each batch with the position of its first row."""
        return positioned(self.read(number), int(self.begins[number]))


def map_rows(
    frame: DataFrame,
    expressions: Sequence[str],
    work: Callable[[Batches], Batches],
    schema: StructType | str,
    groups: RowGroups | None = None,
) -> DataFrame:
    """Let tasks ``work`` on batches of these expressions over the rows of a frame; a result of that ``schema``.

    ``groups``: what ``groups_in_place`` returned for it; Spark reads the frame if that is none.
    """
    if groups is None:
        cells = [F.expr(each).alias(f"e{number}") for number, each in enumerate(expressions)]
        return map_batches(frame.select(*cells), work, schema)
    places = {quoted(name): place for place, name in enumerate(frame.columns)}
    wanted = [places[each] for each in expressions]
    names = [f"e{number}" for number in range(len(wanted))]

    def read(number: int) -> Batches:
        for batch in groups.read(number):
            yield pa.RecordBatch.from_arrays([batch.column(place) for place in wanted], names)

    return map_numbers(frame.sparkSession, len(groups.groups), lambda number: work(read(number)), schema)


def map_numbers(
    session: SparkSession,
    count: int,
    work: Callable[[int], Batches],
    schema: StructType | str,
    tasks: int | None = None,
) -> DataFrame:
    """Let tasks ``work`` on the numbers from 0 to before ``count``; by default each on one."""

    def each(batches: Batches) -> Batches:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from work(number)

    return map_batches(session.range(0, count, 1, max(1, min(tasks or count, count))), each, schema)


def computed(session: SparkSession, count: int, work: Callable[[int], Any], tasks: int | None = None) -> list[Any]:
    """What ``work`` returns in tasks for the numbers from 0 to before ``count``: values that JSON can hold.

    Raises the ``NotInPlaceError`` of the first number with one.
    """

    def compute(number: int) -> Batches:
        try:
            found = {"result": work(number)}
        except NotInPlaceError as error:
            found = {"problem": str(error)}
        yield pa.RecordBatch.from_pydict({"number": [number], "found": [json.dumps(found)]})

    rows = sorted(map_numbers(session, count, compute, "number bigint, found string", tasks).collect())
    results = [json.loads(row.found) for row in rows]
    for each in results:
        if "problem" in each:
            raise NotInPlaceError(each["problem"])
    return [each["result"] for each in results]


def map_batches(frame: DataFrame, work: Callable[[Batches], Batches], schema: StructType | str) -> DataFrame:
    """Let tasks ``work`` on a frame's rows, whatever earlier work on the same files has left in Spark's cache."""
    # Spark treats equal plans as the same, and would answer from the rows that an earlier comparison has cached.
    return frame.mapInArrow(partial(_worked, work, uuid4().hex), schema)


def _worked(work: Callable[[Batches], Batches], token: str, batches: Batches) -> Batches:
    return work(batches)


def runs_here(session: SparkSession) -> bool:
    """Whether tasks run in processes of this machine, started by this one: both reach the same files."""
    return ".connect." not in type(session).__module__ and has_local_master(session)


def has_local_master(session: SparkSession) -> bool:
    """Whether tasks run in processes of one machine: that of this process, or of a server of Spark Connect."""
    master = session.conf.get("spark.master", "") or ""
    return master.startswith("local") and not master.startswith("local-cluster")


def parallelism(session: SparkSession) -> int:
    """How many tasks run at a time."""
    try:
        return max(1, session.sparkContext.defaultParallelism)
    except PySparkException:
        # Through Spark Connect.
        return int(session.conf.get("spark.sql.shuffle.partitions") or 1)


def _only(names: list[str]) -> list[str] | None:
    """The columns that pyarrow is to read; None, for all, if it would take a dot in a name for a field of a struct."""
    return None if any("." in name for name in names) else names


def _typed(batch: pa.RecordBatch, schema: pa.Schema, sources: Sequence[str]) -> pa.RecordBatch:
    """The columns cast to their types, except that a dictionary stays a dictionary. A file may lack a column.

    ``sources``: the stored column of each, in lower case.
    """
    places = {name.lower(): place for place, name in enumerate(batch.schema.names)}
    cells = []
    for wanted, source in zip(schema, sources, strict=True):
        place = places.get(source)
        column = pa.nulls(batch.num_rows, wanted.type) if place is None else batch.column(place)
        is_kept = getattr(column.type, "value_type", None) == wanted.type or column.type == wanted.type
        # Spark truncates nanoseconds, too.
        cells.append(column if is_kept else column.cast(wanted.type, safe=not pa.types.is_timestamp(wanted.type)))
    return pa.RecordBatch.from_arrays(cells, schema.names)


def has_rows(path: str) -> bool:
    """Whether Spark reads rows from this file: it skips summaries and hidden files."""
    name = unquote(path).rsplit("/", 1)[-1]
    return not (name.startswith(".") or (name.startswith("_") and "=" not in name))


def _check_session(session: SparkSession, columns: Sequence[StructField]) -> None:
    """Refuse whatever Spark changes while reading: defaults, char(n), old calendars, spelling of names."""
    for name, value in _AS_STORED.items():
        if (session.conf.get(name) or "").lower() != value:
            raise NotInPlaceError(f"{name} is not {value}")
    for column in columns:
        # Spark matches the names within a struct ignoring case; a variant may be stored in parts that have names.
        if any(isinstance(kind, (StructType, VariantType)) for kind in contained_types(column.dataType)):
            raise NotInPlaceError(f"the column {column.name} is of type {column.dataType.simpleString()}")
        if _NUMBER in column.metadata:
            raise NotInPlaceError(f"the column {column.name} has a number")
        if FILLED_IN.intersection(column.metadata):
            raise NotInPlaceError(f"the column {column.name} is filled in or padded by Spark")


def check_folders(paths: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse columns whose values come from folder names: files may have them, too, and Spark takes the folder's."""
    names = {name.lower() for name in columns}
    for folder in {segment for path in paths for segment in path.split("/")[:-1]}:
        name = unquote(folder.partition("=")[0]).lower()
        if "=" in folder and name in names:
            raise NotInPlaceError(f"the folders {folder.partition('=')[0]}=... are partitions")


def _examined(path: str, wanted: Mapping[str, pa.DataType], ids: Mapping[str, int]) -> dict[str, Any]:
    """Facts in a file's footer. Raises ``NotInPlaceError`` if it cannot be read in place."""
    try:
        size, modified_ns = state_of(path)
        file = open_file(path)
        footer, fields = file.metadata, file.schema_arrow
        names = [name.lower() for name in fields.names]
        repeated = [name for name in wanted if names.count(name) > 1]
        # Spark refuses most other types, which pyarrow would convert.
        others = (
            each
            for name, each in zip(names, fields, strict=True)
            if name in wanted and not _is_of_type(each.type, wanted[name])
        )
        if _has_other_calendar(footer.metadata or {}):
            problem = "counts dates by an old calendar"
        elif repeated:
            problem = f"has several columns {', '.join(repeated)}"
        elif ids and not _is_numbered(fields, ids):
            problem = "has other numbers or names of columns than the table"
        elif other := next(others, None):
            problem = f"holds {other.name} as {other.type}"
        else:
            rows = [footer.row_group(number).num_rows for number in range(footer.num_row_groups)]
            row_bytes = _row_bytes(file, [name for name in fields.names if name.lower() in wanted])
            return {"size": size, "modified_ns": modified_ns, "rows": rows, "names": names, "row_bytes": row_bytes}
    except Exception as error:
        raise NotInPlaceError(f"{path}: {error}") from error
    raise NotInPlaceError(f"{path} {problem}")


def _is_numbered(fields: pa.Schema, ids: Mapping[str, int]) -> bool:
    """Whether a file's columns have these numbers, by names; of columns that it lacks, the numbers are missing, too."""
    found = {each.name.lower(): int((each.metadata or {}).get(b"PARQUET:field_id", -1)) for each in fields}
    others = set(found.values())
    return -1 not in others and all(
        found[name] == at if name in found else at not in others for name, at in ids.items()
    )


def _is_of_type(stored: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether a file has the type that Spark reads: units of timestamps, sizes of offsets and nested names aside."""
    types = pa.types
    if types.is_dictionary(stored):
        return _is_of_type(stored.value_type, wanted)
    if types.is_string(wanted):
        return any(is_kind(stored) for is_kind in _TEXT)
    if types.is_binary(wanted):
        return any(is_kind(stored) for is_kind in _BINARY)
    if types.is_timestamp(stored) and types.is_timestamp(wanted):
        return bool((stored.tz is None) == (wanted.tz is None) or (stored.unit == wanted.unit == "us"))
    if types.is_map(stored) and types.is_map(wanted):
        return _is_of_type(stored.key_type, wanted.key_type) and _is_of_type(stored.item_type, wanted.item_type)
    if types.is_list(wanted) and (types.is_list(stored) or types.is_large_list(stored)):
        return _is_of_type(stored.value_type, wanted.value_type)
    return bool(stored.equals(wanted))


def _row_bytes(file: pq.ParquetFile, names: list[str]) -> int:
    """About how many bytes a row of these columns takes, by the footer, and by the first rows if their texts repeat."""
    groups = [file.metadata.row_group(number) for number in range(file.num_row_groups)]
    if not groups:
        return 1
    rows = min(_SAMPLED_ROWS, step_rows(groups[0], names, BATCH_BYTES))
    first = next(file.iter_batches(rows, row_groups=[0], columns=_only(names)), None)
    mean = sum(decoded_bytes(group, names) for group in groups) // max(1, int(file.metadata.num_rows))
    return 1 + max(mean, int(first.nbytes) // max(1, int(first.num_rows)) if first is not None else 0)


def check_calendar(uri: str) -> None:
    """Raises ``NotInPlaceError`` if a file counts dates by an old calendar, or its footer cannot be read."""
    try:
        footer = open_file(uri).metadata
    except (pa.ArrowException, OSError) as error:
        raise NotInPlaceError(f"{uri}: {error}") from error
    if _has_other_calendar(footer.metadata or {}):
        raise NotInPlaceError(f"{uri} counts dates by an old calendar")


def _has_other_calendar(metadata: dict[bytes, bytes]) -> bool:
    """Whether dates before 1582 and timestamps before 1900 are counted by the Julian calendar, as by Spark 2."""
    version = metadata.get(b"org.apache.spark.version", b"").decode()
    is_old = bool(version) and tuple(int(part) for part in version.split(".")[:2]) < (3, 1)
    return is_old or any(b"legacy" in key for key in metadata)


def located(uri: str) -> tuple[pyarrow.fs.FileSystem, str]:
    """The file system and the path in it of a file that Spark names."""
    # Spark leaves letters of other alphabets as they are.
    system, path = pyarrow.fs.FileSystem.from_uri(quote(uri, safe="%/:?#[]@!$&'()*+,;=~"))
    return system, path


def state_of(uri: str) -> tuple[int, int | None]:
    """The size and the time of modification of a file."""
    system, path = located(uri)
    info = system.get_file_info(path)
    return info.size, info.mtime_ns


def _is_local(uri: str) -> bool:
    return uri.startswith("file:")


def open_file(uri: str, read_dictionary: list[str] | None = None, is_mapped: bool = False) -> pq.ParquetFile:
    """A file that Spark names. ``read_dictionary``: columns of texts that stay in dictionaries.

    ``is_mapped``: it is read faster, but if it is cut off meanwhile, the process dies: for tasks, which Spark repeats.
    """
    system, path = located(uri)
    is_local = isinstance(system, pyarrow.fs.LocalFileSystem)
    return pq.ParquetFile(
        path,
        filesystem=None if is_local else system,
        memory_map=is_local and is_mapped,
        # Otherwise a few rows cost all columns of their row group.
        pre_buffer=not is_local,
        buffer_size=_BUFFER_BYTES if is_local else 0,
        read_dictionary=read_dictionary,
        # Nanoseconds cannot hold the year 9999.
        coerce_int96_timestamp_unit="us",
    )
