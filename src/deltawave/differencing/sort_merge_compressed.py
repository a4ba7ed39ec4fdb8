"""Sort-merge outer join with a compressed old snapshot (LG96 3.1: SMC1) on Spark.

Only keys and hashes of the old snapshot are kept, sorted by the key's hash and in segments. The new snapshot is
compressed where it is read; only the compressed rows are exchanged. A task merges one segment at a time, which bounds
its memory. Then the rows that differ are read.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema

from deltawave.differencing.compression import (
    NEW,
    Compared,
    Stored,
    by_segment,
    compressed,
    kept_hashes,
    merged,
    old_pieces,
    old_side,
    patched_hashes,
    segments_of,
    signatures,
)
from deltawave.differencing.contract import Columns, all_same, flagged_schema
from deltawave.differencing.signatures import Signatures, differences, key_hashes, key_places, sorted_places
from deltawave.resources import holding, persisted
from deltawave.rows.batches import Batches, Mask, Places, typed
from deltawave.rows.in_place import RowGroups, groups_in_place, map_rows
from deltawave.rows.parquet_files import ChangedFileError
from deltawave.sql_text import quoted, unused_prefix

__all__ = ["differing_rows", "kept_hashes", "patched_hashes"]

_MOVED = "The source changed while it was compared: a row is another one in the second reading. Run again."

# Up to this many keys are sent to every task that reads the new snapshot.
BROADCAST_KEYS = 2_000_000


def differing_rows(
    kept: DataFrame,
    new: DataFrame,
    *,
    unique_key: Sequence[str],
    columns: Columns,
    rows: int,
    patches: DataFrame | None = None,
) -> DataFrame:
    """Return the rows of ``new`` that differ from the kept hashes.

    - ``kept``: the result of ``kept_hashes``
    - ``patches``: rows that changed since, with ``_change_type``
    - ``rows``: about how many rows ``new`` has
    - ``columns``: mappings, see docs/python_strategies.md

    The result has the columns of ``new``, ``was_kept`` and ``is_there``. For a key that ``new`` lacks, it has the key
    alone. All rows of a duplicate key differ. ``new`` is read a second time only if a row differs. A row that changed
    in between is an error of the query; keys that the second reading did not find are not in the result.
    """
    compared = Compared.of(unique_key, columns)
    segments = segments_of(rows)
    # Examined once: a file that changes between the readings is noticed.
    groups = groups_in_place(new, compared.cells())
    pieces = compressed(new, compared, segments, NEW, groups)
    of_old, stored = old_pieces(kept, patches, compared, segments)
    types = compared.key_schema(new).add("is_repeated", "boolean").add("key_hash", "long").add("key_check", "long")
    types = types.add("row_digest", "binary").add("kept_digest", "binary")
    compare = partial(_differing, stored)
    candidates = persisted(by_segment(pieces.unionByName(of_old), segments).mapInArrow(compare, types))
    count, repeated = candidates.where("is_there").agg(F.count("*"), F.count_if("is_repeated")).collect()[0]
    deleted = candidates.where("not is_there").select(*compared.key_alone(new), "was_kept", "is_there")
    if not count:
        return deleted
    upserted, is_small = candidates.where("is_there"), count <= BROADCAST_KEYS
    if groups is not None and is_small:
        found = _fetched_in_place(new, groups, compared, upserted)
    else:
        found = _fetched(new, compared, upserted, is_small, repeated > 0)
    return holding(found.unionByName(deleted), deleted)


def _fetched_in_place(new: DataFrame, groups: RowGroups, compared: Compared, candidates: DataFrame) -> DataFrame:
    """The candidates' rows, from files."""
    columns = ("key_hash", "key_check", "was_kept", "is_repeated", "row_digest")
    table = candidates.select(*columns).toArrow()
    # By the hash, which Spark holds as a number with a sign.
    by_hash = np.argsort(np.asarray(table.column("key_hash")).view(np.uint64))
    wanted = table.take(pa.array(by_hash)).combine_chunks()
    schema = flagged_schema(new.schema)
    cells = [quoted(name) for name in new.columns]
    at = [cells.index(cell) for cell in compared.cells()]
    fetch = partial(_wanted_rows, wanted, at, len(compared.key), to_arrow_schema(schema))
    return map_rows(new, cells, fetch, schema, groups)


