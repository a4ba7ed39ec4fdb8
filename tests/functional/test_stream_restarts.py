"""A stream that is stopped at any step, and goes on: its results are those of the exact join, also if it sheds."""

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from deltawave.meshjoin import StoredRelation
from deltawave.meshjoin.batch_folders import BatchFolders
from deltawave.meshjoin.join import JoinOptions
from deltawave.meshjoin.micro_batches import MicroBatches

pytestmark = pytest.mark.usefixtures("interpreted")

Row = tuple[Any, ...]
# Key and surrogate key: some keys twice, some never.
RELATION: list[Row] = [(key, 10 * key + at) for key in range(5) for at in range(1 + key % 2)]
SCHEMA = StructType().add("id", "long").add("place", "integer")
STEPS = ("begun", "written", "renamed", "joined")


class StoppedError(Exception):
    """In place of a kill."""


class Stops:
    """Stops at each of these steps of micro-batches once."""

    def __init__(self, stops: Sequence[tuple[str, int]]) -> None:
        self.left = set(stops)

    def at(self, step: str, batch: int) -> None:
        if (step, batch) in self.left:
            self.left.remove((step, batch))
            raise StoppedError(step)

    @contextmanager
    def watching(self) -> Iterator[None]:
        finish, commit = BatchFolders.finish_committed, BatchFolders.commit

        def begun(folders: BatchFolders, batch: int) -> bool:
            self.at("begun", batch)
            return finish(folders, batch)

        def committed(folders: BatchFolders, staged: str, batch: int) -> None:
            self.at("written", batch)
            commit(folders, staged, batch)
            self.at("renamed", batch)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(BatchFolders, "finish_committed", begun)
            patch.setattr(BatchFolders, "commit", committed)
            yield


def exact(tuples: Sequence[Row], how: str) -> Counter[Row]:
    found: Counter[Row] = Counter()
    for key, place in tuples:
        matched = [skey for other, skey in RELATION if other == key]
        if how in ("inner", "left"):
            found.update((key, place, skey) for skey in matched or [None] * (how == "left"))
        elif bool(matched) == (how == "left_semi"):
            found[key, place] += 1
    return found


def seen(out: Path) -> Counter[Row]:
    """What a reader finds."""
    if not list(out.glob("micro_batch=*")):
        return Counter()
    return Counter(tuple(row.values()) for row in pq.read_table(out).drop_columns(["micro_batch"]).to_pylist())


@pytest.fixture(scope="module")
def relation(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> StoredRelation:
    rows = spark.createDataFrame(RELATION, "id bigint, skey bigint").coalesce(1)
    return StoredRelation.of(rows, tmp_path_factory.mktemp("relation"), key="id", parts=1, page_bytes=64)


@settings(
    deadline=None,
    max_examples=5,
    suppress_health_check=list(HealthCheck),
    # To shrink an example takes many runs of Spark.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
@given(
    batches=st.lists(st.lists(st.sampled_from([None, 0, 1, 3, 7]), max_size=90), min_size=1, max_size=3),
    how=st.sampled_from(["inner", "left", "left_semi", "left_anti"]),
    stops=st.lists(st.tuples(st.sampled_from(STEPS), st.integers(-1, 2)), max_size=4),
    shed=st.lists(st.sampled_from([None, "keep_w", "sample_w", "top_w", "cluster_sampling"]), min_size=1, max_size=3),
)
@example(
    batches=[[1] * 60 + [0, None, 7] * 10, [3] * 90],
    how="left",
    stops=[("renamed", 0), ("written", 1), ("written", -1), ("renamed", -1)],
    shed=["top_w", "sample_w", "keep_w"],
)
def test_results_are_those_of_the_exact_join(
    spark: SparkSession,
    relation: StoredRelation,
    tmp_path: Path,
    batches: list[list[int | None]],
    how: str,
    stops: list[tuple[str, int]],
    shed: list[str | None],
) -> None:
    """Structured Streaming is played: it calls with a number until that was done once, and then with the next one."""
    out = tmp_path / "out"
    shutil.rmtree(out, ignore_errors=True)
    places = iter(range(1000))
    tuples = [[(key, next(places)) for key in batch] for batch in batches]
    wanted = exact([row for batch in tuples for row in batch], how)
    stopping = Stops(stops)
    done = 0

    def run(priority: str | None) -> None:
        nonlocal done
        sink = MicroBatches(
            spark, SCHEMA, relation, out, JoinOptions(on="id", how=how, memory_bytes=1500, shed=priority)
        )
        (out / "_checkpoint").mkdir(exist_ok=True)
        (out / "_checkpoint" / "metadata").touch()
        if priority is None:
            sink.join_shed()
        for number in range(done, len(tuples)):
            sink(spark.createDataFrame(tuples[number], SCHEMA), number)
            stopping.at("joined", number)
            done = number + 1

    # Runs shed by one priority after the other, and the last ones shed nothing.
    priorities: list[str | None] = [*shed, *[None] * (len(stops) + 1)]
    with stopping.watching():
        for priority in priorities:
            with suppress(StoppedError):
                run(priority)
            found = seen(out)
            assert found <= wanted
    assert found == wanted
    assert not [*out.glob("_staging/*"), *out.glob("micro_batch=*/_shed")]
