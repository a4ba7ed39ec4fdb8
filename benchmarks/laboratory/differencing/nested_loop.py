"""The nested loop join of two snapshots (LG95 3.1) by Spark."""

from functools import reduce
from operator import add

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from deltawave.differencing.contract import Contract
from deltawave.sql_text import quoted

# Bytes that a row of Spark takes for each column, apart from values of variable length.
_CELL_BYTES = 8


def changes(old: DataFrame, new: DataFrame, contract: Contract, memory_bytes: int) -> DataFrame:
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
    # Spark does not recognize a join key in this.
    same_key = F.array(contract.same_key()) == F.array(F.lit(True))
    return contract.outer_join(old, new, "broadcast", same_key)


def _size(frame: DataFrame) -> tuple[int, int]:
    """How many rows there are, and about how many bytes a row takes, by texts: Spark hands not every type to Python."""
    texts = (F.coalesce(F.octet_length(F.col(quoted(name)).cast("string")), F.lit(0)) for name in frame.columns)
    rows, text_bytes = frame.agg(F.count(F.lit(1)), F.avg(reduce(add, texts))).collect()[0]
    return rows, _CELL_BYTES * len(frame.columns) + int(text_bytes or 0)
