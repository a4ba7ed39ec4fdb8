"""DuckDB alongside a Spark of one machine: it reads Parquet files, and Spark reads the Parquet files that it writes.

Handing rows from Spark to Python would take several times as long as comparing them. Here only files are exchanged.
"""

import logging
import os
import shutil
import tempfile
import weakref
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import quote

import duckdb
import pyarrow as pa
from pyarrow.fs import LocalFileSystem
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, DecimalType, StructField, StructType

from deltawave.resources import attach
from deltawave.rows.in_place import RowGroups, has_local_master, parallelism
from deltawave.rows.parquet_files import ChangedFileError, NotInPlaceError, located, state_of
from deltawave.sql_text import quoted

_LOG = logging.getLogger(__name__)

_LEAST_MEMORY = 256 << 20
# With less, a thread has no room for the rows that it reads.
_THREAD_MEMORY = 128 << 20
# By Spark's names. Text is compared by its bytes.
_TYPES = {
    "bigint": "BIGINT",
    "binary": "BLOB",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "double": "DOUBLE",
    "float": "FLOAT",
    "int": "INTEGER",
    "smallint": "SMALLINT",
    "string": "VARCHAR",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ntz": "TIMESTAMP",
    "tinyint": "TINYINT",
}
_PATTERN = frozenset("*?[]{}")
# By memory and threads. To open a connection takes as long as to compare a small table.
_idle: defaultdict[tuple[int, int], list[duckdb.DuckDBPyConnection]] = defaultdict(list)
# What is known of servers.
_sharing: weakref.WeakKeyDictionary[SparkSession, bool] = weakref.WeakKeyDictionary()
# By which calendar Spark writes old dates.
_CALENDARS = ("spark.sql.parquet.datetimeRebaseModeInWrite", "spark.sql.parquet.int96RebaseModeInWrite")


def type_in_duckdb(kind: DataType) -> str | None:
    """DuckDB's name of a type of Spark; None for one with parts, and for one that it may compare in another way."""
    name = kind.simpleString()
    return name.upper() if isinstance(kind, DecimalType) else _TYPES.get(name)


def reaches(rows: DataFrame) -> bool:
    """Whether DuckDB can compare these rows: it reads Spark's files, and treats their types and names as Spark does."""
    session = rows.sparkSession
    conf = session.conf
    is_local = has_local_master(session)
    # Spark 3 refuses to write dates that calendars count differently.
    is_written = all((conf.get(name) or "").lower() in ("corrected", "exception") for name in _CALENDARS)
    # Otherwise Spark writes other timestamps than it reads.
    is_exact = (conf.get("spark.sql.parquet.outputTimestampType") or "").upper() != "TIMESTAMP_MILLIS"
    is_known = all(type_in_duckdb(field.dataType) for field in rows.schema.fields)
    # DuckDB takes a and A for the same name.
    is_named = len({name.lower() for name in rows.columns}) == len(rows.columns)
    is_connect = ".connect." in type(rows).__module__
    return is_local and is_written and is_exact and is_known and is_named and (not is_connect or _shares_files(session))


def _shares_files(session: SparkSession) -> bool:
    """Whether a server of Spark Connect has the files of this process: it may run elsewhere, or as another user."""
    if session not in _sharing:
        with tempfile.TemporaryDirectory(prefix="deltawave-", dir=_temporary_folder(session)) as folder:
            path = Path(folder, "seen")
            path.touch()
            try:
                _sharing[session] = bool(session.read.text(_name_in_spark(path)).columns)
            except PySparkException:
                _sharing[session] = False
    return _sharing[session]


def _connection(memory: int, threads: int, spilled: str) -> duckdb.DuckDBPyConnection:
    """An idle connection, or a new one. ``spilled``: a folder for temporary files."""
    idle = _idle[memory, threads]
    # Other threads take connections, too.
    with suppress(IndexError):
        while connection := idle.pop():
            try:
                connection.execute(f"set temp_directory = {literal(spilled)}")
                return connection
            except duckdb.Error:
                # It has written temporary files.
                connection.close()
    connection = duckdb.connect(
        config={
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            # A join's hash table is made of its right side: estimates of unions and of text would take the dump's.
            "disabled_optimizers": "build_side_probe_side,join_order",
            "memory_limit": f"{memory}B",
            "preserve_insertion_order": False,
            "temp_directory": spilled,
            "threads": threads,
        }
    )
    connection.execute("set TimeZone = 'UTC'")
    return connection


