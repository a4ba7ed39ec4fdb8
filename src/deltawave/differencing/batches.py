"""Record batches and columns of Arrow, and arrays of numpy."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

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
    """The rows of one or more batches.

    Raises ``OverflowError`` with this message if a column would take more than the 2 GB that Arrow can address.
    """
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


def flags(value: bool, count: int) -> pa.Array:
    """A column of one value."""
    return pa.repeat(pa.scalar(value), count)


def positioned(batches: Batches, at: int = 0) -> PositionedBatches:
    """The batches, if the first one begins ``at`` this position."""
    for rows in batches:
        yield at, rows
        at += rows.num_rows
