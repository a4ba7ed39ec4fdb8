"""Columns of repeating texts, which Parquet returns as dictionaries."""

from __future__ import annotations

import pyarrow as pa


def plain(column: pa.Array) -> pa.Array:
    """A column without a dictionary."""
    return column.dictionary_decode() if isinstance(column, pa.DictionaryArray) else column
