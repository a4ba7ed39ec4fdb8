"""stream_join: each tuple of a stream matches the whole relation once, over restarts, kills and changed relations."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from bad_input import messages
from functional.streams import arrive, failing_after_commit, join, opened, results, rows_of, stored
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from deltawave.meshjoin import Between, StoredRelation, stream_join
from deltawave.meshjoin.batch_folders import BatchFolders

pytestmark = pytest.mark.usefixtures("interpreted")


def test_a_relation_that_changes_between_batches(spark: SparkSession, tmp_path: Path) -> None:
    source, out = tmp_path / "stream", tmp_path / "out"
    for rows in (5, 25):
        arrive(spark, source, 1, 9)
        join(spark, source, lambda rows=rows: stored(spark, tmp_path / "relation", rows), out)
    assert sorted(row.id for row in results(spark, out).collect()) == sorted([*range(1, 5), *range(1, 10)])


def test_a_rate_source_and_other_conditions(spark: SparkSession, tmp_path: Path) -> None:
    relation = spark.sql("select id * 100 as low, id * 100 + 99 as high, id as class from range(100)")
    pages = StoredRelation.of(relation, tmp_path / "relation", parts=2)
    stream = spark.readStream.format("rate").option("rowsPerSecond", 50).load()
    query = stream_join(stream, pages, tmp_path / "out", condition=Between("value", "low", "high"), every="1 second")
    try:
        while not any(progress["numInputRows"] for progress in query.recentProgress):
            assert query.exception() is None
            query.awaitTermination(0.2)
    finally:
        query.stop()
    found = results(spark, tmp_path / "out").collect()
    assert found
    assert all(row["class"] == row.value // 100 for row in found)


# Joins what is there, and is killed before the second micro-batch is committed.
KILLED = """
import os, signal, sys
from pyspark.sql import SparkSession
from deltawave.meshjoin import StoredRelation, stream_join
from deltawave.meshjoin.batch_folders import BatchFolders

source, relation, out = sys.argv[1:]
settings = {"spark.ui.enabled": "false", "spark.sql.codegen.wholeStage": "false"}
session = SparkSession.builder.master("local[1]").config(map=settings).getOrCreate()
commit = BatchFolders.commit

def killed(self, staged, number):
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    commit(self, staged, number)

BatchFolders.commit = killed
stream = session.readStream.schema("id bigint, amount int").option("maxFilesPerTrigger", 1).parquet(source)
stream_join(stream, StoredRelation.opened(relation), out, on="id", how="left", available_now=True).awaitTermination()
"""


def test_killed_between_steps(spark: SparkSession, tmp_path: Path) -> None:
    """Before a micro-batch is committed, and after that, before Spark writes down that it is done."""
    source, out = tmp_path / "stream", tmp_path / "out"
    relation = stored(spark, tmp_path / "relation")
    for file in range(3):
        arrive(spark, source, 100 * file, 30)
    environment = dict(os.environ, PYSPARK_PYTHON=sys.executable)
    arguments = [sys.executable, "-c", KILLED, str(source), str(tmp_path / "relation"), str(out)]
    ended = subprocess.run(arguments, env=environment, capture_output=True)
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()[-2000:]
    assert list(out.glob("_staging/1/*/*.parquet"))
    assert {row["micro_batch"] for row in spark.read.parquet(str(out)).select("micro_batch").collect()} == {0}

    with failing_after_commit(2), pytest.raises(StreamingQueryException, match="failed after the commit"):
        join(spark, source, relation, out, how="left")
    assert {row["micro_batch"] for row in spark.read.parquet(str(out)).select("micro_batch").collect()} == {0, 1, 2}

    join(spark, source, relation, out, how="left")
    rows = spark.sql("select id, id * 10 as skey from range(20)")
    assert rows_of(results(spark, out)) == rows_of(spark.read.parquet(str(source)).join(rows, "id", "left"))
    assert sorted(path.name for path in out.glob("micro_batch=*")) == [f"micro_batch={number}" for number in range(3)]
    assert not list(out.glob("_staging/*"))


def test_a_folder_that_is_named_from_here(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Hadoop is; Python may have gone elsewhere since."""
    here = Path(spark._jvm.System.getProperty("user.dir"))  # type: ignore[union-attr]
    monkeypatch.chdir("/")
    BatchFolders(spark, os.path.relpath(tmp_path / "out", here)).write(spark.range(1), 0)
    assert spark.read.parquet(str(tmp_path / "out")).collect() == [(0, 0)]


