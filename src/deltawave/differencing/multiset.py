"""Keys that several rows have: their rows are matched as multisets (LG95 4.6), whatever the algorithm for the others.

Among the rows of a key, identical rows of both snapshots cancel out one for one; the remaining ones pair up as updates;
what is left was deleted or inserted. That is the smallest set of changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from deltawave.differencing import outer_join
from deltawave.differencing.compression import Freed, free_prefix
from deltawave.differencing.contract import Columns, all_same
from deltawave.differencing.in_place import quoted


def changes(
    old: DataFrame,
    new: DataFrame,
    find: Callable[[DataFrame, DataFrame], Freed],
    *,
    unique_key: Sequence[str],
    columns: Columns,
    before_image: bool,
    reads_files: bool,
) -> Freed:
    """Return the rows that differ, and a function that frees what they need.

    ``find`` compares the rows of keys that are unique. If it ``reads_files``, it gets all rows, and what it says of
    other keys is left out.
    """
    repeated = _repeated(old, new, unique_key).persist()
    if repeated.isEmpty():
        repeated.unpersist()
        return find(old, new)
    bags = [_joined(side, repeated, unique_key, "left_semi") for side in (old, new)]
    of_bags = _changes_of_bags(*bags, unique_key=unique_key, columns=columns, before_image=before_image)
    if not reads_files:
        old, new = (_joined(side, repeated, unique_key, "left_anti") for side in (old, new))
    found, free_found = find(old, new)

    def free() -> None:
        free_found()
        repeated.unpersist()

    return _joined(found, repeated, unique_key, "left_anti").unionByName(of_bags), free


def _repeated(old: DataFrame, new: DataFrame, key: Sequence[str]) -> DataFrame:
    """The keys that several rows of a snapshot have, as k0, k1, ..."""
    names = [f"k{number}" for number in range(len(key))]
    sides = []
    for side in (old, new):
        keys = side.select(*(F.col(quoted(name)).alias(named) for name, named in zip(key, names, strict=True)))
        sides.append(keys.groupBy(*names).agg(F.count(F.lit(1)).alias("rows")).where("rows > 1").select(*names))
    return sides[0].unionByName(sides[1]).distinct()


def _joined(frame: DataFrame, keys: DataFrame, key: Sequence[str], how: str) -> DataFrame:
    prefix = free_prefix("key_", frame.columns)
    named = keys.select(*(F.col(name).alias(prefix + name) for name in keys.columns))
    same = all_same((F.col(quoted(name)), F.col(f"{prefix}k{number}")) for number, name in enumerate(key))
    return frame.join(named, same, how)


def _changes_of_bags(
    old: DataFrame, new: DataFrame, *, unique_key: Sequence[str], columns: Columns, before_image: bool
) -> DataFrame:
    """The changes among the rows of repeated keys."""
    number = free_prefix("number_", [*old.columns, *new.columns])
    compared = [F.expr(column["comparable"]) for column in columns if column["is_compared"]]
    whole = [*(F.col(quoted(name)) for name in unique_key), *compared]
    old, new = (_numbered(side, number, whole, []) for side in (old, new))
    old, new = _without(old, new, number, whole), _without(new, old, number, whole)
    key = [F.col(quoted(name)) for name in unique_key]
    old, new = (_numbered(side.drop(number), number, key, compared) for side in (old, new))
    described: dict[str, Any] = {
        "name": number,
        "data_type": "int",
        "is_key": True,
        "in_old": True,
        "in_new": True,
        "is_compared": False,
        "tolerance": None,
        "comparable": None,
    }
    paired = outer_join.changes(
        old, new, unique_key=[*unique_key, number], columns=[*columns, described], before_image=before_image
    )
    return paired.drop(number)


def _numbered(frame: DataFrame, number: str, groups: Sequence[Column], order: Sequence[Column]) -> DataFrame:
    """The rows of each group, numbered from 1 on."""
    window = Window.partitionBy(*groups).orderBy(*(order or [F.lit(1)]))
    return frame.withColumn(number, F.row_number().over(window))


def _without(frame: DataFrame, others: DataFrame, number: str, whole: Sequence[Column]) -> DataFrame:
    """The rows that have no equal among the others: what both sides have as often cancels out."""
    cells = [*whole, F.col(number)]
    prefix = free_prefix("cell_", frame.columns)
    named = others.select(*(cell.alias(f"{prefix}{place}") for place, cell in enumerate(cells)))
    same = all_same((cell, F.col(f"{prefix}{place}")) for place, cell in enumerate(cells))
    return frame.join(named, same, "left_anti")
