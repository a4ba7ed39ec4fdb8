"""The last changes that a change log has of keys, from the log's files: Spark decodes every row of a long log."""

import logging
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import duckdb
from pyspark.sql import DataFrame

from deltawave.differencing.in_place import NotInPlaceError, check_calendar
from deltawave.differencing.local_engine import LocalEngine, name_in_duckdb, reaches
from deltawave.sql_text import quoted

_LOG = logging.getLogger(__name__)

# A log of more files is read by Spark, in many tasks.
_MOST_FILES = 500
_PARTITION = re.compile(r"/batch_id=(-?\d+)/attempt=(\w+)/[^/]+$")


def last_rows(
    rows: DataFrame,
    stored: DataFrame,
    partitions: DataFrame,
    keys: DataFrame,
    *,
    unique_key: Sequence[str],
    memory_bytes: int = 1 << 30,
) -> DataFrame:
    """Return the last row of each of these ``keys``, unless it was deleted.

    - ``rows``: the same as a query of Spark, which is used if DuckDB does not read the log
    - ``stored``, ``partitions``: see ``LogFiles``; the columns of ``rows``, and ``change_type``
    """
    try:
        files = LogFiles.of(stored, partitions)
        with LocalEngine(stored.sparkSession, memory_bytes) as engine:
            wanted = engine.rows(keys.select(*map(quoted, unique_key)))
            return engine.frame(
                f"select {', '.join(map(name_in_duckdb, rows.columns))} "
                f"from ({files.last_changes(engine, unique_key, wanted)}) where change_type <> encode('delete')",
                rows.schema,
            )
    except (NotInPlaceError, duckdb.Error) as error:
        _LOG.debug("Spark reads the log: %s", error)
        return rows


@dataclass(frozen=True)
class LogFiles:
    """The Parquet files of a change log, on this machine.

    - ``stored``: rows of the log's table, of all attempts: ``change_type``, ``of_batch``, and columns of the row
    - ``paths``: the files of the partitions that count, by their numbers; a row's batch is ``of_batch``, if it has one
    - ``from_batch``: earlier batches are left out
    """

    stored: DataFrame
    paths: Mapping[int, Sequence[str]]
    from_batch: int

    @classmethod
    def of(cls, stored: DataFrame, partitions: DataFrame) -> "LogFiles":
        """``partitions``: ``batch_id`` and ``attempt`` of the partitions that count, and ``from_batch``.

        Raises ``NotInPlaceError`` if Spark has to read the log.
        """
        if not reaches(stored):
            raise NotInPlaceError("DuckDB does not compare its types")
        counting = partitions.collect()
        counted = {(row.batch_id, row.attempt) for row in counting}
        paths = defaultdict(list)
        for uri in stored.inputFiles():
            if (found := _PARTITION.search(uri)) and (int(found[1]), found[2]) in counted:
                paths[int(found[1])].append(uri)
        if not 0 < sum(map(len, paths.values())) <= _MOST_FILES:
            raise NotInPlaceError("it has no files, or very many")
        return cls(stored, paths, counting[0].from_batch)

    def last_changes(self, engine: LocalEngine, unique_key: Sequence[str], wanted: str | None = None) -> str:
        """A select of the last change of each key, which may be a delete; text as bytes.

        ``wanted``: a select of keys, which are its first columns; others are left out. Within a batch deletes apply
        before inserts. Raises ``NotInPlaceError`` if Spark has to read the files.
        """
        batches = [
            f"select * exclude (of_batch), coalesce(of_batch, {batch}) as _batch_id "
            f"from ({engine.of_files(self.stored, uris)}) where _batch_id >= {self.from_batch}"
            for batch, uris in self.paths.items()
        ]
        # They are known to be on this machine now.
        for uris in self.paths.values():
            for uri in uris:
                check_calendar(uri)
        log = f"({' union all '.join(batches)}) as log"
        key = {f"k{number}": f"log.{name_in_duckdb(name)}" for number, name in enumerate(unique_key)}
        if wanted is not None:
            same = " and ".join(f"{cell} is not distinct from wanted.{name}" for name, cell in key.items())
            log = f"{log} semi join ({wanted}) as wanted({', '.join(key)}) on {same}"
        return (
            f"select * from (select log.*, row_number() over (partition by {', '.join(key.values())} "
            f"order by _batch_id desc, change_type = encode('delete')) as _recency from {log}) where _recency = 1"
        )
