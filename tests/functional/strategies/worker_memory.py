"""Print by how many bytes a Python worker grows under each algorithm: ``python worker_memory.py FOLDER GRANTED``.

Each comparison runs in a process of its own, without Spark: the work of a task that compares two whole files. The
process is forked from one that has loaded the libraries, and has used little memory: freed memory stays with a process.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deltawave.differencing import compression, sort_merge_compressed, text_diff, window
from deltawave.differencing.aligning import Segment
from deltawave.differencing.compression import KEPT, NEW
from deltawave.differencing.signatures import Signatures
from deltawave.rows import parquet_files
from deltawave.rows.batches import Batches
from deltawave.rows.in_place import RowGroups

FEW_ROWS = 20
# With their hashes and positions, they take more than 64 MB.
NARROW_ROWS = 2_200_000
# Rows that Spark hands over at a time.
SPARK_ROWS = 10_000
# Numbers of rows, and their texts. The first hundred may be empty, as in a column that was added later.
TEXTS: dict[str, tuple[int, Callable[[int], str]]] = {
    "texts": (20_000, lambda number: f"{number:08d}" * 512 if number > 100 else ""),
    "repeated texts": (10_000, lambda number: f"{number % 3:08d}" * 1024 if number > 100 else ""),
    "long repeated texts": (2_000, lambda number: f"{number % 8:08d}" * 8192),
    "a giant text": (20_000, lambda number: f"{number:08d}" * (1 << 20 if number == SPARK_ROWS else 1)),
}


def write(folder: Path, most_rows: int) -> None:
    """The files ``old ...`` and ``new ...``: numbers in no order, texts at most 2,000 places from their own."""
    folder.mkdir()
    random = np.random.default_rng(1)
    numbers = np.arange(min(most_rows, NARROW_ROWS))
    for side, order in (("old", numbers), ("new", random.permutation(len(numbers)))):
        table = pa.table({"id": numbers, "value": numbers + (numbers % 100 == 0) * random.integers(0, 2)})
        pq.write_table(table.take(pa.array(order)), folder / f"{side} numbers", compression="zstd")
    for name, (count, text) in TEXTS.items():
        rows = min(most_rows, count)
        near = np.argsort(np.arange(rows) + random.integers(0, 2000, rows), kind="stable")
        for side, order in (("old", np.arange(rows)), ("new", near)):
            bodies = [text(number) for number in range(rows)]
            table = pa.table({"id": range(rows), "value": random.integers(0, 50, rows), "body": bodies})
            table = table.take(pa.array(order))
            pq.write_table(table, folder / f"{side} {name}", use_dictionary=["body"], compression="zstd")


def stored(path: Path) -> RowGroups:
    """The row groups of a file, as a task of Spark's finds them."""
    schema = pq.read_schema(path)
    found = parquet_files.examined(path.as_uri(), {field.name: field.type for field in schema}, {})
    groups = tuple((path.as_uri(), number) for number in range(len(found["rows"])))
    return RowGroups(groups, tuple(found["rows"]), found["row_bytes"], schema)


def sides(folder: Path, name: str) -> tuple[RowGroups, RowGroups]:
    """The row groups of the old file and the new one."""
    return stored(folder / f"old {name}"), stored(folder / f"new {name}")


def comparison(matching: window.Matching, old: RowGroups, new: RowGroups, granted: int) -> window.Comparison:
    """The work of a task that compares both files whole."""
    sides = [[pa.field(side, pa.int64()), *(each.with_name(side + each.name) for each in old.schema)] for side in "on"]
    return window.Comparison(
        matching,
        *(rows.within(granted) for rows in (old, new)),
        segments=(Segment((0, sum(old.rows)), (0, sum(new.rows))),),
        capacity=window.capacities(granted, old, new)[0],
        capacity_bytes=window.capacities(granted, old, new)[1],
        unique_key=["id"],
        compared=old.schema.names[1:],
        found=pa.schema([*sides[0], *sides[1]]),
    )


def works(folder: Path, granted: int) -> dict[str, Callable[[], Any]]:
    """What each algorithm does, and what it works on."""

    def ordered(matching: window.Matching, name: str) -> None:
        consume(comparison(matching, *sides(folder, name), granted)(0))

    def merged() -> None:
        old, new = ((kind, compressed(rows)) for kind, rows in zip((KEPT, NEW), sides(folder, "texts"), strict=True))
        pieces = (compression.pieces(((kind, rows) for rows in parts), 1) for kind, parts in (old, new))
        consume(sort_merge_compressed._differing(None, chain.from_iterable(pieces)))

    return {
        "window, numbers": lambda: ordered(window.WINDOW, "numbers"),
        **{f"window, {name}": partial(ordered, window.WINDOW, name) for name in TEXTS},
        **{f"text_diff, {name}": partial(ordered, text_diff.TEXT_DIFF, name) for name in TEXTS},
        "sort_merge_compressed, texts": merged,
    }


def batches(rows: RowGroups) -> Iterator[pa.RecordBatch]:
    for number in range(len(rows.groups)):
        yield from rows.read(number)


def compressed(rows: RowGroups) -> Iterator[Signatures]:
    return (compression.signatures(batch.columns, 1) for batch in batches(rows))


def consume(batches: Batches) -> None:
    for _ in batches:
        pass


def grown(work: Callable[[], Any]) -> int:
    """By how many bytes a process of its own grows at most while it does this."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            Path("/proc/self/clear_refs").write_text("5")
            begin = _memory("VmRSS")
            work()
            os.write(writing, str(_memory("VmHWM") - begin).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as result:
        size = int(result.read())
    os.waitpid(child, 0)
    return size


def _memory(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{field}:"))


def main(works: Callable[[Path, int], dict[str, Callable[[], Any]]]) -> None:
    target, bound = Path(sys.argv[1]), int(sys.argv[2])
    grown(lambda: write(target / "large", NARROW_ROWS))
    grown(lambda: write(target / "small", FEW_ROWS))
    for load in works(target / "small", bound).values():
        load()
    print(json.dumps({name: grown(work) for name, work in works(target / "large", bound).items()}))


if __name__ == "__main__":
    main(works)
