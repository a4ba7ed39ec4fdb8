"""Streams of files: no file is skipped, and each has to have the key, as nulls would meet nothing."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import reduce
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import orc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from deltawave.differencing.compression import free_prefix
from deltawave.differencing.in_place import Batches, located, open_file
from deltawave.meshjoin.named_batches import map_in_arrow

# By default Spark silently skips a file that is a week older than the newest one.
ANY_AGE = {"maxFileAge": "36500d"}


def with_key(stream: DataFrame, kind: str, key: Sequence[str]) -> DataFrame:
    """Return the stream; the query fails with ``ValueError`` at a file that lacks a column of the key.

    The schema of Parquet and ORC files is checked, and the objects of JSON files that have a row with a null key. Other
    formats, files that only Hadoop reaches, and JSON objects that span several lines are not checked.
    """
    if kind not in ("parquet", "orc", "json"):
        return stream
    path = free_prefix("file_", stream.columns)
    own = [name for name in key if name in stream.columns]

    def look(batches: Batches) -> Batches:
        known = set[str]()
        for batch in batches:
            files = batch.column(path)
            if kind == "json" and own:
                files = files.filter(reduce(pc.or_, (pc.is_null(batch.column(name)) for name in own)))
            for file in set(pc.unique(files).to_pylist()) - known:
                _look(file, kind, own)
                known.add(file)
            yield batch.drop_columns([path])

    return map_in_arrow(stream.select("*", F.col("_metadata.file_path").alias(path)), look, stream.schema)


def _look(file: str, kind: str, key: Sequence[str]) -> None:
    # Spark takes the values of partitions from the names of folders.
    in_folders = {unquote(part.partition("=")[0]).lower() for part in file.split("/")}
    # Spark matches fields of JSON by exact case.
    written = str if kind == "json" else str.lower
    for names in _columns(file, kind):
        has = set(map(written, names))
        missing = [name for name in key if written(name) not in has and name.lower() not in in_folders]
        if missing and (names or kind == "json"):
            raise ValueError(
                f"The stream's file {file} has no column {missing[0]}; it has {', '.join(names)}. "
                "Write it anew, or take it out of the stream's folder."
            )


def _columns(file: str, kind: str) -> Iterator[list[str]]:
    """The columns of a file, or of each object in it; nothing for a file that can't be read here."""
    with suppress(OSError, pa.ArrowException, NotImplementedError):
        if kind == "parquet":
            yield open_file(file).schema_arrow.names
            return
        system, path = located(file)
        if kind == "orc":
            with system.open_input_file(path) as opened:
                yield orc.ORCFile(opened).schema.names
            return
        # Lines after one that is no JSON, or in another encoding, may be parts of objects.
        with system.open_input_stream(path) as opened, suppress(ValueError):
            for line in io.BufferedReader(opened):
                found = json.loads(line) if line.strip() else []
                rows = found if isinstance(found, list) else [found]
                yield from (list(row) for row in rows if isinstance(row, dict))
