"""Batches of rows whose last column is their part, split into parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise

import numpy as np
import pyarrow as pa


def by_part(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, Iterator[pa.RecordBatch]]]:
    """Each part with its rows, without that column, in the order of arrival; read one part, then the next."""
    for part, pieces in groupby(_pieces(batches), key=lambda piece: piece[0]):
        yield part, (rows for _, rows in pieces)


def _pieces(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, pa.RecordBatch]]:
    for batch in batches:
        parts = batch.column(batch.num_columns - 1).to_numpy()
        rows = batch.select(list(range(batch.num_columns - 1)))
        bounds = [0, *(np.flatnonzero(parts[1:] != parts[:-1]) + 1).tolist(), len(parts)]
        for begin, end in pairwise(bounds):
            if begin < end:
                yield int(parts[begin]), rows.slice(begin, end - begin)
