"""Arrow batches: the memory of their rows, their split into parts, and ``mapInArrow`` for columns of any name."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from deltawave.rows.batches import Batches

Places = npt.NDArray[np.intp]
Sizes = npt.NDArray[np.int64]


def row_sizes(rows: pa.RecordBatch, places: Places) -> Sizes:
    """How many bytes the rows at these places take; bits are rounded up."""
    bits = np.zeros(len(places), dtype=np.int64)
    for column in rows.columns:
        bits += _bits(column, places, places + 1)
    return -(-bits // 8)


def copied(parts: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    """The rows of these parts, without what else lies in the memory of the batches that they are slices of."""
    # Concatenating a single array does not copy it.
    cells = [[part.column(at) for part in parts] for at in range(parts[0].num_columns)]
    columns = [pa.concat_arrays([*column, column[0].slice(0, 0)]) for column in cells]
    return pa.RecordBatch.from_arrays(columns, schema=parts[0].schema)


def pieces(sizes: Sizes, most_bytes: int) -> Iterator[tuple[int, int]]:
    """Where pieces of up to ``most_bytes`` bytes begin and end. A larger row is a piece of its own."""
    ends = np.cumsum(sizes)
    begin, done = 0, 0
    while begin < len(sizes):
        end = max(begin + 1, int(np.searchsorted(ends, done + most_bytes, "right")))
        yield begin, end
        begin, done = end, int(ends[end - 1])


def require_plain(schema: pa.Schema) -> None:
    """Raise ``ValueError`` for columns whose values do not lie one after the other, or several times if repeated.

    Spark gives none of them: dictionaries, views, runs, lists of a fixed size, and extensions of Arrow's types.
    """
    for field in schema:
        if not _is_plain(field.type):
            raise ValueError(
                f"The column {field.name} is of type {field.type}, which a mesh join can't hold: cast it to a type "
                "that Spark has."
            )


def _is_plain(kind: pa.DataType) -> bool:
    types = pa.types
    if types.is_struct(kind) or types.is_list(kind) or types.is_large_list(kind) or types.is_map(kind):
        return all(_is_plain(kind.field(at).type) for at in range(kind.num_fields))
    has_width = types.is_primitive(kind) or types.is_decimal(kind) or types.is_fixed_size_binary(kind)
    return has_width or types.is_null(kind) or kind in _TEXTS


def _bits(column: pa.Array, begins: Places, ends: Places) -> Sizes:
    """The bits of the values from each begin to its end."""
    kind, counts = column.type, ends - begins
    is_text, is_struct = kind in _TEXTS, pa.types.is_struct(kind)
    if not len(column) or not (is_text or is_struct or isinstance(column, (pa.ListArray, pa.LargeListArray))):
        # All values have one width.
        same: Sizes = counts * 8 * column.nbytes // max(1, len(column))
        return same
    # One for each value that may be null.
    bits: Sizes = counts * (column.buffers()[0] is not None)
    if is_struct:
        for at in range(kind.num_fields):
            bits = bits + _bits(column.field(at), begins, ends)
        return bits
    wide = kind in (pa.large_string(), pa.large_binary()) or isinstance(column, pa.LargeListArray)
    offsets = np.frombuffer(column.buffers()[1], np.int64 if wide else np.int32)[column.offset :]
    first, last = offsets[begins].astype(np.int64), offsets[ends].astype(np.int64)
    bits = bits + 8 * offsets.itemsize * counts
    return bits + (8 * (last - first) if is_text else _bits(column.values, first, last))


_TEXTS = (pa.string(), pa.binary(), pa.large_string(), pa.large_binary())


def by_part(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, Iterator[pa.RecordBatch]]]:
    """Each part with its rows, without that last column; read one part, then the next.

    A batch has rows of one part: by ``repartition_by_id`` each part has a task of its own.
    """
    filled = (batch for batch in batches if batch.num_rows)
    for part, own in groupby(filled, key=lambda batch: batch.column(batch.num_columns - 1)[0].as_py()):
        yield part, (batch.select(list(range(batch.num_columns - 1))) for batch in own)


def map_in_arrow(frame: DataFrame, work: Callable[[Batches], Batches], schema: StructType | str) -> DataFrame:
    """``frame.mapInArrow``, which takes a name with a dot for a field of a struct."""
    names = frame.columns

    def named(batches: Batches) -> Batches:
        return work(batch.rename_columns(names) for batch in batches)

    return frame.toDF(*(f"c{number}" for number in range(len(names)))).mapInArrow(named, schema)
