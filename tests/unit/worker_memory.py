"""Print by how many bytes a Python worker grows under each algorithm: ``python worker_memory.py FOLDER GRANTED``.

Each comparison runs in a process of its own, without Spark: the work of a task that compares two whole files. The
process is forked from one that has loaded the libraries, and has used little memory: freed memory stays with a process.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deltawave.differencing import hybrid_hash, in_place, pointed, text_diff, window
from deltawave.differencing.aligning import Segment
from deltawave.differencing.in_place import RowGroups

WIDE_ROWS, NARROW_ROWS = 20_000, 300_000
FEW_ROWS = 200
# Rows that Spark hands over at a time.
SPARK_ROWS = 10_000
# The first texts are empty, as those of a column that was added later are; the others have 4 KB.
TEXTS: dict[str, Callable[[int], str]] = {
    "texts": lambda number: f"{number:08d}" * 512 if number > 100 else "",
    "repeated texts": lambda number: f"{number % 17:04d}" * 1024 if number > 100 else "",
}


def write(folder: Path, wide_rows: int, narrow_rows: int) -> None:
    """The files ``old ...`` and ``new ...``: narrow rows in no order, wide rows at most 2,000 places from their own."""
    folder.mkdir()
    random = np.random.default_rng(1)
    numbers = np.arange(narrow_rows)
    for side, order in (("old", numbers), ("new", random.permutation(narrow_rows))):
        table = pa.table({"id": numbers, "value": random.integers(0, 50, narrow_rows), "name": numbers.astype(str)})
        pq.write_table(table.take(pa.array(order)), folder / f"{side} names", compression="zstd")
    near = np.argsort(np.arange(wide_rows) + random.integers(0, 2000, wide_rows), kind="stable")
    for name, text in TEXTS.items():
        for side, order in (("old", np.arange(wide_rows)), ("new", near)):
            bodies = [text(number) for number in range(wide_rows)]
            table = pa.table({"id": range(wide_rows), "value": random.integers(0, 50, wide_rows), "body": bodies})
            table = table.take(pa.array(order))
            pq.write_table(table, folder / f"{side} {name}", use_dictionary=["body"], compression="zstd")


def stored(path: Path) -> RowGroups:
    """The row groups of a file, as a task of Spark's finds them."""
    schema = pq.read_schema(path)
    found = in_place._examined(path.as_uri(), {field.name: field.type for field in schema})
    groups = tuple((path.as_uri(), number) for number in range(len(found["rows"])))
    return RowGroups(groups, tuple(found["rows"]), found["row_bytes"], schema)


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
        old, new = (stored(folder / f"{side} {name}") for side in ("old", "new"))
        consume(comparison(matching, old, new, granted)(0))

    def hashed(name: str) -> None:
        old, new = (stored(folder / f"{side} {name}") for side in ("old", "new"))
        segment = Segment((0, sum(old.rows)), (0, sum(new.rows)))
        sides = (rows.within(granted) for rows in (old, new))
        consume(pointed._unmatched(*sides, (segment,), pointed.capacity(granted), 1, 0))

    def exchanged() -> None:
        rows = stored(folder / "old names")
        compare = replace(comparison(hybrid_hash._MATCHING, rows, rows, granted), capacity_bytes=granted)
        names = [hybrid_hash._IS_OLD, *rows.schema.names]
        consume(hybrid_hash._found(compare, names, handed_over(folder)))

    return {
        "hybrid hash": exchanged,
        "window": lambda: ordered(window.WINDOW, "texts"),
        "window, repeated texts": lambda: ordered(window.WINDOW, "repeated texts"),
        "text diff": lambda: ordered(text_diff.TEXT_DIFF, "texts"),
        "similar": lambda: hashed("texts"),
    }


def handed_over(folder: Path) -> Iterator[pa.RecordBatch]:
    """The rows of both files as Spark hands them over, the old ones first."""
    for side in ("old", "new"):
        for batch in pq.ParquetFile(folder / f"{side} names").iter_batches(SPARK_ROWS, use_threads=False):
            flags = pa.array([side == "old"] * batch.num_rows)
            yield pa.RecordBatch.from_arrays([flags, *batch.columns], [hybrid_hash._IS_OLD, *batch.schema.names])


def consume(batches: in_place.Batches) -> None:
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


if __name__ == "__main__":
    target, bound = Path(sys.argv[1]), int(sys.argv[2])
    grown(lambda: write(target / "large", WIDE_ROWS, NARROW_ROWS))
    write(target / "small", FEW_ROWS, FEW_ROWS)
    for load in works(target / "small", bound).values():
        load()
    print(json.dumps({name: grown(work) for name, work in works(target / "large", bound).items()}))