def test_probabilities_of_a_sample(spark: SparkSession, tmp_path: Path) -> None:
    """One part has most of the stream. A later pass adds results, which no estimate from the sample counts."""
    source, out, count = tmp_path / "stream", tmp_path / "out", 40_000
    spark.sql(f"select if(id % 8 = 0, 2L, 1L) as id, 0 as amount from range(0, {count}, 1, 1)").write.parquet(
        str(source)
    )
    relation = stored(spark, tmp_path / "relation")
    for shed in ("sample_w", None):
        join(spark, source, relation, out, how="left_semi", memory_bytes=200_000, shed=shed, probability="p")
        by_key = results(spark, out).groupBy("id").agg(F.expr("sum(1 / p)").alias("all"), F.expr("count(*) as joined"))
        found = {row.id: row for row in by_key.collect()}
        assert found[1]["all"] == pytest.approx(count * 7 / 8, rel=0.1)
        assert found[2]["all"] == pytest.approx(count / 8, rel=0.1)
        assert (found[1].joined == count * 7 / 8) == (shed is None)
    passes = spark.read.json(f"{out}/micro_batch=*/_metrics").sort("micro_batch").collect()
    assert [row.micro_batch for row in passes] == [-1, 0]
    assert passes[1].rows == count
    assert passes[0].rows == passes[1].shed_rows > 0
    assert passes[0].readings > passes[1].readings == 1


@pytest.mark.parametrize("is_local", [True, False], ids=["local", "another"])
def test_two_queries_in_one_folder(spark: SparkSession, tmp_path: Path, is_local: bool) -> None:
    """One of them commits a micro-batch, and what the other one writes meanwhile is not removed."""
    out = str(tmp_path / "out")
    if not is_local:
        # A file system that Python does not know.
        spark._jsc.hadoopConfiguration().set("fs.viewfs.mounttable.mesh.link./out", f"file://{tmp_path}")
        out = "viewfs://mesh/out/out"
    first, second = BatchFolders(spark, out), BatchFolders(spark, out)
    staged = {number: f"{out}/_staging/{number}/first" for number in (0, 1)}
    for folder in staged.values():
        spark.range(3).write.parquet(folder)
    second.open({})
    second.write(spark.range(3), 0)
    spark.range(3).write.mode("overwrite").parquet(staged[0])
    with pytest.raises(RuntimeError, match="Another query has written micro-batch 0 into"):
        first.commit(staged[0], 0)
    first.commit(staged[1], 1)
    assert first.finish_committed(1)
    assert spark.read.parquet(out).groupBy("micro_batch").count().sort("micro_batch").collect() == [(0, 3), (1, 3)]
    # Other readers as well.
    assert pq.read_table(tmp_path / "out").num_rows == 6
    assert not list((tmp_path / "out").glob("_staging/*"))


def aside(spark: SparkSession, folder: Path) -> list[int]:
    """How many rows each folder has that was set aside, in the order of their names."""
    names = [".previous.out", *(f".previous-{number}.out" for number in range(2, 6))]
    count = len([path for path in folder.glob(".previous*.out") if ".other." not in path.name])
    return [spark.read.parquet(str(folder / name)).count() for name in names[:count]]


