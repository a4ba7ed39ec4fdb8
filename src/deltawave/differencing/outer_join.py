"""The outer join of two snapshots by Spark: sort-merge or partitioned hash (LG96 3.1), or nested loop (LG95 3.1)."""

from functools import reduce
from operator import add

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from deltawave.differencing.contract import Contract
from deltawave.sql_text import quoted

# Bytes that a row of Spark takes for each column, apart from values of variable length.
_CELL_BYTES = 8


def changes(
    old: DataFrame, new: DataFrame, contract: Contract, *, hint: str | None = None, is_nested_loop: bool = False
) -> DataFrame:
    """Return the rows that differ, in the columns that docs/python_strategies.md describes.

    - ``hint``: Spark's, for the join: merge, shuffle_hash or broadcast
    - ``is_nested_loop``: whether Spark compares each row with each instead of sorting or hashing the key
    """
    old_side = contract.side(old.select(*map(quoted, contract.names("old"))), "old").withColumn("__in_old", F.lit(True))
    new_side = contract.side(new.select(*map(quoted, contract.names("new"))), "new").withColumn("__in_new", F.lit(True))
    hinted = old_side.hint(hint) if hint else old_side
    same_key = contract.same_key()
    if is_nested_loop:
        # Spark does not recognize a join key in this.
        same_key = F.array(same_key) == F.array(F.lit(True))
    pairs = hinted.join(new_side, same_key, "full")
    return contract.changes(pairs, F.col("__in_old").isNotNull(), F.col("__in_new").isNotNull())


def nested_loop(old: DataFrame, new: DataFrame, contract: Contract, memory_bytes: int) -> DataFrame:
    """Return the rows that differ, in the columns that docs/python_strategies.md describes.

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
    return changes(old, new, contract, hint="broadcast", is_nested_loop=True)


def _size(frame: DataFrame) -> tuple[int, int]:
    """How many rows there are, and about how many bytes a row takes, by texts: Spark hands not every type to Python."""
    texts = (F.coalesce(F.octet_length(F.col(quoted(name)).cast("string")), F.lit(0)) for name in frame.columns)
    rows, text_bytes = frame.agg(F.count(F.lit(1)), F.avg(reduce(add, texts))).collect()[0]
    return rows, _CELL_BYTES * len(frame.columns) + int(text_bytes or 0)
