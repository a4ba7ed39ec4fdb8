"""Record batches and columns of Arrow, arrays of numpy, and how row groups of Parquet files are decoded."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

Batches = Iterable[pa.RecordBatch]
# Each with the position of its first row.
PositionedBatches = Iterator[tuple[int, pa.RecordBatch]]
# Of rows in a batch, or of hashes in an array.
Places = npt.NDArray[np.intp]
# Of rows in a snapshot.
Positions = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_TEXTS = (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())


def combined(batches: Sequence[pa.RecordBatch], message: str) -> pa.RecordBatch:
    """The rows of one or more batches. Raises ``OverflowError`` if a column takes more than Arrow's 2 GB."""
    found = pa.Table.from_batches(batches).combine_chunks().to_batches()
    if len(found) > 1:
        raise OverflowError(message)
    return found[0] if found else batches[0].slice(0, 0)


def plain(column: pa.Array) -> pa.Array:
    """A column without a dictionary."""
    return column.dictionary_decode() if isinstance(column, pa.DictionaryArray) else column


def plain_bytes(rows: pa.RecordBatch) -> int:
    """The bytes of the rows without dictionaries of texts: results hold each text as often as it occurs."""
    return sum(map(_plain_bytes, rows.columns))


def _plain_bytes(column: pa.Array) -> int:
    if not isinstance(column, pa.DictionaryArray) or column.dictionary.type not in _TEXTS:
        return int(column.nbytes)
    lengths = pc.binary_length(column.dictionary).take(column.indices)
    return int(column.indices.nbytes) + (pc.sum(lengths).as_py() or 0)