class TestBadInput:
    def test_it_is_refused_before_the_stream_starts(self, spark: SparkSession, tmp_path: Path) -> None:
        (tmp_path / "stream").mkdir()
        stream, relation = opened(spark, tmp_path / "stream"), stored(spark, tmp_path / "relation")
        shown, other = messages("Streams"), {"on": None, "condition": Between("id", "id")}
        for frame, options, message in (
            (spark.range(3), {}, "stream_join needs a stream (readStream)"),
            (stream, {"how": "right_anti"}, "A stream has no end"),
            (stream, {"on": {"amount": "id"}}, "The key is of type int32 in the stream (amount), int64"),
            (stream, {"shed": "top"}, shown["an unknown priority"]),
            (stream, {**other, "shed": "keep_w"}, shown["shedding under another condition"]),
            (stream, {"shed": "keep_w", "probability": "p"}, shown["a probability of rows that are kept by rule"]),
            (stream, {"probability": "Amount"}, shown["a probability with the name of another column"]),
            (stream, {"malformed": "wrong"}, "The stream has no column wrong; it has id, amount"),
            (stream.withColumnRenamed("amount", "Micro_Batch"), {}, "The results get a column micro_batch"),
        ):
            with pytest.raises(ValueError, match=re.escape(message)):
                stream_join(frame, relation, tmp_path / "out", **{"on": "id", **options})  # type: ignore[arg-type]
        assert not (tmp_path / "out").exists()

    def test_batches_without_their_checkpoint(self, spark: SparkSession, tmp_path: Path) -> None:
        BatchFolders(spark, tmp_path / "out").write(spark.range(1), 0)
        with pytest.raises(ValueError, match=r"has batches of a stream whose checkpoint \(_checkpoint\) is missing"):
            BatchFolders(spark, tmp_path / "out").open({})
        (tmp_path / "out" / "_checkpoint").mkdir()
        (tmp_path / "out" / "_checkpoint" / "metadata").touch()
        for refused in (lambda folders: folders.open({}), BatchFolders.stream_schema):
            with pytest.raises(
                ValueError, match=re.escape(messages("Streams")["a folder whose definition is missing"])
            ):
                refused(BatchFolders(spark, tmp_path / "out"))

    def test_a_checkpoint_of_previous_days(self, spark: SparkSession, tmp_path: Path) -> None:
        """Its stream numbers other rows by a number that is there."""
        folders = BatchFolders(spark, tmp_path / "out")
        folders.write(spark.range(1), 0)
        folders.write(spark.range(1), 1)
        assert folders.finish_committed(1)
        message = re.escape(messages("Streams")["a folder whose checkpoint is older"])
        with pytest.raises(ValueError, match=message):
            folders.finish_committed(0)
        source, out = tmp_path / "stream", tmp_path / "joined"
        relation = stored(spark, tmp_path / "relation")
        for run in range(2):
            arrive(spark, source, 100 * run, 5)
            join(spark, source, relation, out, how="left")
            if not run:
                shutil.copytree(out / "_checkpoint", tmp_path / "saved")
        shutil.copytree(out / "_checkpoint", tmp_path / "newest")
        shutil.rmtree(out / "_checkpoint")
        shutil.copytree(tmp_path / "saved", out / "_checkpoint")
        arrive(spark, source, 200, 5)
        with pytest.raises(StreamingQueryException, match=message.replace("0", "1")):
            join(spark, source, relation, out, how="left")
        shutil.rmtree(out / "_checkpoint")
        shutil.copytree(tmp_path / "newest", out / "_checkpoint")
        join(spark, source, relation, out, how="left")
        assert results(spark, out).count() == 15

    def test_a_stream_that_begins_again(self, spark: SparkSession, tmp_path: Path) -> None:
        """What it had is set aside until the next time that a table had results."""
        folders, other = BatchFolders(spark, tmp_path / "out"), tmp_path / ".previous.other.out"
        other.mkdir()
        folders.set_aside()
        for rows, is_confirmed, kept in (
            (1, True, [1]),
            (2, False, [1, 2]),
            (3, False, [1, 2, 3]),
            (4, True, [4]),
            # A run that failed before it had any results.
            (0, False, [4]),
        ):
            if rows:
                folders.write(spark.range(rows), 0)
            else:
                (tmp_path / "out" / "_staging").mkdir(parents=True)
            if is_confirmed:
                folders.confirm()
            folders.set_aside()
            assert not (tmp_path / "out").exists()
            assert aside(spark, tmp_path) == kept
        assert other.exists()

    @pytest.mark.parametrize(
        ("confirmed", "rows", "kept"),
        [
            # The folder was confirmed before those that were set aside after it: it does not supersede them.
            (1, 2, [1, 2]),
            # It supersedes those before it, not others that have their names since.
            (3, 4, [3, 4]),
        ],
    )
    def test_a_folder_that_was_set_aside_and_put_back(
        self, spark: SparkSession, tmp_path: Path, confirmed: int, rows: int, kept: list[int]
    ) -> None:
        folders = BatchFolders(spark, tmp_path / "out")
        for number in range(1, rows + 1):
            folders.write(spark.range(number), 0)
            if number == confirmed:
                folders.confirm()
                assert folders.is_confirmed
            folders.set_aside()
        (tmp_path / ".previous.out").rename(tmp_path / "out")
        folders.confirm()
        assert [Path(folder).name for folder in folders.previous(0)] == [".previous-2.out"]
        assert folders.previous(1) == []
        folders.set_aside()
        assert aside(spark, tmp_path) == kept

    def test_a_folder_that_is_a_pattern(self, spark: SparkSession, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match=re.escape(messages("Streams")["a folder with brackets in its path"])):
            BatchFolders(spark, tmp_path / "out[1]")

    def test_a_restart_with_another_join(self, spark: SparkSession, tmp_path: Path) -> None:
        source, out = tmp_path / "stream", tmp_path / "out"
        relation = stored(spark, tmp_path / "relation")
        arrive(spark, source, 1, 9)
        other = StoredRelation.of(spark.sql("select id, 'x' as skey from range(9)"), tmp_path / "other", key="id")
        rows = StoredRelation.of(spark.sql("select id as code from range(9)"), tmp_path / "rows")
        join(spark, source, relation, out)
        options: dict[str, Any]
        for now, options, message in (
            (relation, {"how": "left_anti"}, "another join. Its how: inner; now: left_anti"),
            (other, {}, "columns: id bigint, amount int, skey bigint; now: id bigint, amount int, skey str"),
            (rows, {"condition": Between("id", "code")}, r"Its condition: Equal\(.*; now: Between\("),
        ):
            with pytest.raises(ValueError, match=message):
                join(spark, source, now, out, **options)
        # While it runs.
        arrive(spark, source, 20, 9)
        asked = iter([relation, other])
        with pytest.raises(StreamingQueryException, match="the results of another join"):
            join(spark, source, lambda: next(asked), out)
        join(spark, source, relation, out)
        assert results(spark, out).count() == 13

    def test_a_batch_that_fails_loses_nothing(self, spark: SparkSession, tmp_path: Path) -> None:
        source, out = tmp_path / "stream", tmp_path / "out"
        relation = stored(spark, tmp_path / "relation")
        arrive(spark, source, 1, 9)
        with pytest.raises(ValueError, match=r"needs more than the 100 bytes of memory granted: .* 12 for a tuple"):
            join(spark, source, relation, out, memory_bytes=100)
        assert not out.exists()
        # The narrowest tuples would fit, of which there are none.
        wide = opened(spark, source).withColumn("text", F.expr("repeat('x', 10000)"))
        query = stream_join(wide, relation, out, on="id", memory_bytes=5000, available_now=True)
        with pytest.raises(StreamingQueryException, match="needs more than the 5,000 bytes of memory granted"):
            query.awaitTermination()
        stream_join(wide, relation, out, on="id", available_now=True).awaitTermination()
        assert results(spark, out).count() == 9
