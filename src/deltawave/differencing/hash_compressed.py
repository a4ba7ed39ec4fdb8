"""Hash outer join with a compressed old snapshot (LG96 3.1: PHC1).

DuckDB makes a hash table of the old snapshot's keys and hashes, and the new snapshot probes it. It has to reach the
rows: see ``local_engine.reaches``.
"""

import logging
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar

import duckdb
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T

from deltawave.differencing.contract import MEMORY_BYTES, Columns, flagged_schema, schema_of_pairs
from deltawave.differencing.hash_selects import HashSelects, hashes
from deltawave.differencing.local_engine import LocalEngine, or_spark
from deltawave.differencing.logged_rows import Partitions, last_changes
from deltawave.differencing.unchanged_row_groups import Marks

_LOG = logging.getLogger(__name__)

# Makes a select of a frame's rows.
Read = Callable[[DataFrame], str]
Result = TypeVar("Result")

# A value of each kind that is hashed in its own way.
_SAMPLES: dict[str, T.DataType] = {
    "null::blob": T.StringType(),
    "-1::bigint": T.LongType(),
    "true": T.BooleanType(),
    "0.5::float": T.FloatType(),
    "-0.5::double": T.DoubleType(),
    "1.25::decimal(9, 2)": T.DecimalType(9, 2),
    "12345678901234567890.5::decimal(38, 1)": T.DecimalType(38, 1),
    "date '1999-12-31'": T.DateType(),
    "timestamp '1999-12-31 23:59:59'": T.TimestampNTZType(),
    "'short'::blob": T.StringType(),
    "'a text of several words'::blob": T.StringType(),
}


@cache
def hash_version() -> str:
    """The hashes of sample values: others cannot be compared with these. Most releases of DuckDB compute the same."""
    low, high = hashes(list(_SAMPLES), list(_SAMPLES.values()))
    with duckdb.connect(config={"threads": 1}) as connection:
        return f"DuckDB {connection.execute(f'select {low}, {high}').fetchall()}"


def kept_hashes(
    rows: DataFrame, *, unique_key: Sequence[str], columns: Columns, count: int, memory_bytes: int = MEMORY_BYTES
) -> DataFrame:
    """Return the kept hashes of a snapshot of about ``count`` rows: the key k0, k1, ..., and ``low`` and ``high``."""
    compared = HashSelects(rows, unique_key, columns)
    return _computed(
        rows.sparkSession,
        memory_bytes,
        lambda engine, read: engine.frame(compared.hashed(read(rows)), compared.kept_schema),
    )


def patched_hashes(
    kept: DataFrame,
    patches: DataFrame,
    *,
    unique_key: Sequence[str],
    columns: Columns,
    count: int,
    stored: DataFrame | None = None,
    partitions: Partitions = (),
    from_batch: int = 0,
    memory_bytes: int = MEMORY_BYTES,
) -> DataFrame:
    """Return the kept hashes with ``patches`` applied: rows with ``_change_type``.

    ``stored``, ``partitions``, ``from_batch``: a log whose last changes are the patches, see ``last_changes``; Spark
    reads them if DuckDB can not.
    """
    compared = HashSelects(patches, unique_key, columns)

    def patch(engine: LocalEngine, read: Read) -> DataFrame:
        changes = _patches(engine, unique_key, patches, stored, partitions, from_batch)
        return engine.frame(compared.patched(read(kept), changes), compared.kept_schema)

    return _computed(kept.sparkSession, memory_bytes, patch)


def differing_rows(kept: DataFrame, new: DataFrame, **options: Any) -> DataFrame:
    """Return the rows of ``new`` that differ from the kept hashes; ``options``: as of ``differing_pairs``.

    As ``sort_merge_compressed.differing_rows``, but Spark reads ``new`` at most once. DuckDB reads the files once if
    the kept hashes fit into memory and no kept key has several new rows, otherwise twice. The comparison takes about
    ``memory_bytes``; what does not fit waits in temporary files.
    """
    return differing_pairs(kept, new, **options)[0]


