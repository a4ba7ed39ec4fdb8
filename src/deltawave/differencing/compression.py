"""Compressed snapshots on Spark: keys and hashes of rows, exchanged by segments, and kept between comparisons.

The kept table has one row per segment: ``segment`` of ``segments``, ``rows``, and ``entries``, their bytes
(:class:`~deltawave.differencing.signatures.Signatures`).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType, YearMonthIntervalType

from deltawave.comparable import contained_types
from deltawave.differencing.contract import Columns, all_same
from deltawave.differencing.signatures import Signatures, gathered, patched
from deltawave.rows.batches import Batches, plain
from deltawave.rows.in_place import RowGroups, groups_in_place, map_numbers, map_rows
from deltawave.rows.parquet_files import NotInPlaceError
from deltawave.spark_versions import repartition_by_id
from deltawave.sql_text import quoted, unused_prefix

# Reads the kept rows of a segment, in a task.
Stored = Callable[[int], Signatures]

KEPT, UPSERTED, REMOVED, NEW = range(4)
_KEPT_COLUMNS = "segment int, segments int, rows bigint, entries binary"
PIECES = "segment int, kind tinyint, entries binary"
# Rows of a segment: their compressed forms on both sides, and what is computed from them, take about 140 MB with keys
# of 8 bytes, and 3 MB more for each further byte.
_SEGMENT_ROWS = 1 << 19
# Rows that a task compresses before it passes them on.
_TASK_ROWS = 1 << 20


def kept_hashes(rows: DataFrame, *, unique_key: Sequence[str], columns: Columns, count: int) -> DataFrame:
    """Return the kept hashes of a snapshot of about ``count`` rows.

    Raises ``ValueError`` if an interval of months is in the key, and before Spark 4.1.
    """
    if not hasattr(F, "arrow_udf"):
        raise ValueError(
            f"Spark {rows.sparkSession.version} can compare by hashes only what DuckDB can compare: on one machine, "
            "types that both treat alike. Otherwise this needs Spark 4.1: choose a strategy that joins."
        )
    if months := month_key(rows, unique_key):
        raise ValueError(
            f"The key column {months} is an interval of months, which Spark does not hand over to Python: cast it to a "
            "number or a text, or choose a strategy that joins."
        )
    compared, segments = Compared.of(unique_key, columns), segments_of(count)
    groups = groups_in_place(rows, compared.cells())
    return _kept(compressed(rows, compared, segments, UPSERTED, groups), segments)


def patched_hashes(
    kept: DataFrame, patches: DataFrame, *, unique_key: Sequence[str], columns: Columns, count: int
) -> DataFrame:
    """Return the kept hashes with ``patches`` applied: rows with ``_change_type``."""
    segments = segments_of(count)
    old, stored = old_pieces(kept, patches, Compared.of(unique_key, columns), segments)
    return _kept(old, segments, stored)


@dataclass(frozen=True)
class Compared:
    """The key's columns, and Spark's expressions of the compared values of a row."""

    key: list[str]
    expressions: list[str]

    @classmethod
    def of(cls, unique_key: Sequence[str], columns: Columns) -> "Compared":
        """From the mappings that docs/python_strategies.md describes."""
        return cls(list(unique_key), [column["comparable"] for column in columns if column["is_compared"]])

    def cells(self) -> list[str]:
        """Key and compared values. A map or a variant becomes a comparable value."""
        return [*map(quoted, self.key), *self.expressions]

    def key_schema(self, frame: DataFrame) -> StructType:
        """The key's columns, k0, k1, ..., whether the key was kept, and whether the new snapshot has it."""
        types = {field.name: field.dataType for field in frame.schema.fields}
        fields = [StructField(f"k{number}", types[name]) for number, name in enumerate(self.key)]
        return StructType(fields).add("was_kept", "boolean").add("is_there", "boolean")

    def key_alone(self, frame: DataFrame) -> list[Column]:
        """The frame's columns for a row whose key alone is known, in k0, k1, ..."""
        places = {name: number for number, name in enumerate(self.key)}
        cells = []
        for field in frame.schema.fields:
            value = F.col(f"k{places[field.name]}") if field.name in places else F.lit(None).cast(field.dataType)
            cells.append(value.alias(field.name))
        return cells


