"""What an algorithm finds between two snapshots, and whether the outer join finds the same."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from functional.macros.generated import content
from pyspark.sql import DataFrame, SparkSession

from deltawave.differencing import Algorithm, snapshot_differential
from deltawave.resources import releasing


def storing(spark: SparkSession, folder: Path, group: int) -> Callable[..., DataFrame]:
    """Stores tables in Parquet files of row groups of that many rows."""

    def store(rows: pa.Table, group: int = group, **options: Any) -> DataFrame:
        file = folder / f"{len(list(folder.iterdir()))}.parquet"
        pq.write_table(rows, file, row_group_size=group, **options)
        return spark.read.parquet(str(file))

    return store


def changed(old: DataFrame, new: DataFrame, algorithm: str | Algorithm, **options: Any) -> Counter[Any]:
    """The changes by their content; of keys that are unique."""
    with releasing(snapshot_differential(old, new, algorithm=algorithm, check_keys=False, **options)) as frame:
        return Counter(content(tuple(row)) for row in frame.collect())


def kinds(
    old: DataFrame, new: DataFrame, algorithm: str | Algorithm, unique_key: str = "id", **options: Any
) -> Counter[str]:
    """How many rows differ in which way; they are those that the outer join finds."""
    found, joined = (changed(old, new, name, unique_key=unique_key, **options) for name in (algorithm, "sort_merge"))
    assert found == joined
    counts: Counter[str] = Counter()
    for (*_, kind, _), count in found.items():
        counts[kind] += count
    return counts