def typed(columns: Iterable[pa.Array], schema: pa.Schema) -> pa.RecordBatch:
    """The columns, without dictionaries, cast to the types of the schema."""
    cells = [plain(column).cast(field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(cells, schema.names)


# The most rows of a batch, and about how many bytes it may take.
BATCH_ROWS, BATCH_BYTES = 1 << 16, 1 << 24
# Rows with texts are decoded in steps that fit in a batch even if each row has this many bytes: footers give the mean
# size of a group's rows, but the rows of a step may be far wider.
_WIDE_ROW_BYTES = 1 << 13
# Bytes of a decoded value, by its type in the file: a file may store equal numbers once.
_DECODED_BYTES = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "INT64": 8, "DOUBLE": 8, "INT96": 8, "FIXED_LEN_BYTE_ARRAY": 16}
# A text column with at most this many stored bytes per value repeats itself: it stays in a dictionary.
_REPEATING_BYTES = 4


def joined(steps: Iterable[pa.RecordBatch], most_bytes: int, most_rows: int = BATCH_ROWS) -> Iterator[pa.RecordBatch]:
    """The same rows in batches of at most so many rows and bytes, unless a single step has more bytes."""
    parts: list[pa.RecordBatch] = []
    rows = size = 0
    for part in steps:
        own = plain_bytes(part)
        if parts and (rows + part.num_rows > most_rows or size + own > most_bytes):
            yield pa.concat_batches(parts) if len(parts) > 1 else parts[0]
            parts, rows, size = [], 0, 0
        parts.append(part)
        rows, size = rows + part.num_rows, size + own
    if parts:
        yield pa.concat_batches(parts) if len(parts) > 1 else parts[0]


def cut(steps: Iterable[pa.RecordBatch], most_bytes: int) -> Iterator[pa.RecordBatch]:
    """The same rows without a copy: steps in halves until these have at most so many bytes, or are a single row."""
    for rows in steps:
        half = rows.num_rows // 2
        if half and plain_bytes(rows) > most_bytes:
            yield from cut((rows.slice(0, half), rows.slice(half)), most_bytes)
        else:
            yield rows


def step_rows(group: pq.RowGroupMetaData, names: Sequence[str], size: int, row_bytes: int = 1) -> int:
    """How many rows of a group are decoded at a time, so that rows of mean size take at most ``size`` bytes.

    ``row_bytes``: what a row is known to take otherwise; texts of dictionaries may take more than the footer says.
    """
    is_fixed = all(
        chunk.physical_type in _DECODED_BYTES and chunk.path_in_schema in names for chunk in _chunks(group, names)
    )
    rows = size * int(group.num_rows) // max(1, decoded_bytes(group, names))
    return max(1, min(BATCH_ROWS if is_fixed else size // max(_WIDE_ROW_BYTES, row_bytes), rows))


def decoded_bytes(group: pq.RowGroupMetaData, names: Sequence[str]) -> int:
    """About how many bytes these columns of a row group take when they are decoded; too few if texts repeat."""
    size = 0
    for chunk in _chunks(group, names):
        size += max(_DECODED_BYTES.get(chunk.physical_type, 0) * chunk.num_values, chunk.total_uncompressed_size)
    return size


def _chunks(group: pq.RowGroupMetaData, names: Sequence[str]) -> list[pq.ColumnChunkMetaData]:
    """The column chunks of a group that hold these columns, also what is in lists, maps and structs."""
    within = tuple(f"{name}." for name in names)
    chunks = (group.column(number) for number in range(group.num_columns))
    return [chunk for chunk in chunks if chunk.path_in_schema in names or chunk.path_in_schema.startswith(within)]


def repeating_columns(group: pq.RowGroupMetaData) -> list[str]:
    """Text columns with repetitive values."""
    chunks = [group.column(number) for number in range(group.num_columns)]
    return [
        chunk.path_in_schema
        for chunk in chunks
        if chunk.physical_type == "BYTE_ARRAY"
        and chunk.has_dictionary_page
        and chunk.total_uncompressed_size < _REPEATING_BYTES * chunk.num_values
    ]


def unequal(left: pa.Array, right: pa.Array) -> Mask:
    """The places at which two columns of the same type and length differ. Null equals null.

    Spark decides in the end what a difference is. So values that may be equal, such as two maps, count as unequal here,
    and equal means equal bytes or numbers, or NaN on both sides.
    """
    if isinstance(left, pa.DictionaryArray) and isinstance(right, pa.DictionaryArray):
        left, right = _indices(left, right)
    left, right = plain(left), plain(right)
    if pa.types.is_nested(left.type) or pa.types.is_null(left.type):
        return _unequal_nested(left, right)
    differ = pc.not_equal(left, right)
    if pa.types.is_floating(left.type):
        differ = pc.and_kleene(differ, pc.invert(pc.and_kleene(pc.is_nan(left), pc.is_nan(right))))
    if differ.null_count:
        # Unknown where one or both are null.
        differ = pc.coalesce(differ, pc.xor(left.is_null(), right.is_null()))
    found: Mask = differ.to_numpy(zero_copy_only=False)
    return found


def any_unequal(left: Iterable[pa.Array], right: Iterable[pa.Array], rows: int) -> Mask:
    """The rows in which at least one of the columns differs."""
    found = np.zeros(rows, dtype=bool)
    for one, other in zip(left, right, strict=True):
        found |= unequal(one, other)
    return found


def _indices(left: pa.DictionaryArray, right: pa.DictionaryArray) -> tuple[pa.Array, pa.Array]:
    """Numbers that are equal where the values are; the columns themselves, if their dictionaries are large."""
    if len(left.dictionary) + len(right.dictionary) > len(left) or left.dictionary.null_count:
        return left, right
    if left.dictionary.equals(right.dictionary):
        return left.indices, right.indices
    # Values that the left side lacks get a number that it does not have. Values of a dictionary are distinct.
    places = pc.fill_null(pc.index_in(right.dictionary, value_set=left.dictionary), -1)
    return left.indices.cast(pa.int32()), places.take(right.indices)


def _unequal_nested(left: pa.Array, right: pa.Array) -> Mask:
    """Found by halving: Arrow compares nested values only for whole columns."""
    found = np.zeros(len(left), dtype=bool)
    waiting = [(0, len(left))]
    while waiting:
        begin, count = waiting.pop()
        if not count or left.slice(begin, count).equals(right.slice(begin, count)):
            continue
        if count == 1:
            found[begin] = True
            continue
        half = count // 2
        waiting += [(begin, half), (begin + half, count - half)]
    return found
