"""Text comparison of ordered snapshots (LG95 3.5, 4.5: UNIX diff and bdiff) on Spark, made minimal.

Tasks compare aligned segments by the longest common subsequence of their keys. It finds the rows that kept their order
and whether these were updated. The rows that it leaves over on both sides were deleted, inserted or moved: these are
joined, which is the report's filter of useless delete-insert pairs. So the result is exact and minimal for snapshots in
any order: the order only affects the time.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame

from deltawave.differencing.aligning import Measured
from deltawave.differencing.common_subsequence import in_sequence
from deltawave.differencing.contract import Columns, Contract
from deltawave.differencing.window import Matching, changes_by

TEXT_DIFF = Matching("text diff", in_sequence, needs_order=True)


def changes(
    old: DataFrame,
    new: DataFrame,
    *,
    unique_key: Sequence[str],
    columns: Columns,
    before_image: bool,
    memory_bytes: int = 1 << 30,
) -> tuple[DataFrame, Measured]:
    """Return the rows that differ, and figures: see docs/python_strategies.md.

    ``memory_bytes``: what a task may use. Like :func:`deltawave.differencing.window.changes` it reads Parquet files
    without Spark, and leaves both snapshots to Spark's join if that is not possible or the order differs much.
    """
    return changes_by(TEXT_DIFF, old, new, Contract(unique_key, columns, before_image), memory_bytes)