def month_key(frame: DataFrame, unique_key: Sequence[str]) -> str | None:
    """A key column with an interval of months, which Spark does not hand over to Python."""
    types = {field.name.lower(): field.dataType for field in frame.schema.fields}
    for name in unique_key:
        if any(isinstance(part, YearMonthIntervalType) for part in contained_types(types[name.lower()])):
            return name
    return None


def with_keys(frame: DataFrame, keys: DataFrame, unique_key: Sequence[str], how: str) -> DataFrame:
    """The rows with these keys (``left_semi``) or the others (``left_anti``). ``keys``: columns in the key's order."""
    prefix = unused_prefix("key_", frame.columns)
    renamed = keys.toDF(*(f"{prefix}{number}" for number in range(len(unique_key))))
    same = all_same((F.col(quoted(name)), F.col(f"{prefix}{number}")) for number, name in enumerate(unique_key))
    return frame.join(renamed, same, how)


def segments_of(rows: int) -> int:
    """How many segments a snapshot of this many rows has."""
    return max(1, -(-rows // _SEGMENT_ROWS))


def compressed(
    frame: DataFrame, compared: Compared, segments: int, kind: int, groups: RowGroups | None = None
) -> DataFrame:
    """The rows of a frame as compressed pieces of segments. ``groups``: see ``map_rows``."""
    keys = len(compared.key)

    def compress(batches: Batches) -> Batches:
        return pieces(((kind, signatures(batch.columns, keys)) for batch in batches), segments)

    return map_rows(frame, compared.cells(), compress, PIECES, groups)


def signatures(cells: Sequence[pa.Array], keys: int) -> Signatures:
    """Compress rows of ``Compared.cells``, the first ``keys`` of which are the key."""
    names = [f"k{number}" for number in range(keys)]
    # One form for all sessions and readers, which may differ in time zones and in the nullability of keys.
    key_cells = [cell.cast(_canonical(cell.type)) for cell in map(plain, cells[:keys])]
    return Signatures.of(pa.RecordBatch.from_arrays(key_cells, names), cells[keys:])


def _canonical(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return pa.timestamp(kind.unit, "UTC")
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(field.name, _canonical(field.type)) for field in kind])
    if pa.types.is_list(kind):
        return pa.list_(pa.field("element", _canonical(kind.value_type)))
    return kind


def old_pieces(
    kept: DataFrame, patches: DataFrame | None, compared: Compared, segments: int
) -> tuple[DataFrame, Stored | None]:
    """The compressed pieces of the old snapshot: the kept ones, and the changes since.

    Kept entries need not be exchanged if tasks can read them from files: their pieces are then without entries, and the
    function that is returned reads the rows of a segment.
    """
    stored: Stored | None = None
    try:
        old, stored = _pieces_in_place(kept, segments)
    except NotInPlaceError:
        old = _cut_pieces(kept, segments)
    return old if patches is None else old.unionByName(_patch_pieces(patches, compared, segments)), stored


def _pieces_in_place(kept: DataFrame, segments: int) -> tuple[DataFrame, Stored]:
    """Raises ``NotInPlaceError`` if Spark has to read the entries, or if they belong to other segments."""
    groups = RowGroups.of(kept)
    named, entries = groups.only(["segment", "segments"]), groups.only(["entries"])

    def locate(number: int) -> Batches:
        for at, rows in named.positioned(number):
            cells = [*rows.columns, pa.array(range(at, at + rows.num_rows), pa.int64())]
            yield pa.RecordBatch.from_arrays(cells, ["segment", "segments", "position"])

    schema = "segment int, segments int, position bigint"
    found = map_numbers(kept.sparkSession, len(named.groups), locate, schema).collect()
    positions = {row.segment: row.position for row in found}
    if len(positions) < len(found) or any(row.segments != segments for row in found):
        raise NotInPlaceError("the rows were kept in other segments")

    def read(segment: int) -> Signatures:
        at = positions[segment]
        _, rows = next(entries.between(at, at + 1))
        return Signatures.from_bytes(rows.column(0)[0].as_buffer())

    return kept.sparkSession.createDataFrame([(segment, KEPT, None) for segment in positions], PIECES), read


def _cut_pieces(kept: DataFrame, segments: int) -> DataFrame:
    def cut(batches: Batches) -> Batches:
        for batch in batches:
            for entries in batch.column("entries"):
                yield _pieces_of(Signatures.from_bytes(entries.as_buffer()), segments, KEPT)

    # Most rows are in the right segments already.
    is_cut = F.col("segments") == segments
    whole = kept.where(is_cut).select("segment", F.lit(KEPT).cast("tinyint").alias("kind"), "entries")
    return whole.unionByName(kept.where(~is_cut).select("entries").mapInArrow(cut, PIECES))


def _patch_pieces(patches: DataFrame, compared: Compared, segments: int) -> DataFrame:
    keys = len(compared.key)

    def changed(batches: Batches) -> Iterator[tuple[int, Signatures]]:
        for batch in batches:
            *cells, is_removed = batch.columns
            rows, removed = signatures(cells, keys), is_removed.to_numpy(zero_copy_only=False)
            yield UPSERTED, rows.take(np.flatnonzero(~removed))
            yield REMOVED, rows.take(np.flatnonzero(removed))

    cells = [*compared.cells(), "`_change_type` = 'delete'"]
    return map_rows(patches, cells, lambda batches: pieces(changed(batches), segments), PIECES)


def by_segment(pieces: DataFrame, tasks: int) -> DataFrame:
    """The pieces, partitioned so that a task gets whole segments in order; see ``merged``."""
    return repartition_by_id(pieces, tasks, "segment").sortWithinPartitions("segment", "kind")


def merged(
    batches: Batches, is_sorted: bool = True, stored: Stored | None = None
) -> Iterator[tuple[int, dict[int, Signatures]]]:
    """The rows of each segment by their kind, sorted or in any order. ``stored``: see ``old_pieces``."""
    rows = chain.from_iterable(
        zip(*(batch.column(name).to_pylist() for name in ("segment", "kind")), batch.column("entries"), strict=True)
        for batch in batches
    )
    for segment, pieces in groupby(rows, key=lambda row: row[0]):
        parts: dict[int, Signatures] = {}
        for kind, entries in groupby(pieces, key=lambda row: row[1]):
            read = [_rows_of(segment, each, stored) for _, _, each in entries]
            rows_of_kind = Signatures.concat(read)
            parts[kind] = rows_of_kind.sorted(are_runs=True) if is_sorted else rows_of_kind
        yield segment, parts


def _rows_of(segment: int, entries: pa.Scalar, stored: Stored | None) -> Signatures:
    return stored(segment) if stored and not entries.is_valid else Signatures.from_bytes(entries.as_buffer())


def old_side(parts: dict[int, Signatures]) -> Signatures:
    """The old rows of a segment: the kept ones, with the changes since."""
    none = next(iter(parts.values())).slice(0, 0)
    return patched(parts.get(KEPT, none), parts.get(UPSERTED), parts.get(REMOVED))


def pieces(rows: Iterable[tuple[int, Signatures]], segments: int) -> Batches:
    """Cut rows of several kinds into pieces of segments."""
    return (_pieces_of(part, segments, kind) for kind, part in gathered(rows, _TASK_ROWS))


def _pieces_of(part: Signatures, segments: int, kind: int) -> pa.RecordBatch:
    """The pieces of these sorted rows."""
    cut = [(segment, piece.to_bytes()) for segment, piece in part.segments(segments)]
    columns = {
        "segment": pa.array([segment for segment, _ in cut], pa.int32()),
        "kind": pa.array([kind] * len(cut), pa.int8()),
        "entries": pa.array([entries for _, entries in cut], pa.binary()),
    }
    return pa.RecordBatch.from_pydict(columns)


def _kept(pieces: DataFrame, segments: int, stored: Stored | None = None) -> DataFrame:
    def write(batches: Batches) -> Batches:
        for segment, parts in merged(batches, stored=stored):
            rows = old_side(parts)
            numbers = {"segment": pa.array([segment], pa.int32()), "segments": pa.array([segments], pa.int32())}
            yield pa.RecordBatch.from_pydict({**numbers, "rows": [len(rows)], "entries": [rows.to_bytes()]})

    return by_segment(pieces, segments).mapInArrow(write, _KEPT_COLUMNS)