def differing_pairs(
    kept: DataFrame,
    new: DataFrame,
    *,
    unique_key: Sequence[str],
    columns: Columns,
    rows: int,
    logged: DataFrame | None = None,
    logged_partitions: Partitions = (),
    first_batch: int = 0,
    same_rows: int | None = None,
    patches: DataFrame | None = None,
    stored: DataFrame | None = None,
    partitions: Partitions = (),
    from_batch: int = 0,
    marks: Sequence[str] | None = None,
    memory_bytes: int = MEMORY_BYTES,
) -> tuple[DataFrame, dict[str, Any]]:
    """Return ``differing_rows``, each with the last row of its key in a log.

    Its columns are ``before__...``; ``_change_type`` is null if there is none, or it was deleted. Without a log, or if
    DuckDB cannot read it, the rows come without it. Otherwise ``pairs``, their number, and ``previous_rows``, that of
    the kept rows, are returned as well.

    - ``logged``, ``logged_partitions``, ``first_batch``: the whole log; see ``last_changes``
    - ``same_rows``: if nothing differs, and as many rows are kept, the rows come without the log, which is not read
    - ``patches``, ``stored``, ``partitions``, ``from_batch``: as of ``patched_hashes``
    - ``marks``: those of the snapshot from which the kept hashes and their patches come, empty if they are not known:
      of row groups that have not changed since, only the keys are decoded. Unless it is None, the ``marks`` of ``new``
      are returned, too
    - others: as of ``sort_merge_compressed.differing_rows``
    """
    compared = HashSelects(new, unique_key, columns)

    def find(engine: LocalEngine, read: Read) -> tuple[DataFrame, dict[str, Any]]:
        stored_hashes = old = read(kept)
        if patches is not None:
            old = compared.patched(old, _patches(engine, unique_key, patches, stored, partitions, from_batch))
        dump = read(new)
        groups = None if marks is None else engine.row_groups(dump)
        marked = Marks.of(groups, compared.names, marks or (), engine.threads) if groups else None
        measured: dict[str, Any] = {"marks": list(marked.each)} if marked else {}
        parts = marked.split(engine, new) if marked else None
        if parts and (of_parts := compared.differing_in(engine, old, memory_bytes, parts)):
            _LOG.info("%s row groups are as they were", parts.share)
            found = of_parts
        else:
            found = compared.differing(engine, old, dump, memory_bytes)
        if logged is None:
            return engine.frame(found, flagged_schema(new.schema)), measured
        ((pairs, previous_rows),) = engine.execute(
            f"select (select count(*) from ({found})), (select count(*) from ({stored_hashes}))"
        )
        counts = {**measured, "pairs": pairs, "previous_rows": previous_rows}
        if pairs == 0 and previous_rows == same_rows:
            return engine.frame(found, flagged_schema(new.schema)), counts
        with or_spark("reads the log"):
            wanted = compared.keys_of(found)
            changes = engine.stored(last_changes(engine, logged, logged_partitions, first_batch, unique_key, wanted))
            others = {*unique_key, "change_type", "of_batch"}
            before = [field for field in logged.schema.fields if field.name not in others]
            return engine.frame(
                compared.with_before(found, changes, before), schema_of_pairs(new.schema, before)
            ), counts
        return engine.frame(found, flagged_schema(new.schema)), measured

    return _computed(new.sparkSession, memory_bytes, find)


def _patches(
    engine: LocalEngine,
    unique_key: Sequence[str],
    patches: DataFrame,
    stored: DataFrame | None,
    partitions: Partitions,
    from_batch: int,
) -> str:
    """A select of the patches: from the log's files, unless Spark has to read them."""
    if stored is not None:
        with or_spark("reads the log"):
            changes = last_changes(engine, stored, partitions, from_batch, unique_key)
            # They are read twice.
            return engine.stored(f"select *, change_type as _change_type from ({changes})")
    return engine.by_spark(patches)


def _computed(session: SparkSession, memory_bytes: int, compute: Callable[[LocalEngine, Read], Result]) -> Result:
    """What is computed from rows, whose files are read in place if that is possible."""
    with LocalEngine(session, memory_bytes) as engine:
        try:
            return compute(engine, engine.rows)
        except duckdb.OutOfMemoryException as error:
            raise MemoryError(
                "DuckDB needs more memory or more room for temporary files. Raise memory_bytes, or take "
                f"sort_merge. {error}"
            ) from error
        except duckdb.Error as error:
            engine.check_files()
            # Such as text that is not valid, where Spark compares bytes.
            _LOG.info("Spark reads the rows: %s", error)
            return compute(engine, engine.by_spark)
