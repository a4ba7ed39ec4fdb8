"""Streams of files, relations, and what was joined."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from deltawave.meshjoin import StoredRelation, stream_join
from deltawave.meshjoin.batch_folders import BatchFolders

SCHEMA = "id bigint, amount int"


def arrive(spark: SparkSession, folder: Path, first: int, count: int) -> None:
    """A file of tuples."""
    ids = f"if(id % 10 = 0, null, id % 25) as id, cast(id as int) as amount from range({first}, {first + count}, 1, 1)"
    spark.sql(f"select {ids}").write.mode("append").parquet(str(folder))


def opened(spark: SparkSession, folder: Path, files: int = 1) -> DataFrame:
    return spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", files).parquet(str(folder))


def join(spark: SparkSession, source: Path, relation: Any, out: Path, **options: Any) -> None:
    """Join what is there, by default by equal ``id``."""
    options = {"on": None if "condition" in options else "id", "available_now": True, **options}
    stream_join(opened(spark, source), relation, out, **options).awaitTermination()


def stored(spark: SparkSession, folder: Path, rows: int = 20) -> StoredRelation:
    relation = spark.sql(f"select id, id * 10 as skey from range({rows})")
    return StoredRelation.of(relation, folder, key="id", parts=2)


def rows_of(frame: DataFrame) -> Counter[Any]:
    return Counter(str(sorted(row.asDict().items())) for row in frame.collect())


def results(spark: SparkSession, folder: Path) -> DataFrame:
    return spark.read.parquet(str(folder)).drop("micro_batch")


@contextmanager
def failing_after_commit(number: int | None = None) -> Iterator[None]:
    """Let the micro-batch of that number, or any, fail once it is committed."""
    commit = BatchFolders.commit

    def failing(self: BatchFolders, staged: str, committed: int) -> None:
        commit(self, staged, committed)
        if number in (None, committed):
            raise KeyError("failed after the commit")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BatchFolders, "commit", failing)
        yield
