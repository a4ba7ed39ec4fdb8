"""The window algorithm with the paper's messages (LG96 4): rows that no window matches are reported, and not joined.

On Spark, ``deltawave.differencing.window`` joins these rows instead, and is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np
import pyarrow as pa

from deltawave.differencing.aging import Aged, Block, Matched, windowed
from deltawave.differencing.signatures import key_hashes
from deltawave.rows.batches import Mask, any_unequal
from deltawave.rows.hashing import row_hashes

_SEED = 6


@dataclass(frozen=True)
class WindowBuffers:
    """The memory of the window algorithm; the defaults are those of LG96 Figure 10.

    - ``aging_bytes``: AB, bytes of each of the two aging buffers
    - ``block_bytes``: IB, bytes of each of the two input buffers
    - ``record_bytes``: bytes of a record, which determine how many records a buffer holds

    Raises ``ValueError`` for a size that is not above 0.
    """

    aging_bytes: float = 8 * 2**20
    block_bytes: float = 16 * 2**10
    record_bytes: float = 156

    def __post_init__(self) -> None:
        for each in fields(self):
            if not (value := getattr(self, each.name)) > 0:
                raise ValueError(f"WindowBuffers: {each.name} can't be {value!r}; it takes a number above 0.")

    @property
    def aging_rows(self) -> int:
        """Whole records that an aging buffer holds."""
        return int(self.aging_bytes // self.record_bytes)

    @property
    def block_rows(self) -> int:
        """Whole records that an input buffer holds, at least one."""
        return max(1, int(self.block_bytes // self.record_bytes))


class WindowMessages:
    """Iterate over it once: it reads both snapshots, and gives the messages in the order in which they are found.

    The messages are record batches of the snapshots' columns and ``change_type``. A delete has the old row, the others
    have the new one. An update is a matched pair whose values differ, by the contract's equality up to a chance of
    2^-64. A useless pair can come as insert and delete: sort deletes before inserts, as LG96 1.1 does.

    ``old`` and ``new`` hold the same columns in the same types. While they are read, ``peak_rows`` counts the
    intermediate data: rows that wait in the old and in the new aging buffer, at most.

    Raises ``ValueError`` for a missing key column, and for batches of other columns than the first one's.
    """

    def __init__(
        self,
        old: Iterable[pa.RecordBatch],
        new: Iterable[pa.RecordBatch],
        unique_key: Sequence[str],
        buffers: WindowBuffers | None = None,
    ) -> None:
        self.buffers = buffers or WindowBuffers()
        self.peak_rows = {"old": 0, "new": 0}
        self._unique_key = list(unique_key)
        self._batches = {"old": old, "new": new}
        self._waiting = {"old": 0, "new": 0}
        self._schema: pa.Schema | None = None

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        for found in windowed(self._blocks("old"), self._blocks("new"), self.buffers.aging_rows):
            if isinstance(found, Aged):
                self._waiting["old" if found.is_old else "new"] -= len(found.rows)
                yield from _messages("delete" if found.is_old else "insert", found.rows)
                continue
            for side in self._waiting:
                self._waiting[side] -= len(found.old)
            is_other_key = self._differ(found, self._unique_key)
            values = [name for name in found.old.rows.schema.names if name not in self._unique_key]
            differing = np.flatnonzero(self._differ(found, values) & ~is_other_key)
            yield from _messages("update", found.new.take(differing))
            # Two keys with one hash.
            apart = np.flatnonzero(is_other_key)
            yield from _messages("delete", found.old.take(apart))
            yield from _messages("insert", found.new.take(apart))

    def _blocks(self, side: str) -> Iterator[Block]:
        """The rows in blocks of an input buffer's size."""
        begin, rows = 0, self.buffers.block_rows
        for block in _cut(self._batches[side], rows):
            self._check(block)
            # The rows that are still waiting have been put into the aging buffer.
            self.peak_rows[side] = max(self.peak_rows[side], self._waiting[side])
            self._waiting[side] += block.num_rows
            keys = key_hashes([block.column(name) for name in self._unique_key])
            yield Block(keys, np.arange(begin, begin + block.num_rows), block)
            begin += block.num_rows
        self.peak_rows[side] = max(self.peak_rows[side], self._waiting[side])

    def _check(self, block: pa.RecordBatch) -> None:
        if self._schema is None:
            names = block.schema.names
            if missing := [name for name in self._unique_key if name not in names]:
                raise ValueError(f"There is no key column {', '.join(missing)}: they are {', '.join(names)}.")
            if "change_type" in names:
                raise ValueError("change_type is the messages' own column: rename the snapshots'.")
            self._schema = block.schema
        if not block.schema.equals(self._schema):
            raise ValueError("Both snapshots need the same columns, in the same order and of the same types.")

    def _differ(self, pair: Matched, names: list[str]) -> Mask:
        """Which pairs differ in these columns. Values of other bytes can be equal, as 0.0 and -0.0 are."""
        old, new = ([block.rows.column(name) for name in names] for block in (pair.old, pair.new))
        differ = any_unequal(old, new, len(pair.old))
        at = pa.array(np.flatnonzero(differ))
        old_hashes, new_hashes = (row_hashes([cells.take(at) for cells in side], _SEED, len(at)) for side in (old, new))
        differ[differ] = old_hashes != new_hashes
        return differ


def _cut(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    """The same rows in batches of ``rows`` rows; the last one, and the last of each given batch, can be shorter."""
    for batch in batches:
        for begin in range(0, batch.num_rows, rows):
            yield batch.slice(begin, rows)


def _messages(kind: str, block: Block) -> Iterator[pa.RecordBatch]:
    if len(block):
        names = [*block.rows.schema.names, "change_type"]
        yield pa.RecordBatch.from_arrays([*block.rows.columns, pa.array([kind] * len(block))], names)
