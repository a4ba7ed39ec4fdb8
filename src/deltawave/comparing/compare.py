"""The comparison of two tables by their key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from deltawave.comparing.columns import Column, Names, Numbers, described
from deltawave.comparing.comparison import Change, ColumnDifferences, Comparison, TypeDifference
from deltawave.comparing.concentrations import concentrations, is_category
from deltawave.comparing.pairs import cell, differs, pairs, shown
from deltawave.comparing.report import plain
from deltawave.differencing.contract import SIDES, Side
from deltawave.resources import persisted, releasing

# So many columns have sample changes: those with the most differences.
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
      each named column. The difference of floating-point numbers counts to 15 digits, that of others is exact
    - ``relative_tolerance``: the same as a share of the larger absolute value. Where both are given, one suffices
    - ``ignore_case``, ``ignore_blanks``: columns of text whose case does not count; in which white space at the ends
      does not count, and a run of it counts like one blank
    - ``samples``: how many changes are shown of each column, and how many rows that only one table has; 0 for none

    Columns are matched by name, whatever its case. Each table is read once; the pairs of rows are cached meanwhile.
    Raises ``ValueError`` for options that do not fit the tables, for rows without any key, and for repeated keys.
    """
    if not isinstance(samples, int) or samples < 0:
        raise ValueError(f"samples can't be {samples!r}: it takes a whole number from 0.")
    numbers = {"tolerance": tolerance, "relative_tolerance": relative_tolerance}
    texts = {"ignore_case": ignore_case, "ignore_blanks": ignore_blanks}
    frames: dict[Side, DataFrame] = {"old": old, "new": new}
    columns = described(frames, key, ignore_columns, numbers, texts)
    keys = [column for column in columns if column.is_key]
    categories = [column for column in columns if is_category(column)]
    with releasing(persisted(pairs(frames, columns))) as paired:
        counts = _counted(paired, columns, categories)
        _check_keys(paired, keys, counts)
        ranked = sorted(
            (column for column in columns if column.is_compared), key=lambda column: -counts[differs(column)]
        )
        values = [max(counts[_values(column, side)] for side in SIDES) for column in categories]
        return Comparison(
            key=tuple(column.name for column in keys),
            old_rows=counts["old_rows"],
            new_rows=counts["new_rows"],
            equal=counts["equal"],
            changed=counts["changed"],
            only_old=counts["only_old"],
            only_new=counts["only_new"],
            old_columns=_only(columns, "old"),
            new_columns=_only(columns, "new"),
            ignored_columns=tuple(column.name for column in columns if column.is_ignored),
            types=_types(columns),
            columns=tuple(ColumnDifferences(column.name, counts[differs(column)]) for column in ranked),
            changes=_changes(paired, keys, [column for column in ranked if counts[differs(column)]], samples),
            old_samples=_rows(paired, columns, "old", samples if counts["only_old"] else 0),
            new_samples=_rows(paired, columns, "new", samples if counts["only_new"] else 0),
            concentrations=tuple(concentrations(paired, categories, values, counts)),
        )


def _counted(paired: DataFrame, columns: Sequence[Column], categories: Sequence[Column]) -> dict[str, int]:
    """Everything that is counted, in one job."""
    kinds = ("equal", "changed", "only_old", "only_new")
    keys = [F.col(cell(column, "old")) for column in columns if column.is_key]
    is_null = F.coalesce(*(F.when(key.isNotNull(), F.lit(False)) for key in keys), F.lit(True))
    counted = {
        **{f"{side}_rows": F.sum(f"{side}_rows") for side in SIDES},
        **{f"{side}_null": F.sum(F.when(is_null, F.col(f"{side}_rows"))) for side in SIDES},
        **{f"{side}_repeated": F.count_if(F.col(f"{side}_rows") > 1) for side in SIDES},
        **{kind: F.count_if(F.col("kind") == kind) for kind in kinds},
        **{differs(column): F.count_if(differs(column)) for column in columns if column.is_compared},
        **{
            _values(column, side): F.approx_count_distinct(cell(column, side))
            for column in categories
            for side in SIDES
        },
    }
    (row,) = paired.agg(*(value.alias(name) for name, value in counted.items())).collect()
    # A sum over no rows is null.
    return {name: row[name] or 0 for name in counted}


