"""Hybrid hash join (LG95 3.3): buckets of the old snapshot stay in memory where there is room, others wait in files.

Rows of the new snapshot are matched with the buckets in memory, and are never written. A matched row gives back its
space, since keys are unique; the space then holds new rows that would otherwise have gone to a file.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa

from deltawave.differencing.aging import PART_BYTES, ROW_BYTES, Aged, Block, Matched, match
from deltawave.differencing.signatures import segment_of

# Buckets of a task. The rows of one bucket have to fit in memory, however little is granted.
_BUCKETS = 64
# A bucket is probed when the waiting rows are this share of its own rows: each probe builds its hash table again.
_WAITING_SHARE = 0.25
# Rows are split when they take this share of the memory: a part of a few rows takes more than its values do.
_SPLIT_SHARE = 0.0625
# Bytes of a part itself, and of each of its columns.
_BLOCK_BYTES, _COLUMN_BYTES = 2000, 500


def by_buckets(old: Iterable[Block], new: Iterable[Block], memory_bytes: int) -> Iterator[Matched | Aged]:
    """Match the blocks of two snapshots; the old one is read first.

    ``memory_bytes``: for the waiting rows of both sides. A block, and the old rows of a bucket that is being matched,
    come on top.
    """
    split_bytes = int(_SPLIT_SHARE * memory_bytes)
    with TemporaryDirectory(prefix="deltawave-") as folder:
        old_side, new_side = _Buckets(Path(folder, "old")), _Buckets(Path(folder, "new"))
        for bucket, part in _parts(old, split_bytes):
            old_side.add(bucket, part)
            while old_side.size > memory_bytes:
                # One that is in a file already, otherwise the last, so that others stay whole.
                old_side.spill(max(old_side.sizes, key=lambda bucket: (bucket in old_side.files, bucket)))
        for bucket, part in _parts(new, split_bytes):
            new_side.add(bucket, part)
            waiting = new_side.rows_in_memory(bucket)
            if bucket not in old_side.files and waiting >= _WAITING_SHARE * old_side.rows_in_memory(bucket):
                yield from _matched(bucket, old_side, new_side)
            while new_side.size and old_side.size + new_side.size > memory_bytes:
                largest = max(new_side.sizes, key=new_side.sizes.__getitem__)
                if largest in old_side.files:
                    new_side.spill(largest)
                else:
                    yield from _matched(largest, old_side, new_side)
        for bucket in range(_BUCKETS):
            yield from _matched(bucket, old_side, new_side)
            yield from (Aged(rows, is_old=True) for rows in old_side.take(bucket))


def _parts(blocks: Iterable[Block], split_bytes: int) -> Iterator[tuple[int, Block]]:
    """The rows of the blocks by their bucket; blocks of fewer bytes than ``split_bytes`` are split together."""
    for block in _gathered(blocks, split_bytes):
        buckets = segment_of(block.hashes, _BUCKETS)
        order = np.argsort(buckets, kind="stable")
        bounds = np.searchsorted(buckets[order], np.arange(_BUCKETS + 1))
        for bucket in np.flatnonzero(np.diff(bounds)).tolist():
            yield bucket, block.take(order[bounds[bucket] : bounds[bucket + 1]])


def _gathered(blocks: Iterable[Block], size: int) -> Iterator[Block]:
    waiting: list[Block] = []
    for block in blocks:
        if waiting and sum(each.size for each in waiting) + block.size > size:
            yield from packed(waiting)
            waiting = []
        waiting.append(block)
    yield from packed(waiting)


def packed(parts: Iterable[Block]) -> list[Block]:
    """The rows of several blocks in their order, in as few blocks as the limit of a text column allows."""
    packs: list[list[Block]] = []
    size = 0
    for part in parts:
        size += part.size
        if not packs or size > PART_BYTES:
            packs.append([])
            size = part.size
        packs[-1].append(part)
    return [Block.concat(pack) for pack in packs]


def _matched(bucket: int, old_side: "_Buckets", new_side: "_Buckets") -> Iterator[Matched | Aged]:
    """Match the rows of a bucket whose old rows are all known; those without a partner stay."""
    if not new_side.rows_in_memory(bucket) and bucket not in new_side.files:
        return
    old_rows = packed(old_side.take(bucket))
    for part in new_side.take(bucket):
        rest = part
        for number, waiting in enumerate(old_rows):
            pairs, old_rows[number], rest = match(waiting, rest)
            yield from pairs
        if len(rest):
            yield Aged(rest, is_old=False)
    for old_rest in filter(len, old_rows):
        old_side.add(bucket, old_rest)


class _Buckets:
    """The rows of one side: parts of buckets in memory, and a file for each bucket that did not fit.

    ``sizes``: the bytes of each bucket in memory
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self._rows: dict[int, list[Block]] = {}
        self.sizes: dict[int, int] = {}
        self.files: dict[int, pa.RecordBatchStreamWriter] = {}

    @property
    def size(self) -> int:
        return sum(self.sizes.values())

    def rows_in_memory(self, bucket: int) -> int:
        return sum(map(len, self._rows.get(bucket, [])))

    def add(self, bucket: int, rows: Block) -> None:
        rows = rows.copied()
        size = rows.size + ROW_BYTES * len(rows) + _BLOCK_BYTES + _COLUMN_BYTES * rows.stored.num_columns
        self._rows.setdefault(bucket, []).append(rows)
        self.sizes[bucket] = self.sizes.get(bucket, 0) + size

    def spill(self, bucket: int) -> None:
        """Write the rows of a bucket that are in memory to its file."""
        for rows in packed(self._leave_memory(bucket)):
            names = ["hashes", "positions", *rows.rows.schema.names]
            columns = [pa.array(rows.hashes), pa.array(rows.positions), *rows.rows.columns]
            batch = pa.RecordBatch.from_arrays(columns, names)
            if bucket not in self.files:
                self.files[bucket] = pa.ipc.new_stream(str(self._folder / str(bucket)), batch.schema)
            self.files[bucket].write_batch(batch)

    def take(self, bucket: int) -> Iterator[Block]:
        """All rows of a bucket, in memory and in its file, one part at a time; they are removed from it."""
        yield from self._leave_memory(bucket)
        if bucket in self.files:
            self.files.pop(bucket).close()
            path = self._folder / str(bucket)
            with pa.OSFile(str(path)) as file, pa.ipc.open_stream(file) as stream:
                yield from map(_block, stream)
            path.unlink()

    def _leave_memory(self, bucket: int) -> list[Block]:
        self.sizes.pop(bucket, None)
        return self._rows.pop(bucket, [])


def _block(batch: pa.RecordBatch) -> Block:
    hashes, positions, *columns = batch.columns
    rows = pa.RecordBatch.from_arrays(columns, batch.schema.names[2:])
    return Block(hashes.to_numpy(), positions.to_numpy(), rows)
