"""The rows that a change log has of some keys, from the log's files: Spark would decode every row of a long log."""

from __future__ import annotations

import logging
import re
from collections import defaultdict
from collections.abc import Sequence

import duckdb
from pyspark.sql import DataFrame

from deltawave.differencing.compression import with_keys
from deltawave.differencing.in_place import NotInPlaceError
from deltawave.differencing.local_engine import LocalEngine, name_in_duckdb, reaches
from deltawave.sql_text import quoted

_LOG = logging.getLogger(__name__)

# A log of more files is read by Spark, in many tasks.
_MOST_FILES = 500
_PARTITION = re.compile(r"/batch_id=(\d+)/attempt=(\w+)/[^/]+$")


def rows_of_keys(
    log: DataFrame,
    stored: DataFrame,
    decided: DataFrame,
    keys: DataFrame,
    *,
    unique_key: Sequence[str],
    memory_bytes: int = 1 << 30,
) -> DataFrame:
    """Return the rows of ``log`` with the keys of ``keys``.

    - ``stored``: the columns of ``log`` but ``_batch_id``, as the table of Parquet files has them, with the rows
      of all attempts
    - ``decided``: ``batch_id`` and ``attempt`` of those that count
    """
    try:
        return _from_files(log, stored, decided, keys, unique_key, memory_bytes)
    except (NotInPlaceError, duckdb.Error) as error:
        _LOG.debug("Spark reads the log: %s", error)
        return with_keys(log, keys.select(*map(quoted, unique_key)), unique_key, "left_semi")


def _from_files(
    log: DataFrame,
    stored: DataFrame,
    decided: DataFrame,
    keys: DataFrame,
    unique_key: Sequence[str],
    memory_bytes: int,
) -> DataFrame:
    if not reaches(stored):
        raise NotInPlaceError("DuckDB does not compare its types")
    counted = {(row.batch_id, row.attempt) for row in decided.collect()}
    paths = defaultdict(list)
    for uri in stored.inputFiles():
        if (found := _PARTITION.search(uri)) and (int(found[1]), found[2]) in counted:
            paths[int(found[1])].append(uri)
    if not 0 < sum(map(len, paths.values())) <= _MOST_FILES:
        raise NotInPlaceError("it has no files, or very many")
    cells = ", ".join(name_in_duckdb(name) for name in stored.columns)
    same = " and ".join(f"log.{name} is not distinct from keys.{name}" for name in map(name_in_duckdb, unique_key))
    with LocalEngine(stored.sparkSession, memory_bytes) as engine:
        batches = (
            f"select {cells}, {batch}::bigint as _batch_id from ({engine.of_files(stored, uris)})"
            for batch, uris in paths.items()
        )
        wanted = engine.rows(keys.select(*map(quoted, unique_key)))
        select = f"select log.* from ({' union all '.join(batches)}) as log semi join ({wanted}) as keys on {same}"
        return engine.frame(select, log.schema)