def _values(column: Column, side: Side) -> str:
    return f"values_of_{cell(column, side)}"


def _check_keys(paired: DataFrame, keys: Sequence[Column], counts: Mapping[str, int]) -> None:
    """Raise ``ValueError`` for rows without any key, and for keys of several rows: they have no counterpart."""
    named = ", ".join(column.name for column in keys)
    wrong = [
        f"{counts[f'{side}_null']:,} row(s) of the {side} table have null in the whole key ({named})."
        for side in SIDES
        if counts[f"{side}_null"]
    ]
    for side in SIDES:
        if repeated := counts[f"{side}_repeated"]:
            names = [cell(column, side) for column in keys]
            texts = [shown(F.col(name), column.kind) for name, column in zip(names, keys, strict=True)]
            found = paired.where(F.col(f"{side}_rows") > 1).orderBy(*names).limit(3).select(*texts).collect()
            examples = ", ".join(f"({', '.join(map(plain, row))})" for row in found)
            wrong.append(
                f"{repeated:,} key(s) ({named}) of the {side} table occur in several rows, for instance {examples}."
            )
    if wrong:
        raise ValueError(" ".join([*wrong, "Compare one row per key, or by another key."]))


def _only(columns: Sequence[Column], side: Side) -> tuple[str, ...]:
    return tuple(
        column.name for column in columns if list(column.types) == [side] and not (column.is_ignored or column.is_key)
    )


def _types(columns: Sequence[Column]) -> tuple[TypeDifference, ...]:
    both = [(column, [kind.simpleString() for kind in column.types.values()]) for column in columns]
    return tuple(
        TypeDifference(column.name, kinds[0], kinds[1], column.kind.simpleString())
        for column, kinds in both
        if column.is_shared and not column.is_ignored and kinds[0] != kinds[1]
    )


def _changes(paired: DataFrame, keys: Sequence[Column], changed: Sequence[Column], samples: int) -> tuple[Change, ...]:
    """Some changes of each column, by the order of the key."""
    if not samples or not changed:
        return ()
    chosen = changed[:_MOST_COLUMNS]
    cells = [
        F.when(
            F.col(differs(column)),
            F.struct(
                F.lit(place).alias("place"),
                *(shown(F.col(cell(column, side)), column.kind).alias(side) for side in SIDES),
            ),
        )
        for place, column in enumerate(chosen)
    ]
    names = [cell(column, "old") for column in keys]
    listed = paired.where("kind = 'changed'").select(*names, F.explode(F.array(*cells)).alias("cell"))
    order = Window.partitionBy("place").orderBy(*names)
    ranked = listed.where("cell is not null").select(*names, "cell.*").withColumn("rank", F.row_number().over(order))
    key = F.array(*(shown(F.col(cell(column, "old")), column.kind) for column in keys)).alias("key")
    rows = ranked.where(F.col("rank") <= samples).orderBy("place", "rank").select(key, "place", "old", "new").collect()
    return tuple(Change(tuple(row["key"]), chosen[row["place"]].name, row["old"], row["new"]) for row in rows)


def _rows(paired: DataFrame, columns: Sequence[Column], side: Side, samples: int) -> tuple[dict[str, str | None], ...]:
    """Some rows that only one table has, by the order of the key."""
    if not samples:
        return ()
    own = [column for column in columns if side in column.types]
    cells = F.array(*(shown(F.col(cell(column, side)), column.kind) for column in own)).alias("cells")
    keys = [cell(column, side) for column in columns if column.is_key]
    found = paired.where(F.col("kind") == f"only_{side}").orderBy(*keys).limit(samples).select(cells).collect()
    return tuple(dict(zip((column.name for column in own), row["cells"], strict=True)) for row in found)
