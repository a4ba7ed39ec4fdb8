"""stream_join: each tuple of a stream meets the whole relation once, over restarts, kills and changed relations."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from kafka import KafkaServer
from pyspark.errors import PySparkException, StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

from deltawave import cli
from deltawave.meshjoin import Between, StoredRelation, stream_join
from deltawave.meshjoin.batch_folders import BatchFolders
from deltawave.meshjoin.messages import json_rows
from deltawave.meshjoin.stream_command import asked_to_stop

pytestmark = pytest.mark.usefixtures("interpreted")

SCHEMA = "id bigint, amount int"


def arrive(spark: SparkSession, folder: Path, first: int, count: int) -> None:
    """A file of tuples."""
    ids = f"if(id % 10 = 0, null, id % 25) as id, cast(id as int) as amount from range({first}, {first + count}, 1, 1)"
    spark.sql(f"select {ids}").write.mode("append").parquet(str(folder))


def opened(spark: SparkSession, folder: Path, files: int = 1) -> DataFrame:
    return spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", files).parquet(str(folder))


def stored(spark: SparkSession, folder: Path, rows: int = 20) -> StoredRelation:
    relation = spark.sql(f"select id, id * 10 as skey from range({rows})")
    return StoredRelation.of(relation, folder, key="id", parts=2)


def rows_of(frame: DataFrame) -> Counter[Any]:
    return Counter(str(sorted(row.asDict().items())) for row in frame.collect())


def results(spark: SparkSession, folder: Path) -> DataFrame:
    return spark.read.parquet(str(folder)).drop("micro_batch")


def test_runs_follow_each_other(spark: SparkSession, tmp_path: Path) -> None:
    source, out = tmp_path / "stream", tmp_path / "out"
    relation = stored(spark, tmp_path / "relation")
    for run in range(2):
        arrive(spark, source, 100 * run, 60)
        stream_join(opened(spark, source, 1), relation, out, on="id", how="left", available_now=True).awaitTermination()
    expected = spark.read.parquet(str(source)).join(
        spark.sql("select id, id * 10 as skey from range(20)"), "id", "left"
    )
    assert rows_of(results(spark, out)) == rows_of(expected)
    assert {row["micro_batch"] for row in spark.read.parquet(str(out)).select("micro_batch").collect()} == {0, 1}


def test_a_relation_that_changes_between_batches(spark: SparkSession, tmp_path: Path) -> None:
    source, out = tmp_path / "stream", tmp_path / "out"
    known = [5]
    for rows in (5, 25):
        known[0] = rows
        arrive(spark, source, 1, 9)
        query = stream_join(
            opened(spark, source),
            lambda: stored(spark, tmp_path / "relation", known[0]),
            out,
            on="id",
            available_now=True,
        )
        query.awaitTermination()
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
session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
commit = BatchFolders.commit

def killed(self, staged, number):
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    commit(self, staged, number)

BatchFolders.commit = killed
stream = session.readStream.schema("id bigint, amount int").option("maxFilesPerTrigger", 1).parquet(source)
stream_join(stream, StoredRelation.opened(relation), out, on="id", how="left", available_now=True).awaitTermination()
"""


