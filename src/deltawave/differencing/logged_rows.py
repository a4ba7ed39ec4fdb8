"""The last rows that a change log has of some keys, from the log's files: Spark decodes every row of a long log."""

from __future__ import annotations

import logging
import re
from collections import defaultdict
from collections.abc import Sequence

import duckdb
from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from deltawave.differencing.in_place import NotInPlaceError
from deltawave.differencing.local_engine import LocalEngine, name_in_duckdb, reaches
from deltawave.sql_text import quoted

_LOG = logging.getLogger(__name__)

# A log of more files is read by Spark, in many tasks.
_MOST_FILES = 500
_PARTITION = re.compile(r"/batch_id=(\d+)/attempt=(\w+)/[^/]+$")


def last_rows(
    rows: DataFrame,
    stored: DataFrame,
    decided: DataFrame,
    keys: DataFrame,
    *,
    unique_key: Sequence[str],
    memory_bytes: int = 1 << 30,
) -> DataFrame:
    """Return the last row of each of these ``keys``, unless it was deleted.

    - ``rows``: the same as a query of Spark, which is used if DuckDB does not read the log
    - ``stored``: the columns of ``rows`` and ``change_type``, from the log's table of Parquet files, with rows of all
      attempts
    - ``decided``: ``batch_id`` and ``attempt`` of those that count
    """
    try:
        return _from_files(rows.schema, stored, decided, keys, unique_key, memory_bytes)
    except (NotInPlaceError, duckdb.Error) as error:
        _LOG.debug("Spark reads the log: %s", error)
        return rows


def _from_files(
    schema: StructType,
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
    key = [f"log.{name_in_duckdb(name)}" for name in unique_key]
    same = " and ".join(f"{cell} is not distinct from wanted.{cell.partition('.')[2]}" for cell in key)
    with LocalEngine(stored.sparkSession, memory_bytes) as engine:
        batches = (
            f"select *, {batch} as _batch_id from ({engine.of_files(stored, uris)})" for batch, uris in paths.items()
        )
        wanted = engine.rows(keys.select(*map(quoted, unique_key)))
        select = (
            f"select {', '.join(map(name_in_duckdb, schema.names))} from ("
            f"select log.*, row_number() over (partition by {', '.join(key)} order by _batch_id desc, "
            "change_type = encode('delete')) as _recency "
            f"from ({' union all '.join(batches)}) as log semi join ({wanted}) as wanted on {same}"
            ") where _recency = 1 and change_type <> encode('delete')"
        )
        return engine.frame(select, schema)
