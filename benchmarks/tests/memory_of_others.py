"""As tests/functional/strategies/worker_memory.py, of the algorithms that the library does not have."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from functional.strategies.worker_memory import SPARK_ROWS, comparison, consume, main, sides, stored

from deltawave.differencing.aligning import Segment
from deltawave.differencing.compression import KEPT, NEW
from laboratory.differencing import hybrid_hash, pointed
from laboratory.differencing.unchanged_blocks import checksum


def works(folder: Path, granted: int) -> dict[str, Callable[[], Any]]:
    """What each algorithm does, and what it works on."""

    def hybrid(name: str) -> None:
        rows = stored(folder / f"old {name}")
        compare = replace(comparison(hybrid_hash._MATCHING, rows, rows, granted), capacity_bytes=granted)
        names = [hybrid_hash._IS_OLD, *rows.schema.names]
        consume(hybrid_hash._found(compare, names, handed_over(folder, name)))

    def similar() -> None:
        old, new = (rows.within(granted) for rows in sides(folder, "texts"))
        segment = Segment((0, sum(old.rows)), (0, sum(new.rows)))
        consume(pointed._unmatched(old, new, (segment,), pointed.capacity(granted), 1, 0))

    def by_pointers() -> None:
        old, new = sides(folder, "texts")
        groups = [
            (rows, kind, number) for rows, kind in ((old, KEPT), (new, NEW)) for number in range(len(rows.groups))
        ]
        pieces = (pointed._compressed(rows, 1, 1, kind, number) for rows, kind, number in groups)
        consume(pointed._differing(True, old.begins, new.begins, chain.from_iterable(pieces)))

    def by_blocks() -> None:
        for rows in sides(folder, "texts"):
            for number in range(len(rows.groups)):
                checksum(rows, number)

    return {
        "hybrid_hash, numbers": lambda: hybrid("numbers"),
        "hybrid_hash, a giant text": lambda: hybrid("a giant text"),
        "similar, texts": similar,
        "sort_merge_pointed, texts": by_pointers,
        "stagnant_by_blocks, texts": by_blocks,
    }


def handed_over(folder: Path, name: str) -> Iterator[pa.RecordBatch]:
    """The rows of both files as Spark hands them over, the old ones first."""
    for side in ("old", "new"):
        for batch in pq.ParquetFile(folder / f"{side} {name}").iter_batches(SPARK_ROWS, use_threads=False):
            flags = pa.array([side == "old"] * batch.num_rows)
            yield pa.RecordBatch.from_arrays([flags, *batch.columns], [hybrid_hash._IS_OLD, *batch.schema.names])


if __name__ == "__main__":
    main(works)
