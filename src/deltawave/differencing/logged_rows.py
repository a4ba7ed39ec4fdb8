"""The files of a change log, read and written by DuckDB: last changes of keys, changes of a batch; and of copies."""

import logging
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from itertools import chain
from typing import Any

import duckdb
from pyspark.sql import DataFrame

from deltawave.differencing.contract import MEMORY_BYTES, Columns
from deltawave.differencing.local_engine import (
    LocalEngine,
    literal,
    name_in_duckdb,
    or_spark,
    path_of_location,
    reaches,
    same_values,
)
from deltawave.rows.parquet_files import ChangedFileError, NotInPlaceError, check_calendar
from deltawave.sql_text import quoted

_LOG = logging.getLogger(__name__)

# [batch number, attempt] of each partition.
Partitions = Sequence[Sequence[Any]]

# A log of more files is read by Spark, in many tasks.
_MOST_FILES = 500
# The compressions that both Spark and DuckDB can write.
_CODECS = ("gzip", "snappy", "zstd")
_FILE_BYTES = 256 << 20
_PARTITION = re.compile(r"/batch_id=(-?\d+)/attempt=(\w+)/[^/]+$")


def last_rows(
    rows: DataFrame,
    stored: DataFrame,
    keys: DataFrame,
    *,
    partitions: Partitions,
    from_batch: int,
    unique_key: Sequence[str],
    memory_bytes: int = MEMORY_BYTES,
) -> DataFrame:
    """Return the last row of each of these ``keys``, unless it was deleted.

    - ``rows``: the same rows as a query, for Spark to run if DuckDB cannot read the log
    - ``stored``, ``partitions``, ``from_batch``: see ``last_changes``; the columns of ``rows``, and ``change_type``
    """
    with or_spark("reads the log"):
        # Before the keys are found, and written where DuckDB reads them.
        require_reach(stored)
        with LocalEngine(stored.sparkSession, memory_bytes) as engine:
            wanted = engine.rows(keys.select(*map(quoted, unique_key)))
            changes = last_changes(engine, stored, partitions, from_batch, unique_key, wanted)
            cells = ", ".join(map(name_in_duckdb, rows.columns))
            return engine.frame(f"select {cells} from ({changes}) where change_type <> encode('delete')", rows.schema)
    return rows


def count_keys(
    rows: DataFrame, *, unique_key: Sequence[str], memory_bytes: int = MEMORY_BYTES
) -> dict[str, int] | None:
    """Count a first dump, which is all rows of Parquet files; None if Spark has to read them.

    Returns ``rows``, ``null_keys`` (rows without a key), ``duplicate_keys`` and ``duplicate_rows``.
    """
    return _counted(rows, lambda engine: engine.in_place(rows), unique_key, memory_bytes)


def count_pairs(
    pairs: DataFrame, *, unique_key: Sequence[str], memory_bytes: int = MEMORY_BYTES
) -> dict[str, int] | None:
    """The same of those rows of the dump that differ: see ``write_changes``."""
    there = "select * from ({}) where is_there"
    return _counted(pairs, lambda engine: there.format(engine.of_result(pairs)), unique_key, memory_bytes)


def _counted(
    rows: DataFrame, select: Callable[[LocalEngine], str], unique_key: Sequence[str], memory_bytes: int
) -> dict[str, int] | None:
    with or_spark("counts the rows"):
        require_reach(rows)
        with LocalEngine(rows.sparkSession, memory_bytes) as engine:
            return key_counts(engine, select(engine), unique_key)
    return None


def require_reach(rows: DataFrame) -> None:
    if not reaches(rows):
        raise NotInPlaceError("DuckDB does not compare its types, or does not reach its files")


def key_counts(engine: LocalEngine, select: str, unique_key: Sequence[str]) -> dict[str, int]:
    keys = [f"k{number}" for number in range(len(unique_key))]
    cells = [f"{name_in_duckdb(name)} as {key}" for name, key in zip(unique_key, keys, strict=True)]
    figures = {
        "rows": "coalesce(sum(copies), 0)",
        "null_keys": f"coalesce(sum(copies) filter ({' and '.join(f'{key} is null' for key in keys)}), 0)",
        "duplicate_keys": "count(*) filter (copies > 1)",
        "duplicate_rows": "coalesce(sum(copies) filter (copies > 1), 0)",
    }
    (counts,) = engine.execute(
        f"select {', '.join(figures.values())} from "
        f"(select *, count(*) as copies from (select {', '.join(cells)} from ({select})) group by all)"
    )
    return dict(zip(figures, map(int, counts), strict=True))


