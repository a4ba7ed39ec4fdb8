"""Ways to find the differences of two snapshots. Each writes what it found as Parquet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from deltawave.differencing import hash_compressed, sort_merge_compressed
from deltawave.differencing.contract import Contract
from deltawave.resources import releasing
from deltawave.rows.in_place import groups_in_place, map_rows
from deltawave.sql_text import quoted
from laboratory.differencing.algorithms import BY_NAME
from laboratory.differential.snapshots import KEY, Snapshots

# Comparing more rows takes datacompy minutes.
_ROWS_FOR_DATACOMPY = 200_000


@dataclass(frozen=True)
class Method:
    """``find`` writes the differences, ``keep`` the state that later comparisons need besides the new snapshot.

    - ``batches_per_state``: how many batches one ``keep`` serves
    - ``rows_per_update``: how many rows of the result an update has; 0 if there is no result
    - ``reads``: bytes that it reads from files without Spark
    - ``is_python``: whether Python workers compare
    - ``fits``: whether it can compare a given number of rows
    """

    name: str
    find: Callable[[Snapshots], None]
    keep: Callable[[Snapshots], None] | None = None
    batches_per_state: int = 1
    rows_per_update: int = 1
    reads: Callable[[Snapshots], int] = lambda snapshots: 0
    is_python: bool = False
    fits: Callable[[int], bool] = lambda rows: True


def spark_full_outer_join(snapshots: Snapshots) -> None:
    old = snapshots.old.select(*(F.col(name).alias(f"old_{name}") for name in snapshots.old.columns))
    same = [f"old_{name} <=> {name}" for name in snapshots.new.columns]
    snapshots.write(old.join(snapshots.new, F.expr(same[0]), "full").where(f"not ({' and '.join(same)})"))


def union_group_by(snapshots: Snapshots) -> None:
    sides = [frame.withColumn("side", F.lit(side)) for frame, side in ((snapshots.old, -1), (snapshots.new, 1))]
    grouped = sides[0].unionByName(sides[1]).groupBy(*snapshots.new.columns).agg(F.sum("side").alias("side"))
    snapshots.write(grouped.where("side <> 0"))


def except_all(snapshots: Snapshots) -> None:
    old, new = snapshots.old, snapshots.new
    gone, come = old.exceptAll(new), new.exceptAll(old)
    snapshots.write(gone.withColumn("side", F.lit(-1)).unionByName(come.withColumn("side", F.lit(1))))


def pyspark_extension(snapshots: Snapshots) -> None:
    from gresearch.spark.diff import diff

    snapshots.write(diff(snapshots.old, snapshots.new, KEY).where("diff <> 'N'"))


def datacompy(snapshots: Snapshots) -> None:
    from datacompy import SparkSQLCompare

    # It fails for dates: it subtracts their values as doubles, which Spark refuses.
    old, new = (
        frame.select(*(F.col(name).cast("string") if kind == "date" else F.col(name) for name, kind in frame.dtypes))
        for frame in (snapshots.old, snapshots.new)
    )
    compared = SparkSQLCompare(snapshots.session, old, new, join_columns=[KEY])
    mismatches = compared.all_mismatch().select(KEY)
    snapshots.write(
        mismatches.unionByName(compared.df1_unq_rows.select(KEY)).unionByName(compared.df2_unq_rows.select(KEY))
    )


def duckdb_full_outer_join(snapshots: Snapshots) -> None:
    import duckdb

    names = [f'"{name}"' for name in snapshots.new.columns]
    cells = ", ".join(f"o.{name} as old_{name[1:-1]}, n.{name}" for name in names)
    differs = " or ".join(f"o.{name} is distinct from n.{name}" for name in names)
    target = snapshots.folder / "found"
    target.mkdir(exist_ok=True)
    for file in target.iterdir():
        file.unlink()
    old, new = (f"read_parquet('{snapshots.folder / side}/*.parquet')" for side in ("old", "new"))
    with duckdb.connect() as connection:
        connection.execute("set threads = 2")
        connection.execute("set memory_limit = '8GB'")
        connection.execute(
            f"copy (select {cells} from {old} as o full join {new} as n on o.{KEY} = n.{KEY} where {differs}) "
            f"to '{target}/found.parquet' (format parquet)"
        )


def _described(snapshots: Snapshots) -> dict[str, Any]:
    return {"unique_key": [KEY], "columns": snapshots.columns}


def _contract(snapshots: Snapshots) -> Contract:
    return Contract(before_image=True, **_described(snapshots))


def _written(snapshots: Snapshots, frame: DataFrame) -> None:
    with releasing(frame):
        snapshots.write(frame)


def sort_merge(snapshots: Snapshots) -> None:
    snapshots.write(_contract(snapshots).outer_join(snapshots.old, snapshots.new))


def _both_sides(algorithm: str) -> Callable[[Snapshots], None]:
    changes = BY_NAME[algorithm].changes

    def find(snapshots: Snapshots) -> None:
        _written(snapshots, changes(snapshots.old, snapshots.new, _contract(snapshots), 1 << 30))

    return find


def _compressed(library: ModuleType, **options: Any) -> Callable[[Snapshots], None]:
    def find(snapshots: Snapshots) -> None:
        rows = snapshots.rows
        differing = library.differing_rows(
            snapshots.kept(library),
            snapshots.new,
            patches=snapshots.patches,
            rows=rows,
            **_described(snapshots),
            **options,
        )
        _written(snapshots, differing)

    return find


def keep_hashes(library: ModuleType, snapshots: Snapshots) -> None:
    """Patch the kept hashes by earlier changes and by the found differences."""
    change = F.when(F.col("is_there"), "update").otherwise("delete").alias("_change_type")
    found = snapshots.found().select(*map(quoted, snapshots.new.columns), change)
    earlier = snapshots.patches.join(found, KEY, "left_anti")
    patches = found.unionByName(earlier)
    kept = snapshots.kept(library)
    patched = library.patched_hashes(kept, patches, count=snapshots.rows, **_described(snapshots))
    snapshots.write(patched, "next_kept")


def _decoded(*sides: str) -> Callable[[Snapshots], None]:
    def count(batches: Any) -> Any:
        yield from (batch.slice(0, 1).select([0]).rename_columns(["n"]) for batch in batches)

    def read(snapshots: Snapshots) -> None:
        frames: list[DataFrame] = [getattr(snapshots, side) for side in sides]
        for frame in frames:
            names = [quoted(name) for name in frame.columns]
            counted = map_rows(frame, names, count, "n bigint", groups_in_place(frame, names))
            counted.write.format("noop").mode("overwrite").save()

    return read


read_both = _decoded("old", "new")


def _new(snapshots: Snapshots) -> int:
    return snapshots.bytes_of("new")


def _both(snapshots: Snapshots) -> int:
    return snapshots.bytes_of("old", "new")


def _both_and_keys(snapshots: Snapshots) -> int:
    return _both(snapshots) + snapshots.bytes_of("old", columns=[KEY])


def _hashed(name: str, library: ModuleType, **options: Any) -> Method:
    # 2% of the rows change per batch, and keys and hashes are rewritten once a fifth of the rows are patches.
    keep = partial(keep_hashes, library)
    return Method(name, _compressed(library, **options), keep, batches_per_state=10, is_python=True, reads=_new)


OPPONENT = "spark_full_outer_join"
METHODS = [
    Method(OPPONENT, spark_full_outer_join),
    Method("union_group_by", union_group_by, rows_per_update=2),
    Method("except_all", except_all, rows_per_update=2),
    Method("pyspark_extension", pyspark_extension),
    Method("datacompy", datacompy, fits=lambda rows: rows <= _ROWS_FOR_DATACOMPY),
    Method("duckdb_full_outer_join", duckdb_full_outer_join, reads=_both),
    Method("outer_join", sort_merge),
    Method("window", _both_sides("window"), is_python=True, reads=_both_and_keys),
    Method("text_diff", _both_sides("text_diff"), is_python=True, reads=_both_and_keys),
    Method("similar", _both_sides("similar"), is_python=True, reads=_both_and_keys),
    Method("hybrid_hash", _both_sides("hybrid_hash"), is_python=True),
    Method("partitioned_hash_pointed", _both_sides("partitioned_hash_pointed"), is_python=True, reads=_both),
    Method("stagnant_by_blocks", _both_sides("stagnant_by_blocks"), is_python=True, reads=_both),
    _hashed("sort_merge_compressed", sort_merge_compressed),
    _hashed("hash_compressed", hash_compressed),
    _hashed("hash_compressed_little_memory", hash_compressed, memory_bytes=1),
    Method("read_new", _decoded("new"), rows_per_update=0, is_python=True, reads=_new),
    Method("read_both", read_both, rows_per_update=0, is_python=True, reads=_both),
]
