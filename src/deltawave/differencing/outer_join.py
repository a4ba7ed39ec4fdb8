"""The outer join of two snapshots by Spark: sort-merge or partitioned hash (LG96 3.1: SM, PH; LG95 4.1)."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from deltawave.differencing.contract import Columns, Contract
from deltawave.differencing.in_place import quoted


def changes(
    old: DataFrame,
    new: DataFrame,
    *,
    unique_key: Sequence[str],
    columns: Columns,
    before_image: bool,
    hint: str | None = None,
    is_nested_loop: bool = False,
) -> DataFrame:
    """Return the rows that differ, as docs/python_strategies.md has it.

    - ``hint``: Spark's, for the join: merge, shuffle_hash or broadcast
    - ``is_nested_loop``: whether Spark compares each row with each instead of sorting or hashing the key
    """
    contract = Contract(columns, before_image)
    old_side = contract.side(old.select(*map(quoted, contract.names("old"))), "old").withColumn("__in_old", F.lit(True))
    new_side = contract.side(new.select(*map(quoted, contract.names("new"))), "new").withColumn("__in_new", F.lit(True))
    hinted = old_side.hint(hint) if hint else old_side
    same_key = contract.same_key(unique_key)
    if is_nested_loop:
        # Spark does not recognize a join key in this.
        same_key = F.array(same_key) == F.array(F.lit(True))
    pairs = hinted.join(new_side, same_key, "full")
    return contract.changes(pairs, F.col("__in_old").isNotNull(), F.col("__in_new").isNotNull())
