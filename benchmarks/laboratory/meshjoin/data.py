"""Streams and relations of MJ08 5.1: a relation of rows of 120 bytes, a stream of tuples of 20, skewed keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from deltawave.meshjoin.relation import write_pages

Numbers = npt.NDArray[np.int64]

TUPLE = pa.schema([("id", pa.int64()), ("amount", pa.int64()), ("shop", pa.int32())])
ROW = pa.schema([("id", pa.int64()), ("skey", pa.int64()), ("name", pa.string())])
TUPLE_BYTES = 20
ROW_BYTES = 120
# Two numbers and the offset of a text; the text takes the rest.
_NUMBERS_BYTES = 20
_ROWS_AT_A_TIME = 100_000


@dataclass(frozen=True)
class Zipf:
    """Values 0 to ``domain`` - 1; the value of rank i is drawn in proportion to 1 / i^skew; ranks are random."""

    domain: int
    skew: float
    seed: int = 1

    @cached_property
    def _values(self) -> Numbers:
        return np.random.default_rng(self.seed).permutation(self.domain)

    @cached_property
    def _shares(self) -> npt.NDArray[np.float64]:
        shares = np.cumsum(np.arange(1, self.domain + 1, dtype=np.float64) ** -self.skew)
        shares /= shares[-1]
        return shares

    def draw(self, count: int, random: np.random.Generator) -> Numbers:
        """``count`` values."""
        return self._values[np.minimum(np.searchsorted(self._shares, random.random(count)), self.domain - 1)]


@dataclass(frozen=True)
class MeshData:
    """R of ``rows`` rows and an endless S, joined by ``id``.

    - ``stream_skew``: z_S
    - ``relation_skew``: z_R; none if ``id`` is a key of the relation
    - ``domain``: how many values ``id`` can have; by default as many as R has rows
    - ``common_ranks``: whether the values that are frequent in R are those that are frequent in S; otherwise the two
      have nothing to do with each other
    """

    rows: int = 3_500_000
    stream_skew: float = 0.5
    relation_skew: float | None = None
    seed: int = 1
    domain: int | None = None
    row_bytes: int = ROW_BYTES
    tuple_bytes: int = TUPLE_BYTES
    common_ranks: bool = False

    @property
    def relation_bytes(self) -> int:
        """The size of R; the memory is a fraction of it."""
        return self.rows * self.row_bytes

    @property
    def tuple_schema(self) -> pa.Schema:
        """The schema of S."""
        rest = self.tuple_bytes - TUPLE_BYTES
        return TUPLE.append(pa.field("rest", pa.binary(rest))) if rest else TUPLE

    @cached_property
    def keys(self) -> Numbers:
        """The ids of R's rows."""
        random = np.random.default_rng(self.seed)
        if self.relation_skew is None:
            return random.permutation(self.rows)
        return Zipf(self.domain or self.rows, self.relation_skew, self.seed + 1).draw(self.rows, random)

    @cached_property
    def _stream_keys(self) -> Zipf:
        return Zipf(self.domain or self.rows, self.stream_skew, self.seed + (1 if self.common_ranks else 2))

    def relation(self) -> Iterator[pa.RecordBatch]:
        """R's rows."""
        random = np.random.default_rng(self.seed)
        for begin in range(0, self.rows, _ROWS_AT_A_TIME):
            ids = self.keys[begin : begin + _ROWS_AT_A_TIME]
            surrogates = np.arange(begin, begin + len(ids), dtype=np.int64)
            names = _names(len(ids), self.row_bytes - _NUMBERS_BYTES, random)
            yield pa.RecordBatch.from_arrays([pa.array(ids), pa.array(surrogates), names], schema=ROW)

    def stream(self, count: int, batch_rows: int = 1000, seed: int = 0) -> list[pa.RecordBatch]:
        """``count`` tuples of S, as they arrive."""
        random = np.random.default_rng([self.seed, seed])
        cells: list[Any] = [
            pa.array(self._stream_keys.draw(count, random)),
            pa.array(np.arange(count, dtype=np.int64)),
            pa.array(random.integers(0, 1000, count).astype(np.int32)),
        ]
        if rest := self.tuple_bytes - TUPLE_BYTES:
            cells.append(
                pa.FixedSizeBinaryArray.from_buffers(
                    pa.binary(rest), count, [None, pa.py_buffer(random.bytes(count * rest))]
                )
            )
        tuples = pa.RecordBatch.from_arrays(cells, schema=self.tuple_schema)
        return [tuples.slice(begin, batch_rows) for begin in range(0, count, batch_rows)]

    def write(self, path: Path, page_bytes: int) -> None:
        """Write R as pages."""
        write_pages(path, self.relation(), ROW, key=["id"], page_bytes=page_bytes)


def _names(count: int, size: int, random: np.random.Generator) -> pa.Array:
    """Texts of one length, of 64 letters, that hardly compress."""
    letters = random.integers(0, 64, count * size, dtype=np.uint8) + np.uint8(ord("0"))
    offsets = np.arange(0, (count + 1) * size, size, dtype=np.int32)
    return pa.StringArray.from_buffers(count, pa.py_buffer(offsets), pa.py_buffer(letters))
