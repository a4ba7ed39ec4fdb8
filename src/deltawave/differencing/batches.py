"""Record batches and columns of Arrow."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa


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