def last_changes(
    engine: LocalEngine,
    stored: DataFrame,
    partitions: Partitions,
    from_batch: int,
    unique_key: Sequence[str],
    wanted: str | None = None,
) -> str:
    """A select of the last change of each key in a log, which may be a delete; text as bytes.

    - ``stored``: a select of the log's table, with the rows of all attempts: ``change_type``, ``of_batch``, a row
    - ``partitions``: the valid ones, whose number is a row's batch if ``of_batch`` is null
    - ``from_batch``: earlier batches are left out
    - ``wanted``: a select of keys, which are its first columns; others are left out

    Within a batch deletes apply before inserts. Raises ``NotInPlaceError`` if Spark has to read the files.
    """
    require_reach(stored)
    counted = {(number, attempt) for number, attempt in partitions}
    paths = defaultdict(list)
    for uri in stored.inputFiles():
        if (found := _PARTITION.search(uri)) and (int(found[1]), found[2]) in counted:
            paths[int(found[1])].append(uri)
    if not 0 < sum(map(len, paths.values())) <= _MOST_FILES:
        raise NotInPlaceError("it has no files, or very many")
    batches = [
        f"select * exclude (of_batch), coalesce(of_batch, {batch}) as _batch_id "
        f"from ({engine.of_files(stored, uris)}) where _batch_id >= {from_batch}"
        for batch, uris in paths.items()
    ]
    # After ``of_files``, which refuses files that are not on this machine.
    for uri in chain.from_iterable(paths.values()):
        check_calendar(uri)
    log = f"({' union all '.join(batches)}) as log"
    key = {f"k{number}": f"log.{name_in_duckdb(name)}" for number, name in enumerate(unique_key)}
    if wanted is not None:
        same = same_values((cell, f"wanted.{name}") for name, cell in key.items())
        log = f"{log} semi join ({wanted}) as wanted({', '.join(key)}) on {same}"
    return (
        f"select * from (select log.*, row_number() over (partition by {', '.join(key.values())} "
        f"order by _batch_id desc, change_type = encode('delete')) as _recency from {log}) where _recency = 1"
    )


def write_changes(
    pairs: DataFrame, *, folder: str, columns: Columns, batch_at: str, memory_bytes: int = MEMORY_BYTES
) -> dict[str, int] | None:
    """Write the changes of rows with their before images, as a log's partition.

    Return the number of changes of each kind; None if nothing was written, and Spark has to do it.

    - ``pairs``: what ``differing_pairs`` returned, of ``hash_compressed`` or ``stored_copies``
    - ``folder``: that of the partition
    - ``columns``: those of the log, with ``in_old`` and ``in_new``
    - ``batch_at``: the time of the batch, in UTC
    """

    def changes(engine: LocalEngine) -> str:
        return _changes_of_pairs(engine.of_result(pairs), columns, batch_at, pairs.dtypes)

    return _written(pairs, changes, folder, memory_bytes)


def write_inserts(
    rows: DataFrame, *, folder: str, columns: Columns, batch_at: str, memory_bytes: int = MEMORY_BYTES
) -> dict[str, int] | None:
    """The same of a first dump, all rows of Parquet files, in the log's types: each is an insert."""

    def changes(engine: LocalEngine) -> str:
        texts = _texts(rows.dtypes)
        names = [column["name"] for column in columns if column["in_new"]]
        cells = [f"{_stored(name, texts)} as {name_in_duckdb(name)}" for name in names]
        return (
            f"select {', '.join(cells)}, 'insert' as change_type, null::varchar[] as changed_columns, "
            f"{literal(batch_at)}::timestamptz as batch_at from ({engine.in_place(rows)})"
        )

    return _written(rows, changes, folder, memory_bytes)


def _written(
    rows: DataFrame, changes: Callable[[LocalEngine], str], folder: str, memory_bytes: int
) -> dict[str, int] | None:
    counts = write_files(rows, changes, folder, memory_bytes, "change_type, count(*)")
    return None if counts is None else dict(counts)


