"""Nested-loop join of two small snapshots (LG95 3.1) on Spark: each old row is compared with each new one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from deltawave.differencing import outer_join
from deltawave.differencing.contract import Columns
from deltawave.differencing.in_place import quoted

# Bytes that a row of Spark takes for each column, apart from values of variable length.
_CELL_BYTES = 8


def changes(
    old: DataFrame,
    new: DataFrame,
    *,
    unique_key: Sequence[str],
    columns: Columns,
    before_image: bool,
    memory_bytes: int,
) -> DataFrame:
    """Return the rows that differ, as docs/python_strategies.md has it.

    The old snapshot, the report's outer file, is one block here: Spark sends it to all tasks, and notes which of its
    rows were matched, like the arrays A_OUTER and A_INNER. Neither snapshot is sorted or exchanged. Raises
    ``ValueError`` if the old one takes more than ``memory_bytes``.
    """
    rows, row_bytes = _size(old)
    if rows * row_bytes > memory_bytes:
        raise ValueError(
            f"A nested loop holds the old snapshot in memory, and {rows:,} rows of about {row_bytes:,} bytes are more "
            f"than memory_bytes ({memory_bytes:,}): choose another algorithm."
        )
    return outer_join.changes(
        old,
        new,
        unique_key=unique_key,
        columns=columns,
        before_image=before_image,
        hint="broadcast",
        is_nested_loop=True,
    )


def _size(frame: DataFrame) -> tuple[int, int]:
    """How many rows there are, and about how many bytes a row takes, by texts: Spark hands not every type to Python."""
    texts = (F.coalesce(F.octet_length(F.col(quoted(name)).cast("string")), F.lit(0)) for name in frame.columns)
    rows, text_bytes = frame.agg(F.count(F.lit(1)), F.avg(reduce(add, texts))).collect()[0]
    return rows, _CELL_BYTES * len(frame.columns) + int(text_bytes or 0)
