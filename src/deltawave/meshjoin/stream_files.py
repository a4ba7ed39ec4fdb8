"""Streams of files: none is passed over, and each Parquet file has to have the key, as nulls would meet nothing."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from deltawave.differencing.compression import free_prefix
from deltawave.differencing.in_place import Batches, open_file

# By default Spark passes over a file that is a week older than the newest one, and says nothing.
ANY_AGE = {"maxFileAge": "36500d"}


def with_key(stream: DataFrame, key: Sequence[str]) -> DataFrame:
    """Return the stream; the query fails with ``ValueError`` at a file that lacks a column of the key.

    Files that only Hadoop reaches are not looked at.
    """
    path = free_prefix("file_", stream.columns)

    def look(batches: Batches) -> Batches:
        known = set[str]()
        for batch in batches:
            for file in set(pc.unique(batch.column(path)).to_pylist()) - known:
                _look(file, key)
                known.add(file)
            yield batch.drop_columns([path])

    return stream.select("*", F.col("_metadata.file_path").alias(path)).mapInArrow(look, stream.schema)


def _look(file: str, key: Sequence[str]) -> None:
    names = list[str]()
    with suppress(OSError, pa.ArrowException, NotImplementedError):
        names = open_file(file).schema_arrow.names
    # Spark takes the values of partitions from the names of folders.
    has = {name.lower() for name in names} | {unquote(part.partition("=")[0]).lower() for part in file.split("/")}
    missing = [name for name in key if name.lower() not in has]
    if names and missing:
        raise ValueError(
            f"The stream's file {file} has no column {missing[0]}; it has {', '.join(names)}. "
            "Write it anew, or take it out of the stream's folder."
        )
