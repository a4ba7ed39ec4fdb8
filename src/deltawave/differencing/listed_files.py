"""The files of a snapshot as a list (path, size, time of modification), kept instead of a copy where files stay."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.fs
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.types import StructType

from deltawave.differencing.batches import Batches
from deltawave.differencing.in_place import FILLED_IN, computed
from deltawave.differencing.parquet_files import NotInPlaceError, check_folders, has_rows, located
from deltawave.sql_text import quoted

_LISTED = StructType().add("path", "string").add("size", "long").add("modified_ns", "long").add("problem", "string")
_MOVED = "path string, problem string"
# Characters that a file's path must not hold unescaped: Spark would look for several files.
_PATTERN = re.compile(r"([{}\[\]*?\\])")


def listed(snapshot: DataFrame) -> DataFrame:
    """Return a row for each file: ``path``, ``size`` in bytes, ``modified_ns`` in nanoseconds since 1970, ``problem``.

    ``snapshot``: all rows of a table of Parquet files, or of some of its partitions. ``problem`` is the reason
    why the files cannot be compared in place, or null.
    """
    session = snapshot.sparkSession
    paths = sorted(filter(has_rows, snapshot.inputFiles()))
    try:
        _check(paths, snapshot)
        files = looked_at(session, paths)
    except NotInPlaceError as error:
        files = [Row(path=None, size=None, modified_ns=None, problem=str(error))]
    return session.createDataFrame(files, _LISTED)


def looked_at(session: SparkSession, paths: Sequence[str]) -> list[Row]:
    """A row for each file, as ``listed`` returns. A task looks at the files, since tasks reach them."""
    return [Row(**file) for file in computed(session, len(paths), lambda number: _looked_at(paths[number]), tasks=1)]


def moved(files: DataFrame) -> DataFrame:
    """Return ``path`` and ``problem`` of each listed file that is missing, or has changed since it was listed."""

    def look(batches: Batches) -> Batches:
        for batch in batches:
            for was in batch.to_pylist():
                problem = _difference(was, _looked_at(was["path"]))
                if problem is not None:
                    yield pa.RecordBatch.from_pydict({"path": [was["path"]], "problem": [problem]})

    return files.mapInArrow(look, _MOVED)


def rows(files: DataFrame, columns: Sequence[Mapping[str, str]]) -> DataFrame:
    """Return the rows of the listed files. ``columns``: their names and data types, ``name`` and ``data_type``."""
    session = files.sparkSession
    schema = ", ".join(f"{quoted(column['name'])} {column['data_type']}" for column in columns)
    # Spark names files by URIs, and opens them by paths.
    paths = [_PATTERN.sub(r"\\\1", unquote(row.path)) for row in files.collect()]
    return session.read.schema(schema).parquet(*paths) if paths else session.createDataFrame([], schema)


def _check(paths: Sequence[str], snapshot: DataFrame) -> None:
    """Refuse files whose rows are others than Spark's."""
    filled = [field.name for field in snapshot.schema.fields if FILLED_IN.intersection(field.metadata)]
    if filled:
        raise NotInPlaceError(f"Spark fills in or pads the column(s) {', '.join(filled)}")
    check_folders(paths, snapshot.columns)
    if not paths and not snapshot.isEmpty():
        # For a table that Spark has cached, for instance.
        raise NotInPlaceError("Spark has its rows, and names no files")


def _looked_at(path: str) -> dict[str, Any]:
    """A row of the list; a problem if there is no such file, or it cannot be reached."""
    size = modified = problem = None
    try:
        system, place = located(path)
        info = system.get_file_info(place)
        if info.type == pyarrow.fs.FileType.File:
            size, modified = info.size, info.mtime_ns
        else:
            problem = "is missing"
    except Exception as error:
        problem = f"cannot be looked at: {error}"
    return {"path": path, "size": size, "modified_ns": modified, "problem": problem}


def _difference(was: Mapping[str, int], now: Mapping[str, int]) -> str | None:
    """How a file differs from its entry in the list; none if it does not."""
    if now["problem"] is not None:
        return str(now["problem"])
    if now["size"] != was["size"]:
        return f"has {now['size']:,} bytes, and had {was['size']:,}"
    if now["modified_ns"] != was["modified_ns"]:
        times = (datetime.fromtimestamp(each["modified_ns"] // 10**9, timezone.utc) for each in (now, was))
        return "was modified at {:%Y-%m-%d %H:%M:%S} UTC, and before at {:%Y-%m-%d %H:%M:%S}".format(*times)
    return None