class LocalEngine:
    """DuckDB in this process, which takes about ``memory_bytes``, and beyond that writes temporary files.

    Use it in a ``with`` block, which gives back the connection. The files behind a result are removed when the result
    is garbage-collected.
    """

    def __init__(self, session: SparkSession, memory_bytes: int) -> None:
        self.session = session
        self._folder = Path(tempfile.mkdtemp(prefix="deltawave-", dir=_temporary_folder(session)))
        self._remove = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._states: dict[str, tuple[int, int | None]] = {}
        self._groups: dict[str, RowGroups] = {}
        self._folders = 0
        memory = max(_LEAST_MEMORY, memory_bytes)
        self.threads = min(parallelism(session), os.cpu_count() or 1, memory // _THREAD_MEMORY)
        self._settings = (memory, self.threads)
        self._connection = _connection(memory, self.threads, str(self._folder / "spilled"))

    def __enter__(self) -> "LocalEngine":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is None:
            _idle[self._settings].append(self._connection)
        else:
            self._connection.close()
            self.remove()

    def remove(self) -> None:
        """Remove all files that were written."""
        self._remove()

    def execute(self, statement: str) -> list[tuple[Any, ...]]:
        """The rows of a statement."""
        return self._connection.execute(statement).fetchall()

    def in_place(self, frame: DataFrame) -> str:
        """A select of the frame's columns from its files, text as bytes.

        Raises ``NotInPlaceError`` if Spark has to read them.
        """
        groups = RowGroups.of(frame)
        select = self.of_files(frame, groups.states, groups.stored)
        self._states.update(groups.states)
        self._groups[select] = groups
        return select

    def row_groups(self, select: str) -> RowGroups | None:
        """The row groups that a select reads in place; None if Spark wrote what it reads."""
        return self._groups.get(select)

    def of_result(self, frame: DataFrame) -> str:
        """A select of the columns of what ``frame`` returned: text as bytes, whatever Spark's view of it is named."""
        try:
            (path,) = map(local_path, frame.inputFiles())
        except ValueError as error:
            raise NotInPlaceError("it is not what DuckDB returned") from error
        stored = [name_in_duckdb(name) for name, *_ in self.execute(f"describe from {_files([path])}")]
        cells = [f"{cell} as {name_in_duckdb(name)}" for cell, name in zip(stored, frame.columns, strict=True)]
        return f"select {', '.join(cells)} from {_files([path])}"

    def of_files(
        self,
        frame: DataFrame,
        uris: Iterable[str],
        sources: Mapping[str, StructField] | None = None,
        is_numbered: bool = False,
    ) -> str:
        """The same of some files, which are not examined. ``sources``: their columns, as in ``RowGroups.stored``.

        ``is_numbered``: with ``file_row_number``, the place of each row in its file.
        """
        try:
            return self._select([local_path(uri) for uri in uris], frame.schema, sources or {}, is_numbered)
        except duckdb.Error as error:
            raise NotInPlaceError(f"DuckDB does not read its files: {error}") from error

    def check_files(self) -> None:
        """Raises ``ChangedFileError`` if a file in place is another one than at first."""
        for path, state in self._states.items():
            if state_of(path) != state:
                raise ChangedFileError(f"{path} was changed while it was compared. Run again when it is complete.")

    def by_spark(self, frame: DataFrame) -> str:
        """A select of the frame's columns from files that Spark writes, text as bytes."""
        # DuckDB reads valid text only.
        texts = {name: F.col(quoted(name)).cast("binary") for name, kind in frame.dtypes if kind == "string"}
        written = frame.withColumns(texts) if texts else frame
        folder = self._new_folder()
        # They are read once, and DuckDB does not read every compression that a session may have.
        written.write.parquet(_name_in_spark(folder), compression="uncompressed")
        return self._select(sorted(folder.glob("*.parquet")), written.schema, {})

    def rows(self, frame: DataFrame) -> str:
        """A select of the frame's columns, text as bytes: in place, unless Spark has to read them (logged)."""
        try:
            return self.in_place(frame)
        except NotInPlaceError as error:
            _LOG.info("Spark reads the rows: %s", error)
            return self.by_spark(frame)

    def stored(self, select: str) -> str:
        """A select of the rows of a select, which are computed once."""
        return f"from {_files([self._written(select)])}"

    def frame(self, select: str, schema: StructType) -> DataFrame:
        """The rows of a select as a frame of Spark, with the names and types of the schema."""
        path = self._written(select)
        names = [name for name, *_ in self.execute(f"describe from {_files([path])}")]
        fields = [StructField(name, field.dataType) for name, field in zip(names, schema.fields, strict=True)]
        # The calendar is that of today, whatever the session says of files without Spark's own marks.
        reader = self.session.read.schema(StructType(fields)).option("datetimeRebaseMode", "CORRECTED")
        self.check_files()
        return attach(reader.parquet(_name_in_spark(path)).toDF(*schema.names), self.remove)

    def _written(self, select: str) -> Path:
        folder = self._new_folder()
        folder.mkdir()
        path = folder / "rows.parquet"
        self.execute(f"copy ({select}) to {literal(str(path))} (format parquet)")
        return path

    def _select(
        self, paths: Sequence[Path], schema: StructType, sources: Mapping[str, StructField], is_numbered: bool = False
    ) -> str:
        files = _files(paths, is_numbered)
        stored = {name.lower(): kind for name, kind, *_ in self.execute(f"describe from {files}")}
        columns = [(field, sources.get(field.name.lower(), field)) for field in schema.fields]
        cells = [_cell(field, source, stored.get(source.name.lower())) for field, source in columns]
        numbers = ["file_row_number"] if is_numbered else []
        return f"select {', '.join([*cells, *numbers])} from {files} as files"

    def _new_folder(self) -> Path:
        self._folders += 1
        return self._folder / f"{self._folders}"


@contextmanager
def or_spark(task: str) -> Iterator[None]:
    """End the block if DuckDB cannot do the task: then Spark does it, and the log names the task and the reason."""
    try:
        yield
    except (NotInPlaceError, duckdb.Error) as error:
        _LOG.debug("Spark %s: %s", task, error)


def local_path(uri: str) -> Path:
    """The path of a file, or a folder, on this machine. Raises ``NotInPlaceError`` if DuckDB does not reach it."""
    try:
        system, path = located(uri)
    except (pa.ArrowException, OSError) as error:
        # Spark knows more file systems than pyarrow, which may lack a library, too.
        raise NotInPlaceError(f"{uri}: {error}") from error
    if not isinstance(system, LocalFileSystem):
        raise NotInPlaceError(f"{uri} is not on this machine")
    if _PATTERN.intersection(path):
        raise NotInPlaceError(f"the name of {path} looks like a pattern")
    return Path(path)


def path_of_location(location: str) -> Path:
    """The same of a table's location, which is a path, not a URI."""
    return local_path(quote(location, safe="/:"))


def _files(paths: Sequence[Path], is_numbered: bool = False) -> str:
    listed = ", ".join(literal(str(path)) for path in paths)
    numbers = ", file_row_number = true" if is_numbered else ""
    return f"read_parquet([{listed}], union_by_name = true, hive_partitioning = false{numbers})"


def _name_in_spark(path: Path) -> str:
    """A local path, whatever Spark's own file system is. Spark takes a name as it is: %20 is no blank."""
    return f"file://{path}"


def name_in_duckdb(name: str) -> str:
    """A name in double quotes."""
    return '"' + name.replace('"', '""') + '"'


def same_values(pairs: Iterable[tuple[str, str]]) -> str:
    """Whether values are equal, pairwise: null equals null."""
    return " and ".join(f"{one} is not distinct from {other}" for one, other in pairs)


def literal(text: str) -> str:
    """A text in single quotes."""
    return "'" + text.replace("'", "''") + "'"


def _cell(field: StructField, source: StructField, stored: str | None) -> str:
    """A column of files as Spark reads it. Raises ``NotInPlaceError`` if it may be read in another way.

    ``source``: its name there, and the type as which Spark reads it, before it casts it.
    """
    name, wanted, read = name_in_duckdb(field.name), type_in_duckdb(field.dataType), type_in_duckdb(source.dataType)
    # By the table's name: another column of the select may have the column's name.
    value = f"files.{name_in_duckdb(source.name)}"
    if stored is None:
        # Files from before the column was added.
        value = f"null::{'BLOB' if wanted == 'VARCHAR' else wanted}"
    elif stored == "TIMESTAMP" and read == "TIMESTAMP WITH TIME ZONE":
        # Spark's old format of timestamps has no zone of its own.
        value = f"{value} at time zone 'UTC'"
    elif stored != read:
        raise NotInPlaceError(f"the column {source.name} is stored as {stored}")
    elif stored == "VARCHAR":
        value = f"encode({value})"
    elif read != wanted:
        value = f"{value}::{wanted}"
    return f"{value} as {name}"


def _temporary_folder(session: SparkSession) -> str | None:
    """Where Spark has its own temporary files."""
    folder = (session.conf.get("spark.local.dir", "") or "").split(",")[0].strip()
    return folder if Path(folder).is_absolute() and Path(folder).is_dir() else None