def write_files(
    rows: DataFrame, select: Callable[[LocalEngine], str], folder: str, memory_bytes: int, figures: str
) -> list[tuple[Any, ...]] | None:
    """Write a select into a folder without files, as Spark writes a table; None if Spark has to do it.

    - ``rows``: what the select is made of
    - ``figures``: what is to be returned of the files: columns, and aggregates of these groups
    """
    session = rows.sparkSession
    codec = (session.conf.get("spark.sql.parquet.compression.codec") or "").lower()
    is_legacy = (session.conf.get("spark.sql.parquet.writeLegacyFormat") or "").lower() == "true"
    target = None
    try:
        require_reach(rows)
        if is_legacy or codec not in _CODECS:
            raise NotInPlaceError("the session has its own format of files")
        with LocalEngine(session, memory_bytes) as engine:
            path = path_of_location(folder)
            written = select(engine)
            path.mkdir(parents=True, exist_ok=True)
            if any(path.glob("*.parquet")):
                raise NotInPlaceError("the folder has files, which only Spark replaces")
            target = path
            options = [
                f"format parquet, parquet_version v1, compression {codec}, file_size_bytes {_FILE_BYTES}",
                f"filename_pattern 'part-{{i}}-{{uuid}}.{codec}'",
                # Spark looks at the version in the footer to learn which calendar the dates follow.
                f"kv_metadata {{'org.apache.spark.version': {literal(session.version)}}}",
            ]
            engine.execute(f"copy ({written}) to {literal(str(path))} ({', '.join(options)})")
            found = engine.execute(f"select {figures} from {literal(str(path / '*.parquet'))} group by all")
            engine.check_files()
            return found
    except (NotInPlaceError, ChangedFileError, duckdb.Error, OSError) as error:
        # Such as a text that is not valid, or a folder of another user.
        _LOG.info("Spark writes the rows: %s", error)
        for file in target.glob("*.parquet") if target else ():
            file.unlink()
        return None


def as_stored(rows: DataFrame) -> list[str]:
    """The columns of rows that DuckDB has read, as they are written: texts were read as their bytes."""
    texts = _texts(rows.dtypes)
    return [f"{_stored(name, texts)} as {name_in_duckdb(name)}" for name in rows.columns]


def _texts(types: Sequence[tuple[str, str]]) -> set[str]:
    return {name for name, kind in types if kind == "string"}


def _stored(name: str, texts: Collection[str], side: str = "") -> str:
    """A column of rows that DuckDB has read, as it is written: texts were read as their bytes."""
    cell = name_in_duckdb(f"{side}{name}")
    return f"decode({cell})" if name in texts else cell


def _changes_of_pairs(rows: str, columns: Columns, batch_at: str, types: Sequence[tuple[str, str]]) -> str:
    """As the macro ``_changes_of_pairs``: DuckDB, too, takes -0.0 for 0.0, and NaN for NaN."""
    texts = _texts(types)
    cells, before, changed = [], [], []
    for column in columns:
        name = column["name"]
        old, new = name_in_duckdb(f"before__{name}"), name_in_duckdb(name)
        if column["is_key"]:
            cells.append(f"{_stored(name, texts)} as {new}")
            continue
        # A column that one side lacks is null there, and readers take one that a file lacks for null.
        after = _stored(name, texts) if column["in_new"] else "null"
        earlier = _stored(name, texts, "before__") if column["in_old"] else "null"
        if column["in_new"] or column["in_old"]:
            cells.append(f"case when is_there then {after} else {earlier} end as {new}")
        if column["in_old"]:
            before.append(f"case when is_there then {earlier} end as {old}")
        if column["is_compared"]:
            changed.append(f"case when {old} is distinct from {new} then [{literal(name)}] end")
    # Lists that are null are left out. A list comprehension would have a name, which may be that of a column.
    names = f"flatten([{', '.join(changed)}])" if changed else "[]"
    return (
        f"select * from (select {', '.join([*cells, *before])}, "
        "case when _change_type is null then 'insert' when is_there then 'update' else 'delete' end "
        "as change_type, "
        f"case when _change_type is not null and is_there then {names}::varchar[] end as changed_columns, "
        f"{literal(batch_at)}::timestamptz as batch_at from ({rows}) where is_there or _change_type is not null) "
        "where change_type <> 'update' or len(changed_columns) > 0"
    )
