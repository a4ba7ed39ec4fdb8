"""Hash outer join with a compressed old snapshot (LG96 3.1: PHC1) on Spark.

The kept keys and hashes become a hash table in a file, which all tasks of the machine map into memory. The new snapshot
is read once and probes it: tasks exchange nothing but which of the kept keys they matched. On several machines, or if
the table is larger than the granted memory, the snapshots are partitioned by the key's hash and compared one segment at
a time: see :mod:`~deltawave.differencing.sort_merge_compressed`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import (
    CalendarIntervalType,
    DataType,
    StringType,
    StructField,
    StructType,
    VariantType,
    YearMonthIntervalType,
)

from deltawave.differencing import sort_merge_compressed
from deltawave.differencing.batches import Batches, Mask, Places, flags, typed
from deltawave.differencing.comparable import contained_types
from deltawave.differencing.compression import (
    Compared,
    free_prefix,
    kept_hashes,
    patched_hashes,
    signatures,
    with_keys,
)
from deltawave.differencing.contract import Columns
from deltawave.differencing.in_place import RowGroups, map_rows, quoted
from deltawave.differencing.shared_table import SharedTable
from deltawave.differencing.sort_merge_compressed import BROADCAST_KEYS
from deltawave.differencing.stored_rows import StoredRows, groups_in_place
from deltawave.resources import attach, holding, persisted

__all__ = ["differing_rows", "kept_hashes", "patched_hashes"]

# Bytes of the table for each row, without its key columns.
TABLE_BYTES = 42


def differing_rows(
    kept: DataFrame,
    new: DataFrame,
    *,
    unique_key: Sequence[str],
    columns: Columns,
    rows: int,
    patches: DataFrame | None = None,
    memory_bytes: int = 1 << 30,
) -> DataFrame:
    """Return the rows of ``new`` that differ from the kept hashes.

    As :func:`deltawave.differencing.sort_merge_compressed.differing_rows`, but ``new`` is read once, unless the table
    takes more than ``memory_bytes``, the session has several machines, or Spark cannot hand a column to Python. The
    rows of a kept key that is duplicate in ``new`` come from a second reading.
    """
    compared = Compared.of(unique_key, columns)
    is_small = rows * TABLE_BYTES <= memory_bytes
    if not (is_small and _is_one_machine(new.sparkSession) and reaches_python(new.schema)):
        return sort_merge_compressed.differing_rows(
            kept, new, unique_key=unique_key, columns=columns, rows=rows, patches=patches
        )
    table = SharedTable.of(kept, patches, compared, rows)
    try:
        found = _differing(new, compared, table, memory_bytes)
    except BaseException:
        table.remove(new.sparkSession)
        raise
    return attach(found, lambda: table.remove(new.sparkSession), needs=[kept])


def _differing(new: DataFrame, compared: Compared, table: SharedTable, memory_bytes: int) -> DataFrame:
    """The rows that differ, all rows of duplicate keys, and the kept keys that no new row has."""
    prefix = free_prefix("of_task_", new.columns)
    seen, repeated = F.col(prefix + "seen"), F.col(prefix + "repeated")
    # Examined once: a file that changes between the readings is noticed.
    groups = groups_in_place(new, compared.cells())
    groups = groups and groups.within(memory_bytes)
    probed = persisted(_probed(new, compared, table, prefix, groups))
    of_tasks = probed.where(seen.isNotNull()).select(seen.alias("seen"), repeated.alias("repeated"))
    # Without a task, as for a table without files, no key is matched.
    none = new.sparkSession.range(1).select(F.lit(b"").alias("seen"), F.lit(b"").alias("repeated"))
    keys = of_tasks.unionByName(none).repartition(1)
    keys = keys.mapInArrow(_unmatched_and_repeated(table), compared.key_schema(new))
    deleted = keys.where("not is_there").select(*compared.key_alone(new), "was_kept", "is_there")
    repeated_keys = persisted(keys.where("is_there").drop("was_kept", "is_there"))
    found = probed.where(seen.isNull()).drop(prefix + "seen", prefix + "repeated")
    if count := repeated_keys.count():
        again = _read_again(new, repeated_keys, compared.key, count <= BROADCAST_KEYS, groups)
        found = with_keys(found, repeated_keys, compared.key, "left_anti").unionByName(again)
    return holding(found.unionByName(deleted), repeated_keys)


def _read_again(
    new: DataFrame, keys: DataFrame, unique_key: Sequence[str], is_small: bool, groups: RowGroups | None
) -> DataFrame:
    """All rows of these keys, since those with the kept hash were left out.

    A key that has a single row by now is left out: that row may be the kept one. If it is not, the next run finds it.
    """
    if groups is not None:
        new = StoredRows(new, groups, new.schema).of_groups(range(len(groups.groups)))
    several = free_prefix("several_", new.columns)
    rows = with_keys(new, F.broadcast(keys) if is_small else keys, unique_key, "left_semi")
    count = F.count(F.lit(1)).over(Window.partitionBy(*(F.col(quoted(name)) for name in unique_key)))
    again = rows.withColumn(several, count > 1).where(F.col(several)).drop(several)
    return again.select("*", F.lit(True).alias("was_kept"), F.lit(True).alias("is_there"))


def _is_one_machine(session: SparkSession) -> bool:
    master = session.conf.get("spark.master", "") or ""
    return master.startswith("local") and not master.startswith("local-cluster")


def reaches_python(kind: DataType) -> bool:
    """Whether Spark hands values of this type over and takes them back unchanged."""
    lost = (VariantType, YearMonthIntervalType, CalendarIntervalType)
    parts = list(contained_types(kind))
    has_collation = any(isinstance(part, StringType) and "collate" in part.simpleString() for part in parts)
    return not has_collation and not any(isinstance(part, lost) for part in parts)


def _probed(new: DataFrame, compared: Compared, table: SharedTable, prefix: str, groups: RowGroups | None) -> DataFrame:
    """The rows that differ, and a row per task with the kept keys that it matched, in two columns with this prefix."""
    cells = [quoted(name) for name in new.columns]
    places = {cell: place for place, cell in enumerate(cells)}
    for expression in compared.cells():
        if expression not in places:
            places[expression] = len(cells)
            cells.append(expression)
    # In a task's own row the snapshot's columns are null.
    schema = StructType([StructField(field.name, field.dataType, nullable=True) for field in new.schema.fields])
    schema = schema.add("was_kept", "boolean").add("is_there", "boolean")
    schema = schema.add(prefix + "seen", "binary").add(prefix + "repeated", "binary")
    at = [places[cell] for cell in compared.cells()]
    probe = _Probe(table, at, len(compared.key), to_arrow_schema(schema))
    return map_rows(new, cells, probe, schema, groups)


@dataclass(frozen=True)
class _Probe:
    """The work of a task on the rows that it reads; further columns serve only the comparison."""

    table: SharedTable
    compared_at: list[int]
    keys: int
    schema: pa.Schema

    def __call__(self, batches: Batches) -> Batches:
        table = self.table.open()
        seen = np.zeros(table.places, dtype=bool)
        repeated = [np.zeros(0, dtype=np.intp)]
        for batch in batches:
            rows = signatures([batch.column(at) for at in self.compared_at], self.keys)
            places, is_same = table.match(rows)
            matched = np.sort(places[places >= 0])
            repeated += [matched[seen[matched]], matched[1:][matched[1:] == matched[:-1]]]
            seen[matched] = True
            differing = np.flatnonzero(~is_same)
            if len(differing):
                yield self._differing_rows(batch, differing, places[differing] >= 0)
        yield self._matched_keys(seen, np.unique(np.concatenate(repeated)))

    def _differing_rows(self, batch: pa.RecordBatch, at: Places, was_kept: Mask) -> pa.RecordBatch:
        cells = [column.take(pa.array(at)) for column in batch.columns[: len(self.schema) - 4]]
        nulls = pa.nulls(len(at))
        return typed([*cells, pa.array(was_kept), flags(True, len(at)), nulls, nulls], self.schema)

    def _matched_keys(self, seen: Mask, repeated: Places) -> pa.RecordBatch:
        bits = pa.compress(np.packbits(seen).tobytes(), "zstd", asbytes=True)
        own = [pa.array([bits], pa.binary()), pa.array([repeated.astype(np.int64).tobytes()], pa.binary())]
        return typed([pa.nulls(1)] * (len(self.schema) - 2) + own, self.schema)


def _unmatched_and_repeated(shared: SharedTable) -> Callable[[Batches], Batches]:
    """Find the keys that no task matched, and those that several rows have, from what each task matched."""

    def find(batches: Batches) -> Batches:
        table = shared.open()
        seen = np.zeros(table.places, dtype=bool)
        repeated = np.zeros(table.places, dtype=bool)
        size = -(-table.places // 8)
        for batch in batches:
            for bits, twice in zip(batch.column("seen"), batch.column("repeated"), strict=True):
                if not len(bits.as_buffer()):
                    continue
                data = pa.decompress(bits.as_buffer(), size, "zstd")
                matched = np.unpackbits(np.frombuffer(data, dtype=np.uint8), count=table.places).view(bool)
                repeated |= seen & matched
                repeated[np.frombuffer(twice.as_buffer(), dtype=np.int64)] = True
                seen |= matched
        for is_there, chosen in ((False, ~seen), (True, repeated)):
            for keys in table.keys_at(chosen):
                cells = [*keys.columns, flags(True, keys.num_rows), flags(is_there, keys.num_rows)]
                yield pa.RecordBatch.from_arrays(cells, [*keys.schema.names, "was_kept", "is_there"])

    return find
