"""One function for all algorithms: two snapshots in, their differences out (LG96 1.1)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from deltawave.differencing import hash_compressed, outer_join, sort_merge_compressed, window
from deltawave.differencing.comparable import comparable
from deltawave.differencing.compression import Freed
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
    ignore_columns: Collection[str] = (),
    tolerance: Mapping[str, float] | None = None,
    memory_bytes: int = 1 << 30,
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

    Raises ``ValueError`` for columns that do not fit, for a key with several rows, and for an unknown algorithm.
    """
    if algorithm not in ALGORITHMS:
        raise ValueError(f"There is no algorithm {algorithm!r}: it is one of {', '.join(ALGORITHMS)}.")
    if tolerance and algorithm in _COMPRESSED:
        raise ValueError(f"A tolerance can't be applied to hashes: choose another algorithm than {algorithm}.")
    asked = [unique_key] if isinstance(unique_key, str) else list(unique_key)
    key = [_spelt(name, new) for name in asked]
    columns = _columns(old, new, key, ignore_columns, tolerance or {})
    for side, frame in (("old", old), ("new", new)):
        _check_keys(side, frame, key)
    common: dict[str, Any] = {"unique_key": key, "columns": columns, "before_image": before_image}
    if algorithm == "window":
        return window.changes(old, new, memory_bytes=memory_bytes, **common)
    if algorithm in _JOINED:
        return outer_join.changes(old, new, hint=_JOINED[algorithm], **common), _nothing
    compared = [column for column in columns if column["in_old"] and column["in_new"]]
    library = _COMPRESSED[algorithm]
    names = [quoted(column["name"]) for column in compared]
    rows = old.count()
    kept = library.kept_hashes(old.select(*names), unique_key=key, columns=compared, count=rows)
    options = {"memory_bytes": memory_bytes} if algorithm == "hash_compressed" else {}
    differing, free = library.differing_rows(
        kept, new.select(*names), unique_key=key, columns=compared, rows=rows, **options
    )
    # The few rows of these keys, whole: with before images, and without those of which only a column differs that is
    # not compared.
    keys = differing.select(*map(quoted, key)).persist()
    sides = [_semi_joined(frame, keys, key) for frame in (old, new)]

    def free_all() -> None:
        keys.unpersist()
        free()

    return outer_join.changes(*sides, **common), free_all


def _columns(
    old: DataFrame, new: DataFrame, key: Sequence[str], ignored: Collection[str], tolerance: Mapping[str, float]
) -> list[dict[str, Any]]:
    """The description of columns that docs/python_strategies.md gives."""
    for name in (*ignored, *tolerance):
        _spelt(name, new)
    in_old = {field.name.lower(): field for field in old.schema.fields}
    in_new = {field.name.lower(): field for field in new.schema.fields}
    tolerances = {name.lower(): value for name, value in tolerance.items()}
    carried = {name.lower() for name in (*ignored, *key)}
    columns = []
    for name in dict.fromkeys([*in_new, *in_old]):
        fields = [side[name] for side in (in_new, in_old) if name in side]
        types = [field.dataType.simpleString() for field in fields]
        if len(set(types)) > 1:
            raise ValueError(
                f"The column {fields[0].name} is {types[1]} in the old snapshot, {types[0]} in the new one."
            )
        is_both = len(fields) == 2
        if name in {each.lower() for each in key} and not is_both:
            raise ValueError(f"The old snapshot has no column {fields[0].name}.")
        is_compared = is_both and name not in carried
        columns.append(
            {
                "name": fields[0].name,
                "data_type": types[0],
                "is_key": name in {each.lower() for each in key},
                "in_old": name in in_old,
                "in_new": name in in_new,
                "is_compared": is_compared,
                "tolerance": tolerances.get(name),
                "comparable": comparable(fields[0].name, fields[0].dataType) if is_compared else None,
            }
        )
    return columns


def _spelt(name: str, new: DataFrame) -> str:
    """The column's name as the new snapshot spells it."""
    for known in new.columns:
        if known.lower() == name.lower():
            return known
    raise ValueError(f"The new snapshot has no column {name}.")


def _check_keys(side: str, frame: DataFrame, key: Sequence[str]) -> None:
    repeated = frame.groupBy(*map(quoted, key)).count().where(F.col("count") > 1)
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
