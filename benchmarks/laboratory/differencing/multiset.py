"""Keys of several rows: these rows are matched as multisets (LG95 4.6), whatever the algorithm for other keys.

Among the rows of a key, identical rows of both snapshots cancel out one for one; the remaining ones pair up as updates;
what is left was deleted or inserted. That is the smallest set of changes.
"""

from collections.abc import Callable, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from deltawave.comparable import repeated_keys
from deltawave.differencing.compression import with_keys
from deltawave.differencing.contract import Contract, all_same
from deltawave.resources import holding, persisted, release
from deltawave.sql_text import quoted, unused_prefix


def changes(
    old: DataFrame,
    new: DataFrame,
    find: Callable[[DataFrame, DataFrame], DataFrame],
    contract: Contract,
    *,
    reads_files: bool,
) -> DataFrame:
    """Return the rows that differ.

    ``find`` compares the rows of unique keys. If it ``reads_files``, it gets all rows, and its results for other keys
    are left out.
    """
    unique_key = contract.unique_key
    sides = (repeated_keys(side, unique_key).drop("rows") for side in (old, new))
    repeated = persisted(reduce(DataFrame.unionByName, sides).distinct())
    if repeated.isEmpty():
        release(repeated)
        return find(old, new)
    old_bags, new_bags = (with_keys(side, repeated, unique_key, "left_semi") for side in (old, new))
    of_bags = _changes_of_bags(old_bags, new_bags, contract)
    if not reads_files:
        old, new = (with_keys(side, repeated, unique_key, "left_anti") for side in (old, new))
    found = with_keys(find(old, new), repeated, unique_key, "left_anti")
    return holding(found.unionByName(of_bags), repeated)


def _changes_of_bags(old: DataFrame, new: DataFrame, contract: Contract) -> DataFrame:
    """The changes among the rows of repeated keys."""
    unique_key, columns = contract.unique_key, contract.columns
    number = unused_prefix("number_", [*old.columns, *new.columns])
    compared = [F.expr(column["comparable"]) for column in columns if column["is_compared"]]
    whole = [*(F.col(quoted(name)) for name in unique_key), *compared]
    old, new = (_numbered(side, number, whole, []) for side in (old, new))
    old, new = _without(old, new, number, whole), _without(new, old, number, whole)
    key = [F.col(quoted(name)) for name in unique_key]
    old, new = (_numbered(side.drop(number), number, key, compared) for side in (old, new))
    own = {"name": number, "data_type": "int", "is_key": True, "in_old": True, "in_new": True, "is_compared": False}
    numbered = Contract([*unique_key, number], [*columns, own], contract.before_image)
    return numbered.outer_join(old, new).drop(number)


def _numbered(frame: DataFrame, number: str, groups: Sequence[Column], order: Sequence[Column]) -> DataFrame:
    """The rows of each group, numbered from 1 on."""
    window = Window.partitionBy(*groups).orderBy(*(order or [F.lit(1)]))
    return frame.withColumn(number, F.row_number().over(window))


def _without(frame: DataFrame, others: DataFrame, number: str, whole: Sequence[Column]) -> DataFrame:
    """The rows that have no equal among the others: equal rows of both sides cancel out one for one."""
    cells = [*whole, F.col(number)]
    prefix = unused_prefix("cell_", frame.columns)
    named = others.select(*(cell.alias(f"{prefix}{place}") for place, cell in enumerate(cells)))
    same = all_same((cell, F.col(f"{prefix}{place}")) for place, cell in enumerate(cells))
    return frame.join(named, same, "left_anti")
