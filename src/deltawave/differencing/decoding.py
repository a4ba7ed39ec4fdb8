"""How row groups of Parquet files are decoded in batches of bounded size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

# The most rows of a batch, and about how many bytes it may take.
BATCH_ROWS, BATCH_BYTES = 1 << 16, 1 << 24
# Rows with texts are decoded in steps of at most this many, and a batch ends when its steps have enough bytes: footers
# give the mean size of a group's rows, but the rows of a step may be far wider.
_STEP_ROWS = 1 << 11
# Bytes of a decoded value, by its type in the file; for texts the file's own bytes are the best guess.
_DECODED_BYTES = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "INT64": 8, "DOUBLE": 8, "INT96": 8, "FIXED_LEN_BYTE_ARRAY": 16}
_TEXTS = (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())
# A text column with at most this many stored bytes per value repeats itself: it stays in a dictionary.
_REPEATING_BYTES = 4


def joined(steps: Iterable[pa.RecordBatch], most_bytes: int, most_rows: int = BATCH_ROWS) -> Iterator[pa.RecordBatch]:
    """The same rows in batches of at most so many rows and bytes, unless a single step has more bytes."""
    parts: list[pa.RecordBatch] = []
    rows = size = 0
    for part in steps:
        own = sum(map(_plain_bytes, part.columns))
        if parts and (rows + part.num_rows > most_rows or size + own > most_bytes):
            yield pa.concat_batches(parts) if len(parts) > 1 else parts[0]
            parts, rows, size = [], 0, 0
        parts.append(part)
        rows, size = rows + part.num_rows, size + own
    if parts:
        yield pa.concat_batches(parts) if len(parts) > 1 else parts[0]


def _plain_bytes(column: pa.Array) -> int:
    """The bytes of a column, without a dictionary of texts: results hold each text as often as it occurs."""
    if not isinstance(column, pa.DictionaryArray) or column.dictionary.type not in _TEXTS:
        return int(column.nbytes)
    lengths = pc.binary_length(column.dictionary).take(column.indices)
    return int(column.indices.nbytes) + (pc.sum(lengths).as_py() or 0)


def step_rows(group: pq.RowGroupMetaData, names: Sequence[str], size: int) -> int:
    """How many rows of a group are decoded at a time, so that rows of mean size take at most ``size`` bytes."""
    is_fixed = all(
        chunk.physical_type in _DECODED_BYTES and chunk.path_in_schema in names for chunk in _chunks(group, names)
    )
    rows = size * int(group.num_rows) // max(1, decoded_bytes(group, names))
    return max(1, min(BATCH_ROWS if is_fixed else _STEP_ROWS, rows))


def decoded_bytes(group: pq.RowGroupMetaData, names: Sequence[str]) -> int:
    """About how many bytes these columns of a row group take when they are decoded; too few if texts repeat."""
    size = 0
    for chunk in _chunks(group, names):
        width = _DECODED_BYTES.get(chunk.physical_type)
        size += width * chunk.num_values if width else chunk.total_uncompressed_size
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