def test_killed_between_steps(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before a micro-batch is committed, and after that, before Spark writes down that it is done."""
    source, out = tmp_path / "stream", tmp_path / "out"
    relation = stored(spark, tmp_path / "relation")
    for file in range(4):
        arrive(spark, source, 100 * file, 30)
    environment = dict(os.environ, PYSPARK_PYTHON=sys.executable)
    arguments = [sys.executable, "-c", KILLED, str(source), str(tmp_path / "relation"), str(out)]
    ended = subprocess.run(arguments, env=environment, capture_output=True)
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()[-2000:]
    assert list(out.glob("_staging/1/*/*.parquet"))
    assert {row["micro_batch"] for row in spark.read.parquet(str(out)).select("micro_batch").collect()} == {0}

    commit = BatchFolders.commit

    def failing(self: BatchFolders, staged: str, number: int) -> None:
        commit(self, staged, number)
        if number == 2:
            raise KeyError("failed after the commit")

    with monkeypatch.context() as patch:
        patch.setattr(BatchFolders, "commit", failing)
        query = stream_join(opened(spark, source), relation, out, on="id", how="left", available_now=True)
        with pytest.raises(StreamingQueryException, match="failed after the commit"):
            query.awaitTermination()
    assert {row["micro_batch"] for row in spark.read.parquet(str(out)).select("micro_batch").collect()} == {0, 1, 2}

    stream_join(opened(spark, source), relation, out, on="id", how="left", available_now=True).awaitTermination()
    rows = spark.sql("select id, id * 10 as skey from range(20)")
    assert rows_of(results(spark, out)) == rows_of(spark.read.parquet(str(source)).join(rows, "id", "left"))
    assert sorted(path.name for path in out.glob("micro_batch=*")) == [f"micro_batch={number}" for number in range(4)]
    assert not list(out.glob("_staging/*"))


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
    assert first.has(1)
    assert spark.read.parquet(out).groupBy("micro_batch").count().sort("micro_batch").collect() == [(0, 3), (1, 3)]
    # Other readers as well.
    assert pq.read_table(tmp_path / "out").num_rows == 6
    assert not list((tmp_path / "out").glob("_staging/*"))


def test_kafka(spark: SparkSession, kafka: KafkaServer, tmp_path: Path) -> None:
    """Two runs of the command over a topic that grows: each message meets the relation once."""
    relation, out = tmp_path / "lookup", tmp_path / "out"
    spark.sql("select id as code, id * 10 as skey from range(6)").write.parquet(str(relation))
    options = ["--option", f"kafka.bootstrap.servers={kafka.address}", "--option", "subscribe=sales"]
    options += ["--option", "startingOffsets=earliest", "--format", "kafka", "--schema", SCHEMA]
    for first in (0, 5):
        sold = spark.sql(
            f"select to_json(struct(id, cast(id as int) as amount)) as value from range({first}, {first + 5})"
        )
        sold.write.format("kafka").option("kafka.bootstrap.servers", kafka.address).option("topic", "sales").save()
        command = ["stream", *options, "--relation", str(relation), "--on", "id=code", "--how", "left"]
        assert cli.main([*command, "--out", str(out), "--parts", "2", "--available-now"]) == 0
    found = results(spark, out).collect()
    assert len(found) == 10
    assert {row.id: row.skey for row in found} == {n: n * 10 if n < 6 else None for n in range(10)}


GOOD = ['{"id": 1, "amount": 2}', '{"amount": 3}', "{}", '{"id": null, "note": "more"}', None]


class TestMessages:
    """Values of Kafka are JSON of a schema, or an error that says where they are."""

    def messages(self, spark: SparkSession, values: list[str | None]) -> DataFrame:
        rows = [(value, "sales", 3, 40 + place) for place, value in enumerate(values)]
        return spark.createDataFrame(rows, "value string, topic string, partition int, offset bigint")

    def test_fields_may_be_missing(self, spark: SparkSession) -> None:
        found = json_rows(self.messages(spark, GOOD), SCHEMA).collect()
        assert found == [(1, 2), (None, 3), (None, None), (None, None)]

    @pytest.mark.parametrize("value", ['{"id": "x"}', '{"di": 1}', "no", "", "[1]"])
    def test_others_are_told(self, spark: SparkSession, value: str) -> None:
        found = self.messages(spark, [*GOOD, value])
        with pytest.raises(PySparkException, match="The message at offset 45 of partition 3 of topic sales is no JSON"):
            json_rows(found, SCHEMA).collect()
        kept = json_rows(found, f"{SCHEMA}, _corrupt_record string").collect()
        assert [tuple(row) for row in kept][3:] == [(None, None, None), (None, None, value)]


class TestCommand:
    def test_progress(self, spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        source, out, relation = tmp_path / "stream", tmp_path / "out", tmp_path / "lookup"
        arrive(spark, source, 1, 9)
        spark.sql("select id as code, id * 10 as skey from range(6)").write.parquet(str(relation))
        command = ["stream", "--source", str(source), "--relation", str(relation), "--on", "id=code", "--how", "left"]
        assert cli.main([*command, "--out", str(out), "--parts", "2", "--available-now"]) == 0
        assert "batch 0: 9 rows in" in capsys.readouterr().out
        found = results(spark, out).collect()
        assert {row.id: row.skey for row in found} == {n: n * 10 if n < 6 else None for n in range(1, 10)}

    def test_control_c(self, spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """It stops the query, and nothing is printed but that. The folder is named by a URI."""
        out, relation = tmp_path / "out", tmp_path / "lookup"
        spark.sql("select id as value, id * 10 as skey from range(6)").write.parquet(str(relation))

        def interrupt() -> None:
            while not list(out.glob("micro_batch=*")) and threading.main_thread().is_alive():
                time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt, daemon=True).start()
        command = ["stream", "--format", "rate", "--option", "rowsPerSecond=20", "--relation", str(relation)]
        assert cli.main([*command, "--on", "value", "--out", out.as_uri(), "--parts", "1"]) == 0
        told = capsys.readouterr()
        assert "stopped; the next run goes on from here" in told.out
        assert "Traceback" not in told.err
        assert not spark.streams.active
        assert StoredRelation.opened(out / "_relation") == StoredRelation.opened(f"file://{out}/_relation") is not None
        with asked_to_stop() as asked:
            signal.raise_signal(signal.SIGTERM)
        assert asked.is_set()

    @pytest.mark.parametrize(
        ("kind", "message"),
        [("parquet", r"The stream's file file:.* has no column id; it has nr, amount\."), ("json", "MALFORMED_RECORD")],
    )
    def test_files_of_another_schema(
        self, spark: SparkSession, tmp_path: Path, kind: str, message: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        source, out, relation = tmp_path / "stream", tmp_path / "out", tmp_path / "lookup"
        spark.sql("select id, id * 10 as skey from range(6)").write.parquet(str(relation))
        writer = spark.sql("select 1L as id, 2 as amount").write.partitionBy("amount").format(kind)
        writer.save(str(source))
        wrong = spark.sql("select 'x' as nr, 2 as amount" if kind == "parquet" else "select 'x' as id, 2 as amount")
        wrong.write.mode("append").format(kind).save(str(source / "amount=2"))
        command = [
            "stream",
            "--source",
            str(source),
            "--format",
            kind,
            "--schema",
            SCHEMA,
            "--on",
            "id",
            "--parts",
            "1",
        ]
        command += ["--relation", str(relation), "--out", str(out), "--available-now"]
        assert cli.main(command) == 1
        assert re.search(message, capsys.readouterr().err)
        shutil.rmtree(source)
        writer.save(str(source))
        assert cli.main(command) == 0

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--format", "kafka"], "A stream from Kafka needs --schema"),
            ([], "A stream of parquet files needs --source"),
            (["--on", "id=code"], "--on id=code: id is given twice."),
            (["--option", "rowsPerSecond"], "--option rowsPerSecond: write name=value"),
        ],
    )
    def test_what_is_missing(
        self, tmp_path: Path, spark: SparkSession, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        command = ["stream", "--relation", str(tmp_path), "--on", "id", "--out", str(tmp_path / "out"), *options]
        assert cli.main(command) == 1
        assert message in capsys.readouterr().err


class TestBadInput:
    def test_it_is_refused_before_the_stream_starts(self, spark: SparkSession, tmp_path: Path) -> None:
        (tmp_path / "stream").mkdir()
        stream, relation = opened(spark, tmp_path / "stream"), stored(spark, tmp_path / "relation")
        for frame, options, message in (
            (spark.range(3), {"on": "id"}, r"stream_join needs a stream \(readStream\)"),
            (stream, {"on": "id", "how": "right_anti"}, "A stream has no end"),
            (stream, {"on": {"amount": "id"}}, r"The key is of type int32 in the stream \(amount\), int64"),
            (stream.withColumnRenamed("amount", "micro_batch"), {"on": "id"}, "The results get a column micro_batch"),
        ):
            with pytest.raises(ValueError, match=message):
                stream_join(frame, relation, tmp_path / "out", **options)  # type: ignore[arg-type]
        assert not (tmp_path / "out").exists()

    def test_batches_without_their_checkpoint(self, spark: SparkSession, tmp_path: Path) -> None:
        BatchFolders(spark, tmp_path / "out").write(spark.range(1), 0)
        with pytest.raises(ValueError, match=r"has batches of a stream whose checkpoint \(_checkpoint\) is missing"):
            BatchFolders(spark, tmp_path / "out").open({})
        (tmp_path / "out" / "_checkpoint").mkdir()
        (tmp_path / "out" / "_checkpoint" / "metadata").touch()
        with pytest.raises(ValueError, match="has a checkpoint, but no _definition"):
            BatchFolders(spark, tmp_path / "out").open({})

    def test_a_restart_with_another_join(self, spark: SparkSession, tmp_path: Path) -> None:
        source, out = tmp_path / "stream", tmp_path / "out"
        relation = stored(spark, tmp_path / "relation")
        arrive(spark, source, 1, 9)
        other = StoredRelation.of(spark.sql("select id, 'x' as skey from range(9)"), tmp_path / "other", key="id")
        rows = StoredRelation.of(spark.sql("select id as code from range(9)"), tmp_path / "rows")

        def join(relation: Any, **options: Any) -> None:
            stream_join(opened(spark, source), relation, out, available_now=True, **options).awaitTermination()

        join(relation, on="id")
        for now, options, message in (
            (relation, {"on": "id", "how": "left_anti"}, "another join. Its how: inner; now: left_anti"),
            (
                other,
                {"on": "id"},
                "columns: id bigint, amount int, skey bigint; now: id bigint, amount int, skey str",
            ),
            (rows, {"condition": Between("id", "code")}, r"Its condition: Equal\(.*; now: Between\("),
        ):
            with pytest.raises(ValueError, match=message):
                join(now, **options)
        # While it runs.
        arrive(spark, source, 20, 9)
        asked = iter([relation, other])
        with pytest.raises(StreamingQueryException, match="the results of another join"):
            join(lambda: next(asked), on="id")
        join(relation, on="id")
        assert results(spark, out).count() == 13

    def test_a_batch_that_fails_loses_nothing(self, spark: SparkSession, tmp_path: Path) -> None:
        source, out = tmp_path / "stream", tmp_path / "out"
        relation = stored(spark, tmp_path / "relation")
        arrive(spark, source, 1, 9)
        query = stream_join(opened(spark, source), relation, out, on="id", memory_bytes=100, available_now=True)
        with pytest.raises(StreamingQueryException, match="needs more than the 100 bytes of memory granted"):
            query.awaitTermination()
        stream_join(opened(spark, source), relation, out, on="id", available_now=True).awaitTermination()
        assert results(spark, out).count() == 9
