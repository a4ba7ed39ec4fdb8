"""The comparison of two tables by their key."""

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from deltawave.comparing.columns import Column, Names, Numbers, described, named, numbered
from deltawave.comparing.comparison import Change, Comparison
from deltawave.comparing.concentrations import PRECISION, concentrations, estimate, is_category
from deltawave.comparing.pairs import cell, differs, pairs, shown, texts
from deltawave.comparing.prefilter import prefiltered
from deltawave.differencing.contract import SIDES, Side
from deltawave.pages.texts import short
from deltawave.resources import persisted, releasing

# Sample changes are shown of so many columns: those with the most differences.
_MOST_COLUMNS = 20


def compare(
    old: DataFrame,
    new: DataFrame,
    key: Names,
    *,
    ignore_columns: Names = (),
    tolerance: Numbers = None,
    relative_tolerance: Numbers = None,
    ignore_case: Names = (),
    ignore_blanks: Names = (),
    samples: int = 5,
) -> Comparison:
    """Return what differs between two tables: rows, columns and values, and where the differences concentrate.

    - ``key``: columns whose values together are unique in each table; a part may be null, and null matches null
    - ``ignore_columns``: not compared, but differences may concentrate in their values
    - ``tolerance``: the absolute difference of numbers that counts as equal: one for all columns of numbers, or one for
      each named column, where the name ``""`` stands for all others. The difference of doubles counts to 15 digits,
      that of floats to 6, that of others is exact
    - ``relative_tolerance``: the same as a share of the larger absolute value. Where both are given, one suffices
    - ``ignore_case``, ``ignore_blanks``: columns of text whose case does not count; in which white space at the ends
      does not count, and a run of it counts like one blank
    - ``samples``: how many changes are shown of each column, and how many rows that only one table has; 0 for none

    Columns are matched by name, whatever its case. Each table is read once, unless it is large and its Parquet files
    are on this machine; pairs of rows are cached meanwhile.
    Raises ``ValueError`` for options that do not fit the tables and for repeated keys.
    """
    if not isinstance(samples, int) or samples < 0:
        raise ValueError(f"samples can't be {samples!r}: it takes a whole number from 0.")
    options = {
        "tolerance": numbered("tolerance", tolerance),
        "relative_tolerance": numbered("relative_tolerance", relative_tolerance),
        "ignore_case": named(ignore_case),
        "ignore_blanks": named(ignore_blanks),
    }
    frames: dict[Side, DataFrame] = {"old": old, "new": new}
    columns = described(frames, key, ignore_columns, options)
    keys = [column for column in columns if column.is_key]
    reported = [column for column in columns if not column.is_ignored]
    categories = [column for column in columns if is_category(column)]
    found = prefiltered(frames, columns)
    with releasing(persisted(pairs(found.frames, columns))) as paired:
        counts = {**_counted(paired, columns, categories), **found.values}
        counts["equal"] += found.equal
        _check_keys(paired, keys, counts)
        compared = [column for column in columns if column.is_compared]
        compared.sort(key=lambda column: -counts[differs(column)])
        return Comparison(
            key=tuple(column.name for column in keys),
            old_rows=counts["equal"] + counts["changed"] + counts["only_old"],
            new_rows=counts["equal"] + counts["changed"] + counts["only_new"],
            equal=counts["equal"],
            changed=counts["changed"],
            only_old=counts["only_old"],
            only_new=counts["only_new"],
            old_columns=tuple(column.name for column in reported if "new" not in column.types),
            new_columns=tuple(column.name for column in reported if "old" not in column.types),
            ignored_columns=tuple(column.name for column in columns if column.is_ignored),
            types={column.name: types for column in reported if (types := column.two_types)},
            columns={column.name: counts[differs(column)] for column in compared},
            changes=tuple(_changes(paired, keys, [column for column in compared if counts[differs(column)]], samples)),
            old_samples=tuple(_samples(paired, columns, "old", min(samples, counts["only_old"]))),
            new_samples=tuple(_samples(paired, columns, "new", min(samples, counts["only_new"]))),
            concentrations=tuple(concentrations(paired, categories, counts, found.equal_values)),
        )


def _counted(paired: DataFrame, columns: Sequence[Column], categories: Sequence[Column]) -> dict[str, int]:
    """Everything that is counted, in one job."""
    counted = {
        **{f"{side}_repeated": F.count_if(F.col(f"{side}_rows") > 1) for side in SIDES},
        **{kind: F.count_if(F.col("kind") == kind) for kind in ("equal", "changed", "only_old", "only_new")},
        **{differs(column): F.count_if(differs(column)) for column in columns if column.is_compared},
        **{
            estimate(column): F.greatest(*(F.approx_count_distinct(cell(column, side), PRECISION) for side in SIDES))
            for column in categories
        },
    }
    (row,) = paired.agg(*(value.alias(name) for name, value in counted.items())).collect()
    return dict(zip(counted, row, strict=True))


def _check_keys(paired: DataFrame, keys: Sequence[Column], counts: Mapping[str, int]) -> None:
    """Raise ``ValueError`` for keys of several rows: these have no counterpart."""
    names = ", ".join(column.name for column in keys)
    wrong = []
    for side in (side for side in SIDES if counts[f"{side}_repeated"]):
        repeated = paired.where(F.col(f"{side}_rows") > 1).orderBy(*(cell(column, side) for column in keys))
        rows = repeated.limit(3).select(texts(keys, side)).collect()
        examples = ", ".join(f"({', '.join(map(short, row['texts']))})" for row in rows)
        number = counts[f"{side}_repeated"]
        wrong.append(f"{number:,} key(s) ({names}) of the {side} table occur in several rows, for instance {examples}.")
    if wrong:
        raise ValueError(" ".join([*wrong, "Compare one row per key, or by another key."]))


def _changes(paired: DataFrame, keys: Sequence[Column], changed: Sequence[Column], samples: int) -> list[Change]:
    """Some changes of each column, by the order of the key."""
    if not samples or not changed:
        return []
    chosen = changed[:_MOST_COLUMNS]
    cells = [
        F.when(
            F.col(differs(column)),
            F.struct(F.lit(place).alias("place"), *(shown(column, side).alias(side) for side in SIDES)),
        )
        for place, column in enumerate(chosen)
    ]
    names = [cell(column, "old") for column in keys]
    listed = paired.where("kind = 'changed'").select(*names, F.explode(F.array(*cells)).alias("cell"))
    order = Window.partitionBy("place").orderBy(*names)
    ranked = listed.where("cell is not null").select(*names, "cell.*").withColumn("rank", F.row_number().over(order))
    first = ranked.where(F.col("rank") <= samples).orderBy("place", "rank")
    rows = first.select(texts(keys, "old"), "place", "old", "new").collect()
    return [Change(tuple(row["texts"]), chosen[row["place"]].name, row["old"], row["new"]) for row in rows]


def _samples(paired: DataFrame, columns: Sequence[Column], side: Side, number: int) -> list[dict[str, str | None]]:
    """Some rows that only one table has, by the order of the key."""
    own = [column for column in columns if side in column.types]
    keys = [cell(column, side) for column in own if column.is_key]
    rows = paired.where(F.col("kind") == f"only_{side}").orderBy(*keys).limit(number).select(texts(own, side)).collect()
    return [dict(zip((column.name for column in own), row["texts"], strict=True)) for row in rows]