def _wanted_rows(wanted: pa.Table, cells_at: Sequence[int], keys: int, schema: pa.Schema, batches: Batches) -> Batches:
    """The wanted rows among those that a task reads; all rows of a key that several rows have.

    ``cells_at``: the columns of key and compared values, the first ``keys`` of which are the key. Raises
    ``ChangedFileError`` for a row of a wanted key that has another hash than before.
    """
    signed, checks, was_kept, is_repeated = (np.asarray(column) for column in wanted.columns[:4])
    table, digests = (signed.view(np.uint64), checks.astype(np.uint32)), wanted.column("row_digest")
    for batch in batches:
        hashes = key_hashes([batch.column(at) for at in cells_at[:keys]])
        near = np.flatnonzero(sorted_places(hashes, table[0]) >= 0)
        if not len(near):
            continue
        rows = batch.take(pa.array(near))
        own = signatures([rows.column(cell) for cell in cells_at], keys)
        places = key_places(own.key_hash, own.key_check, *table)
        at = np.flatnonzero(places >= 0)
        places = places[at]
        is_other = pc.not_equal(digests.take(pa.array(places)), own.row_digests().take(pa.array(at)))
        if bool(np.any(~is_repeated[places] & np.asarray(is_other))):
            raise ChangedFileError("A file was changed while it was compared. Run again when it is complete.")
        if len(at):
            cells = rows.take(pa.array(at)).columns[: len(schema) - 2]
            yield typed([*cells, pa.array(was_kept[places]), pa.repeat(True, len(at))], schema)


def _fetched(
    new: DataFrame, compared: Compared, candidates: DataFrame, is_small: bool, has_repeated: bool
) -> DataFrame:
    """The rows with a candidate's key and not its kept hash, and all rows of a key that still has several.

    A row whose hash has changed meanwhile is an error.
    """
    prefix = unused_prefix("candidate_", new.columns)
    named = candidates.select(*(F.col(name).alias(prefix + name) for name in candidates.columns))
    same = all_same((F.col(quoted(name)), F.col(f"{prefix}k{number}")) for number, name in enumerate(compared.key))
    matched = new.join(F.broadcast(named) if is_small else named, same, "inner")
    own, kept = F.col(prefix + "own_digest"), F.col(prefix + "kept_digest")
    hashed = matched.withColumn(
        prefix + "own_digest", _row_digest(len(compared.key))(F.struct(*map(F.expr, compared.cells())))
    )
    is_other = kept.isNull() | (kept != own)
    if has_repeated:
        key = Window.partitionBy(*(f"{prefix}k{number}" for number in range(len(compared.key))))
        hashed = hashed.withColumn(prefix + "rows", F.count("*").over(key))
        is_other = is_other | (F.col(prefix + "rows") > 1)
    is_moved = ~F.col(prefix + "is_repeated") & (F.col(prefix + "row_digest") != own)
    is_other = F.when(is_moved, F.raise_error(F.lit(_MOVED)).cast("boolean")).otherwise(is_other)
    flags = [F.col(prefix + name).alias(name) for name in ("was_kept", "is_there")]
    return hashed.where(is_other).select(*(F.col(quoted(name)) for name in new.columns), *flags)


def _row_digest(keys: int) -> Callable[[Column], Column]:
    def row_digest(rows: pa.Array) -> pa.Array:
        return signatures(rows.flatten(), keys).row_digests()

    # Otherwise Spark computes it below the join, for rows of other keys as well.
    return F.arrow_udf(row_digest, "binary").asNondeterministic()  # type: ignore[attr-defined,no-any-return]


def _differing(stored: Stored | None, batches: Batches) -> Batches:
    """The rows of both sides that differ, in whole segments."""
    for _, parts in merged(batches, stored=stored):
        old = old_side(parts)
        new = parts.get(NEW, old.slice(0, 0))
        found = differences(old, new)
        if len(found.deleted):
            yield _candidates(old.take(found.deleted), old, found.deleted, False)
        if len(found.upserted):
            yield _candidates(new.take(found.upserted), old, found.previous, True, found.is_repeated)


def _candidates(
    rows: Signatures, old: Signatures, at_old: Places, is_there: bool, is_repeated: Mask | None = None
) -> pa.RecordBatch:
    """Rows that differ; ``at_old``: the places of the kept rows of these keys, -1 where there is none."""
    was_kept = at_old >= 0
    kept = old.row_digests() if len(old) else pa.array([b""])
    repeated = np.zeros(len(rows), dtype=bool) if is_repeated is None else is_repeated
    cells = {
        "was_kept": pa.array(was_kept),
        "is_there": pa.repeat(is_there, len(rows)),
        "is_repeated": pa.array(repeated),
        "key_hash": pa.array(rows.key_hash.view(np.int64)),
        "key_check": pa.array(rows.key_check.astype(np.int64)),
        "row_digest": rows.row_digests(),
        "kept_digest": kept.take(pa.array(at_old, mask=~was_kept)),
    }
    return pa.RecordBatch.from_arrays([*rows.keys.columns, *cells.values()], [*rows.keys.schema.names, *cells])
