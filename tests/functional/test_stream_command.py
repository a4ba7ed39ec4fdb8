"""``deltawave stream``: sources, progress, stopping, and what becomes of bad input."""

import os
import re
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bad_input import messages
from functional.streams import SCHEMA, arrive, results
from kafka import KafkaServer
from pyspark.sql import DataFrame, SparkSession

from deltawave import cli
from deltawave.meshjoin import StoredRelation
from deltawave.meshjoin.batch_folders import BatchFolders
from deltawave.meshjoin.stream_command import asked_to_stop

pytestmark = pytest.mark.usefixtures("interpreted")

NO_ID = (
    r"The stream's file file:\S+ has no column id; it has {names}\. "
    r"Write it again, or take it out of the stream's folder\."
)


def printed(capsys: pytest.CaptureFixture[str]) -> str:
    """What the command prints of an error: all that comes behind Spark's own log."""
    return "".join(capsys.readouterr().err.partition("deltawave stream: ")[1:])


def test_kafka(spark: SparkSession, kafka: KafkaServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two runs of the command over a topic that grows: each message matches the relation once.

    A message that is no row stops the second run. Kept aside, it is there once, and the results are those of the rest.
    """
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
        command += ["--out", str(out), "--parts", "2", "--available-now"]
        if first:
            wrong = spark.sql('select \'[{"id": 1}, {"id": 2}]\' as value')
            wrong.write.format("kafka").option("kafka.bootstrap.servers", kafka.address).option("topic", "sales").save()
            assert cli.main(command) == 1
            message = re.escape(messages("Streams")["a message of Kafka that is no row"])
            shown = rf"deltawave stream: The message at offset .* {message} [^\n]*\n"
            assert re.fullmatch(shown, printed(capsys))
            command += ["--keep-malformed"]
        assert cli.main(command) == 0
    assert ", 1 messages kept aside" in capsys.readouterr().out
    aside = spark.read.json(f"{out}/micro_batch=*/_malformed").collect()
    assert [(row.topic, row.value) for row in aside] == [("sales", '[{"id": 1}, {"id": 2}]')]
    found = results(spark, out).collect()
    assert len(found) == 10
    assert {row.id: row.skey for row in found} == {n: n * 10 if n < 6 else None for n in range(10)}


class TestCommand:
    def test_what_does_not_fit_is_joined_by_a_later_run(
        self, spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        source, out, relation = tmp_path / "stream", tmp_path / "out", tmp_path / "lookup"
        rows = 100_000
        arrive(spark, source, 0, rows)
        lookup = spark.sql("select id, explode(sequence(0, cast(id % 3 as int))) as at from range(9)")
        lookup.write.parquet(str(relation))
        command = ["stream", "--source", str(source), "--relation", str(relation), "--on", "id", "--how", "left"]
        command += ["--out", str(out), "--parts", "1", "--memory", "1", "--available-now"]
        assert cli.main([*command, "--shed", "top_w"]) == 0
        shown = re.search(
            r"batch 0: 100,000 rows in .* rows/s, ([0-9,]+) rows wait for a later pass, shedding (spared|gained)",
            capsys.readouterr().out,
        )
        assert shown
        shed = int(shown[1].replace(",", ""))
        (metrics,) = spark.read.json(f"{out}/micro_batch=*/_metrics").collect()
        assert (metrics.rows, metrics.most_rows, metrics.shed_rows, metrics.tasks) == (rows, rows, shed, 1)
        assert metrics.readings == 1
        assert (round(metrics.spared_seconds, 1) > 0) == (shown[2] == "spared")
        assert 0 < metrics.peak_bytes <= 1 << 20 < metrics.process_bytes
        joined = results(spark, out).select("id", "amount").distinct().count()
        assert joined + shed == rows
        # Of each ten, those that match three rows were kept first.
        assert (
            results(spark, out).where("at = 2").count()
            == spark.read.parquet(str(source)).where("id % 3 = 2 and id < 9").count()
        )
        assert cli.main(command) == 0
        exact = spark.read.parquet(str(source)).join(lookup, "id", "left")
        counted = [frame.groupBy("id", "at").count().collect() for frame in (results(spark, out), exact)]
        assert sorted(map(str, counted[0])) == sorted(map(str, counted[1]))
        assert {path.name for path in out.glob("micro_batch=*")} == {"micro_batch=0", "micro_batch=-1"}

    def test_control_c(
        self, spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It stops the query when the micro-batch is done, and says only that. The folder is named by a URI."""
        out, relation = tmp_path / "out", tmp_path / "lookup"
        spark.sql("select id as value, id * 10 as skey from range(6)").write.parquet(str(relation))

        write, asked = BatchFolders.write, []

        def slowly(self: BatchFolders, rows: DataFrame, batch: int, *rest: Any, **options: Any) -> None:
            def waiting(batches: Iterator[Any]) -> Iterator[Any]:
                time.sleep(2)
                yield from batches

            if not asked and rows.count():
                asked.append(batch)
                os.kill(os.getpid(), signal.SIGINT)
                rows = rows.mapInArrow(waiting, rows.schema)
            write(self, rows, batch, *rest, **options)

        monkeypatch.setattr(BatchFolders, "write", slowly)
        command = ["stream", "--format", "rate", "--option", "rowsPerSecond=20", "--relation", str(relation)]
        assert cli.main([*command, "--on", "value", "--out", out.as_uri(), "--parts", "1"]) == 0
        shown = capsys.readouterr()
        assert "stopped; the next run continues from here" in shown.out
        assert (out / f"micro_batch={asked[0]}").exists()
        assert "Traceback" not in shown.err
        assert not spark.streams.active
        assert StoredRelation.opened(out / "_relation") == StoredRelation.opened(f"file://{out}/_relation") is not None
        with asked_to_stop() as asked:
            signal.raise_signal(signal.SIGTERM)
            assert asked.is_set()
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)

    @pytest.mark.parametrize(
        ("kind", "wrong", "message"),
        [
            ("parquet", "'x' as nr, 2 as amount", NO_ID.format(names="nr, amount")),
            ("orc", "1 as amount", NO_ID.format(names="amount")),
            ("json", "1 as amount, 1 as Id", NO_ID.format(names="amount, Id")),
            (
                "json",
                "'x' as id, 2 as amount",
                r"\[FAILED_READ_FILE\S+\] .*\nCause: \[MALFORMED_RECORD.*\nParse Mode: .*\nCause: \[CANNOT_PARSE.*",
            ),
        ],
    )
    def test_files_of_another_schema(
        self,
        spark: SparkSession,
        tmp_path: Path,
        kind: str,
        wrong: str,
        message: str,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        """Those without the key would vanish in an inner join. A key that is null has been written."""
        source, out, relation = tmp_path / "stream", tmp_path / "out", tmp_path / "lookup"
        spark.sql("select id, id * 10 as skey from range(6)").write.parquet(str(relation))
        good = spark.sql("select explode(array(1L, null)) as id, 2 as amount").write.partitionBy("amount")
        good.option("ignoreNullFields", False).format(kind).save(str(source))
        command = ["stream", "--source", str(source), "--format", kind, "--schema", SCHEMA, "--on", "id"]
        command += ["--parts", "1", "--relation", str(relation), "--out", str(out), "--available-now"]
        assert cli.main(command) == 0
        spark.sql(f"select {wrong}").write.mode("append").format(kind).save(str(source / "amount=2"))
        assert cli.main(command) == 1
        assert re.fullmatch(f"deltawave stream: {message}\n", printed(capsys))
        assert results(spark, out).count() == 1
        shutil.rmtree(source)
        good.save(str(source))
        assert cli.main(command) == 0

    def test_columns_that_come_later_are_left_out(self, spark: SparkSession, tmp_path: Path) -> None:
        """A run without --schema goes on with the columns of the first one."""
        source, out, relation = tmp_path / "stream", tmp_path / "out", tmp_path / "lookup"
        spark.sql("select id, id * 10 as skey from range(6)").write.parquet(str(relation))
        command = ["stream", "--source", str(source), "--on", "id", "--parts", "1", "--relation", str(relation)]
        for columns in ("1L as id", "'new' as note, 2L as id"):
            # Spark takes the schema of the newest file.
            spark.sql(f"select {columns}").coalesce(1).write.mode("overwrite").parquet(str(source))
            assert cli.main([*command, "--out", str(out), "--available-now"]) == 0
        assert results(spark, out).sort("id").collect() == [(1, 10), (2, 20)]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--format", "kafka"], "A stream from Kafka needs --schema"),
            ([], "A stream of parquet files needs --source"),
            (["--on", "id=code"], "--on id=code: id is given twice."),
            (["--pages", "/"], "--pages /: the results (--out "),
            (
                ["--format", "json", "--keep-malformed"],
                "--keep-malformed is for messages of kafka, not for json: take it out.",
            ),
            (["--option", "rowsPerSecond"], "--option rowsPerSecond: write name=value"),
        ],
    )
    def test_what_is_missing(
        self, tmp_path: Path, spark: SparkSession, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        command = ["stream", "--relation", str(tmp_path), "--on", "id", "--out", str(tmp_path / "out"), *options]
        assert cli.main(command) == 1
        assert re.fullmatch(f"deltawave stream: {re.escape(message)}[^\n]*\n", printed(capsys))

    def test_a_folder_without_its_definition(
        self, spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """A run without --schema asks it for the columns."""
        out = tmp_path / "out"
        (out / "_checkpoint").mkdir(parents=True)
        (out / "_checkpoint" / "metadata").touch()
        assert cli.main(["stream", "--relation", str(tmp_path), "--on", "id", "--out", str(out)]) == 1
        message = messages("Streams")["a folder whose definition is missing"]
        assert printed(capsys) == f"deltawave stream: file:{out} {message}\n"
