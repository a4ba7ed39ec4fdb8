"""One function for all algorithms: two snapshots in, their differences out (LG96 1.1)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from deltawave.differencing import hash_compressed, outer_join, sort_merge_compressed, window
from deltawave.differencing.compression import Freed
from deltawave.differencing.described import described_columns
from deltawave.differencing.in_place import quoted

_COMPRESSED = {"sort_merge_compressed": sort_merge_compressed, "hash_compressed": hash_compressed}
_JOINED = {"sort_merge": "merge", "partitioned_hash": "shuffle_hash"}

ALGORITHMS = (*_JOINED, *_COMPRESSED, "window")


def snapshot_differential(
    old: DataFrame,
    new: DataFrame,
    *,
    unique_key: str | Sequence[str],
    algorithm: str = "sort_merge",
    before_image: bool = True,
    ignore_columns: str | Collection[str] = (),
    tolerance: Mapping[str, float] | None = None,
    memory_bytes: int = 1 << 30,
    check_keys: bool = True,
) -> Freed:
    """Return the rows that differ, and a function to call when they have been read, which frees what they need.

    The columns of ``new`` and those that only ``old`` has; ``before__<column>`` of all but the key; ``change_type``:
    insert, update or delete; ``changed_columns``: the names of the columns that make an update.

    - ``unique_key``: columns that have a value of their own in each row; null matches null
    - ``algorithm``: ``sort_merge``, ``partitioned_hash`` (LG96 3.1: SM, PH), ``sort_merge_compressed``,
      ``hash_compressed`` (SMC1, PHC1: a difference is missed with a probability of 2^-64), ``window`` (LG96 4)
    - ``before_image``: whether with the columns ``before__...``
    - ``ignore_columns``: carried, not compared, like columns that only one side has
    - ``tolerance``: absolute differences of numeric columns, computed in doubles, that count as equal; not with a
      compressed algorithm
    - ``memory_bytes``: what a task may use
    - ``check_keys``: whether to read both keys before, and to refuse one with several rows, which each algorithm would
      compare otherwise

    The snapshots are read several times, and have to hold the same rows each time. Raises ``ValueError`` for columns
    that do not fit, for a key with several rows, and for an unknown algorithm.
    """
    if algorithm not in ALGORITHMS:
        raise ValueError(f"There is no algorithm {algorithm!r}: it is one of {', '.join(ALGORITHMS)}.")
    if tolerance and algorithm in _COMPRESSED:
        raise ValueError(f"A tolerance can't be applied to hashes: choose another algorithm than {algorithm}.")
    columns = described_columns(old, new, _names(unique_key), _names(ignore_columns), tolerance or {})
    key = [column["name"] for column in columns if column["is_key"]]
    if check_keys:
        for side, frame in (("old", old), ("new", new)):
            _check_keys(side, frame, key)
    common: dict[str, Any] = {"unique_key": key, "columns": columns, "before_image": before_image}
    if algorithm == "window":
        return window.changes(old, new, memory_bytes=memory_bytes, **common)
    if algorithm in _JOINED:
        return outer_join.changes(old, new, hint=_JOINED[algorithm], **common), _nothing
    return _by_hashes(old, new, algorithm, common, memory_bytes)


def _by_hashes(old: DataFrame, new: DataFrame, algorithm: str, common: dict[str, Any], memory_bytes: int) -> Freed:
    """Find the keys that differ by hashes, then join the rows of these keys, whole."""
    key = common["unique_key"]
    compared = [column for column in common["columns"] if column["in_old"] and column["in_new"]]
    names = [quoted(column["name"]) for column in compared]
    library = _COMPRESSED[algorithm]
    options = {"memory_bytes": memory_bytes} if algorithm == "hash_compressed" else {}
    rows = old.count()
    kept = library.kept_hashes(old.select(*names), unique_key=key, columns=compared, count=rows)
    differing, free = library.differing_rows(
        kept, new.select(*names), unique_key=key, columns=compared, rows=rows, **options
    )
    keys = differing.select(*map(quoted, key)).persist()

    def free_all() -> None:
        keys.unpersist()
        free()

    return outer_join.changes(*(_semi_joined(frame, keys, key) for frame in (old, new)), **common), free_all


def _names(given: str | Collection[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _check_keys(side: str, frame: DataFrame, key: Sequence[str]) -> None:
    keys = frame.select(*(F.col(quoted(name)).alias(f"k{number}") for number, name in enumerate(key)))
    repeated = keys.groupBy(*keys.columns).agg(F.count(F.lit(1)).alias("rows")).where("rows > 1")
    examples = [", ".join(str(value) for value in row[:-1]) for row in repeated.limit(3).collect()]
    if examples:
        raise ValueError(
            f"Several rows of the {side} snapshot have the same key ({', '.join(key)}): "
            + ", ".join(f"({example})" for example in sorted(examples))
        )


def _semi_joined(frame: DataFrame, keys: DataFrame, key: Sequence[str]) -> DataFrame:
    renamed = keys.select(*(F.col(quoted(name)).alias(f"__key_{number}") for number, name in enumerate(key)))
    same = [F.col(quoted(name)).eqNullSafe(F.col(f"__key_{number}")) for number, name in enumerate(key)]
    return frame.join(renamed, reduce(Column.__and__, same), "left_semi")


def _nothing() -> None:
    pass
