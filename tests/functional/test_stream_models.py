"""A Python model that joins a stream, run by run: what has landed is joined once, whatever became of the last run."""

import json
import os
import re
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from bad_input import messages
from dbt.tests.util import run_dbt
from functional.streams import failing_after_commit
from html_pages import Page
from kafka import KafkaServer
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from dbt.adapters.deltawave import operation_command
from deltawave import model_runs
from deltawave.meshjoin import StoredRelation, join_new_rows, stream_of
from deltawave.meshjoin.batch_folders import BatchFolders
from deltawave.model_runs import model_run, results_appended

pytestmark = pytest.mark.usefixtures("interpreted", "deltawave_package")

MODEL = """
from deltawave.meshjoin import StoredRelation, join_new_rows, stream_of


def model(dbt, session):
    dbt.config(materialized="incremental", incremental_strategy="append")
    done = session.table(str(dbt.this)) if dbt.is_incremental else None
    landed = stream_of(dbt.source("raw", "landed"), maxFilesPerTrigger="2")
    relation = StoredRelation.alongside_tables(dbt.ref("lookup"), str(dbt.this), key="id", parts=2)
    return join_new_rows(landed, relation, str(dbt.this), done=done, on="id", how="left")
"""
SOURCES = """
version: 2
sources:
  - name: raw
    schema: "{{ target.schema }}"
    tables:
      - name: landed
"""


def kept_streams(spark: SparkSession) -> Path:
    """Where the results of streams are kept, beside the warehouse."""
    return Path(urlsplit(spark.conf.get("spark.sql.warehouse.dir") or "").path).with_name("warehouse_stream_join")


@dataclass(frozen=True)
class Sales:
    """A folder in which rows land, and the table of the model that joins them."""

    spark: SparkSession
    folder: Path
    table: str

    def land(self, first: int, files: int) -> None:
        for at in range(first, first + files):
            rows = self.spark.sql(f"select if(id % 7 = 0, null, id % 25) as id, {at} as file from range(30)")
            rows.coalesce(1).write.mode("append").parquet(str(self.folder))

    def exact(self) -> Counter[Any]:
        """What the table has to hold."""
        rows = self.spark.sql("select id, id * 10 as skey from range(20)")
        joined = self.spark.read.parquet(str(self.folder)).join(rows, "id", "left").select("id", "file", "skey")
        return Counter(joined.collect())

    def found(self) -> Counter[Any]:
        self.spark.catalog.refreshTable(self.table)
        return Counter(self.spark.table(self.table).select("id", "file", "skey").collect())


def run(*options: str, **expected: bool) -> str:
    """The messages of a run."""
    return str([result.message for result in run_dbt(["run", *options], **expected)])


class SalesModel:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        lookup = "{{ config(materialized='table') }} select id, id * 10 as skey from range(20)"
        return {"sales.py": MODEL, "lookup.sql": lookup, "sources.yml": SOURCES}

    @pytest.fixture
    def sales(self, project: Any, spark: SparkSession, tmp_path: Path) -> Sales:
        """Two files have landed."""
        sales = Sales(spark, tmp_path / "landed", f"{project.test_schema}.sales")
        sales.land(0, 2)
        spark.sql(f"create table {project.test_schema}.landed using parquet location '{sales.folder}'")
        return sales


@pytest.mark.core
class TestNewRows(SalesModel):
    def test_rows_that_have_landed_are_joined_once(
        self, sales: Sales, project: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """And the page about the stream shows what that took."""

        def report(file: Path) -> int:
            given = json.dumps({"model": "sales", "format": "html", "output": str(file)})
            return operation_command.main(["report", "report", given, f"--project-dir={project.project_root}"])

        run("--empty")
        assert sales.found() == Counter()
        assert report(tmp_path / "page.html") == 1
        assert "sales is a Python model that has joined no stream yet" in capsys.readouterr().err
        run()
        assert sales.found() == sales.exact()
        sales.land(2, 1)
        for _ in range(2):
            run()
            assert sales.found() == sales.exact()
        assert report(tmp_path / "page.html") == 0
        page = Page((tmp_path / "page.html").read_text(encoding="utf-8"))
        assert f"What the stream took: {sales.table}" in page.text
        assert "micro-batches 2 rows 90 " in page.text


@pytest.mark.hive
class TestModel(SalesModel):
    def test_run_by_run(self, project: Any, spark: SparkSession, sales: Sales, monkeypatch: pytest.MonkeyPatch) -> None:
        table, folder, land, exact, found = sales.table, sales.folder, sales.land, sales.exact, sales.found
        kept = kept_streams(spark) / table
        run("--empty")
        run()
        assert found() == exact()

        # Killed after a micro-batch is committed, before Spark writes that down and dbt stores anything.
        land(2, 3)
        # One of them is much older than those before, as if it had been copied.
        os.utime(max(folder.glob("*.parquet"), key=os.path.getmtime), (1_000_000_000, 1_000_000_000))
        with failing_after_commit():
            assert "failed after the commit" in run(expect_pass=False)
        # And after it, while it appended: some of the files are there, and nobody has reported that all are.
        before = set(spark.table(table).inputFiles())
        with monkeypatch.context() as patch:
            patch.setattr(model_runs, "results_appended", None)
            assert "can't be called" in run(expect_pass=False)
        added = [file for file in spark.table(table).inputFiles() if file not in before]
        one = next(file for file in added if not spark.read.parquet(file).where("micro_batch = 1").isEmpty())
        Path(urlsplit(one).path).unlink()
        run()
        assert found() == exact()

        # Other results: as a --full-refresh leaves them that is killed before it replaces the table, or a model that
        # changes what it gets.
        right = spark.createDataFrame(spark.table(table).collect(), spark.table(table).schema)
        changed = right.withColumn("skey", F.expr("skey + 1"))
        message = messages("Streams")["a table with other results than its stream's"].replace("batch 0", "batch 1")
        half = changed.where("micro_batch = 1").limit(40).union(right.where("micro_batch <> 1"))
        for wrong in (changed, half):
            wrong.write.insertInto(table, overwrite=True)
            assert message in run(expect_pass=False)
        right.write.insertInto(table, overwrite=True)

        # Rows that a model leaves out do not come again. Micro-batches that were found before are not read any more.
        model = Path(project.project_root, "models", "sales.py")
        model.write_text(f'{MODEL.rstrip()}.where("skey is not null")\n')
        run()
        land(5, 1)
        run()
        joined = exact()
        left_out = Counter({row: count for row, count in joined.items() if row.file == 5 and row.skey is None})
        assert left_out
        for file in kept.glob("micro_batch=[012]/*.parquet"):
            file.write_bytes(b"no Parquet")
        model.write_text(MODEL)
        for _ in range(2):
            run()
            assert found() == joined - left_out

        # What was kept for the table is gone.
        shutil.rmtree(kept)
        assert messages("Streams")["a table whose stream's results are missing"] in run(expect_pass=False)
        shutil.rmtree(folder)
        land(9, 1)
        run("--full-refresh")
        assert found() == exact()
        assert sorted(path.name for path in kept.glob("micro_batch=*")) == ["micro_batch=0"]


@pytest.mark.formats
class TestRetained(SalesModel):
    @pytest.fixture(scope="class")
    def models(self, pytestconfig: pytest.Config) -> dict[str, str]:
        lookup = "{{ config(materialized='table') }} select id, id * 10 as skey from range(20)"
        model = MODEL.replace('how="left"', 'how="left", retain="1 day"')
        model = model.replace('"append")', f'"append", file_format="{pytestconfig.option.table_format}")')
        return {"sales.py": model, "lookup.sql": lookup, "sources.yml": SOURCES}

    def test_old_micro_batches_leave_the_table_and_the_folder(
        self, spark: SparkSession, sales: Sales, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        kept = kept_streams(spark) / sales.table

        def age(batch: int) -> None:
            plan = kept / f"micro_batch={batch}" / "_plan"
            plan.with_name("._plan.crc").unlink(missing_ok=True)
            plan.write_text(
                re.sub(r'(?<="batchTimestampMs":)\d+', lambda at: str(int(at[0]) - 2 * 86_400_000), plan.read_text())
            )

        def assert_has(*files: int) -> None:
            assert sales.found() == Counter(row for row in sales.exact().elements() if row.file in files)

        run()
        sales.land(2, 1)
        run()
        age(0)
        # Also without new rows.
        run()
        assert_has(2)
        assert [path.name for path in kept.glob("micro_batch=*")] == ["micro_batch=1"]
        sales.land(3, 1)
        run()
        assert_has(2, 3)
        # Killed after the table, before the folder: the next run goes on.
        age(1)
        with monkeypatch.context() as patch:
            patch.setattr(BatchFolders, "delete", None)
            run(expect_pass=False)
        assert_has(3)
        sales.land(4, 1)
        for _ in range(2):
            run()
            assert_has(3, 4)
        assert sorted(path.name for path in kept.glob("micro_batch=*")) == ["micro_batch=2", "micro_batch=3"]


def test_a_span_is_written_in_words(spark: SparkSession, tmp_path: Path) -> None:
    relation = StoredRelation.of(spark.range(5), tmp_path / "relation", key="id")
    stream = spark.readStream.schema("id long").parquet(str(tmp_path))
    with pytest.raises(ValueError, match="retain can't be '30d': write hours, days or weeks, such as '30 days'"):
        join_new_rows(stream, relation, "spans", done=None, on="id", retain="30d")


DOCS = Path(__file__).resolve().parents[2] / "docs"


class TestKafka:
    """The example of docs/mesh_join.md."""

    @pytest.fixture(scope="class")
    def models(self, kafka: KafkaServer) -> dict[str, str]:
        ((text),) = re.findall(
            r"```python\n((?:(?!```).)*?readStream\.format.*?)```", DOCS.joinpath("mesh_join.md").read_text(), re.S
        )
        lookup = "{{ config(materialized='table') }} select 'k' || id as code, id as customer_key from range(3)"
        return {"orders.py": text.replace("broker:9092", kafka.address), "customer_lookup.sql": lookup}

    def test_run_by_run(
        self, project: Any, spark: SparkSession, kafka: KafkaServer, caplog: pytest.LogCaptureFixture
    ) -> None:
        values = (
            '{"id": 1, "customer": "k1", "amount": 5}',
            '{"id": 2, "customer": "k9", "amount": 6}',
            '{"id": 3, "customer": "k1", "amount": 0}',
            '{"id": 4, "amount": 1}',
            "no JSON",
        )
        messages = spark.createDataFrame([(value,) for value in values], "value string").write.format("kafka")
        messages.option("kafka.bootstrap.servers", kafka.address).option("topic", "orders").save()
        run_dbt(["run", "--empty"])
        # Nothing was joined with the empty lookup.
        run_dbt(["run"])
        found = spark.table(f"{project.test_schema}.orders").select("id", "amount", "customer_key").collect()
        assert sorted(found) == [(1, 5, 1), (2, 6, None)]
        (aside,) = [message.rpartition(" ")[2] for message in caplog.messages if "2 message(s) are no rows" in message]
        assert {row.value for row in spark.read.json(aside).collect()} == set(values[3:])


def test_full_refreshes_that_fail_leave_what_was_complete(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The landing folder no longer has what the first run took: it is in what was set aside."""
    name, landed = f"again_{uuid4().hex}", tmp_path / "landed"
    relation = StoredRelation.of(spark.sql("select id, id * 10 as skey from range(5)"), tmp_path / "relation", key="id")

    def run(done: Any = None) -> list[Any]:
        stream = spark.readStream.schema("id long").option("maxFilesPerTrigger", 1).parquet(str(landed))
        return join_new_rows(stream, relation, name, done=done, on="id").collect()

    def land(*ids: int) -> None:
        shutil.rmtree(landed, ignore_errors=True)
        for number in ids:
            spark.range(number, number + 1).coalesce(1).write.mode("append").parquet(str(landed))

    def done(rows: list[Any]) -> Any:
        return spark.createDataFrame(rows, "id long, skey long, micro_batch long")

    commit = BatchFolders.commit

    def failing(self: BatchFolders, staged: str, number: int) -> None:
        if number == 1:
            raise KeyError("failed")
        commit(self, staged, number)

    land(0, 1)
    first = run()
    assert run(done(first)) == []
    land(2, 3)
    with monkeypatch.context() as patch:
        patch.setattr(BatchFolders, "commit", failing)
        for _ in range(2):
            with pytest.raises(StreamingQueryException, match="failed"):
                run()
    kept = kept_streams(spark)
    assert sorted(spark.read.parquet(str(kept / f".previous.{name}")).collect()) == sorted(first)
    # The table is still complete. To build it anew would lose what only that folder has.
    with pytest.raises(ValueError, match=rf"did not end \(which set aside .*/\.previous\.{name} or .*:"):
        run(done(first))
    # Rows that came by other means are in no folder.
    with pytest.raises(ValueError, match=re.escape(messages("Streams")["a table with rows of no micro-batch"])):
        run(done([*first, (7, 70, None)]))
    # What is wrong is said before anything is set aside.
    stream = spark.readStream.schema("id long").parquet(str(landed))
    with pytest.raises(ValueError, match="needs more than the 10 bytes of memory granted"):
        join_new_rows(stream, relation, name, done=None, on="id", memory_bytes=10)
    assert len(list(kept.glob(f".previous*.{name}"))) == 2
    second = run()
    assert sorted(row.id for row in second) == [2, 3]
    assert len(list(kept.glob(f".previous*.{name}"))) == 3
    assert run(done(second)) == []
    assert len(run()) == 2
    (aside,) = kept.glob(f".previous*.{name}")
    assert sorted(spark.read.parquet(str(aside)).collect()) == sorted(second)


def test_loaded_micro_batches_are_not_read(spark: SparkSession, tmp_path: Path) -> None:
    """A model that leaves out id 0: what it returned is loaded when its other rows are in the table."""
    name, landed, table = f"loaded_{uuid4().hex}", tmp_path / "landed", tmp_path / "table"
    relation = StoredRelation.of(spark.sql("select id, id * 10 as skey from range(5)"), tmp_path / "relation", key="id")
    schema = "id long, skey long, micro_batch long"
    kept = kept_streams(spark)

    def run(*ids: int, where: str | None = None) -> list[int]:
        """The ids of returned rows, after files with these have landed."""
        for number in ids:
            spark.range(number, number + 1).coalesce(1).write.mode("append").parquet(str(landed))
        done = spark.read.schema(schema).parquet(str(table)) if table.exists() else None
        stream = spark.readStream.schema("id long").option("maxFilesPerTrigger", 1).parquet(str(landed))
        with model_run():
            found = join_new_rows(stream, relation, name, done=done, on="id", how="left", where=where)
        return sorted(row.id for row in found.collect())

    def append(number: int, batch: int) -> None:
        row = spark.createDataFrame([(number, number * 10, batch)], schema)
        row.write.partitionBy("micro_batch").mode("append").parquet(str(table))

    # Killed after the append, and before that was reported.
    assert run(0, 1) == [0, 1]
    append(1, 1)
    # The table has no more rows than before: it may have been restored.
    assert run() == [0]
    results_appended()
    assert run(2) == [0, 2]
    append(2, 2)
    results_appended()
    # An earlier state of the table.
    (table / "micro_batch=2").rename(tmp_path / "micro_batch=2")
    assert run() == [0, 2]
    (tmp_path / "micro_batch=2").rename(table / "micro_batch=2")
    results_appended()
    assert run(3) == [3]
    append(3, 3)
    results_appended()
    # What a condition leaves out needs no report.
    assert run(4, 9, where="skey is not null") == [4]
    append(4, 4)
    for folder in (kept / name, table):
        for file in folder.glob("micro_batch=[0-2]/*.parquet"):
            file.write_bytes(b"no Parquet")
    assert run(where="skey is not null") == []
    for file in (kept / name).glob("micro_batch=*/*.parquet"):
        file.write_bytes(b"no Parquet")
    assert run() == []


def test_runs_at_a_time_are_compared_as_a_whole(spark: SparkSession, tmp_path: Path) -> None:
    """Both return the same results: nobody knows whether one or both were appended before the next run looks."""
    name, landed = f"both_{uuid4().hex}", tmp_path / "landed"
    relation = StoredRelation.of(spark.sql("select id from range(5)"), tmp_path / "relation", key="id")
    spark.range(3).write.parquet(str(landed))
    stream = spark.readStream.schema("id long").parquet(str(landed))
    none = spark.createDataFrame([], "id long, micro_batch long")
    rows = [row for done in (None, none) for row in join_new_rows(stream, relation, name, done=done, on="id").collect()]
    assert len(rows) == 6
    results_appended()
    with pytest.raises(ValueError, match=messages("Streams")["a table with results twice"]):
        join_new_rows(stream, relation, name, done=spark.createDataFrame(rows, none.schema), on="id")


def test_what_is_no_table(spark: SparkSession) -> None:
    schema = f"streams_{uuid4().hex}"
    spark.sql(f"create schema {schema}")
    spark.sql(f"create table {schema}.rows using parquet as select 1 as id")
    spark.sql(f"create view {schema}.seen as select * from {schema}.rows")
    rows = spark.table(f"{schema}.rows")
    assert stream_of(rows, maxFilesPerTrigger="1").isStreaming
    assert stream_of(spark.table(f"{schema}.seen")).isStreaming
    assert not stream_of(rows.limit(0)).isStreaming
    spark.sql(f"create view {schema}.some as select id from {schema}.seen where id > 0")
    spark.sql(f"create view {schema}.made as select id + 1 as id from {schema}.rows")
    spark.sql(f"create view {schema}.twice as select id from {schema}.rows union all select id from {schema}.rows")
    views = [spark.table(f"{schema}.{name}") for name in ("some", "made", "twice")]
    for frame in (rows.where("id > 0"), rows.limit(1), *views):
        with pytest.raises(ValueError, match=messages("Streams")["a stream of a view, or of some rows"]):
            stream_of(frame)
    spark.sql(f"drop schema {schema} cascade")


def test_what_is_refused_leaves_what_is_kept(spark: SparkSession, tmp_path: Path) -> None:
    """Also where the stream would begin anew."""
    name, shown = f"kept_{uuid4().hex}", messages("Streams")
    lookup = spark.sql("select id, map('a', 'b') as tags, id * 10 as skey from range(5)")
    relation = StoredRelation.of(lookup.drop("tags"), tmp_path / "relation", key="id")
    spark.range(3).write.parquet(str(tmp_path / "landed"))
    stream = spark.readStream.schema("id long").parquet(str(tmp_path / "landed"))
    rows = join_new_rows(stream, relation, name, done=None, on="id")
    assert rows.count() == 3
    with pytest.raises(ValueError, match="needs a stream"):
        join_new_rows(spark.range(1), relation, name, done=None, on="id")
    with pytest.raises(ValueError, match="A stream has no end"):
        join_new_rows(stream, relation, name, done=None, on="id", how="right_anti")
    tagged = StoredRelation.of(lookup, tmp_path / "tagged", key="id")
    with pytest.raises(ValueError, match=re.escape(shown["a column that can't be compared"])):
        join_new_rows(stream, tagged, name, done=None, on="id")
    sampled = {"on": "id", "shed": "sample_w", "done": None}
    with pytest.raises(ValueError, match="name another one for the probability"):
        join_new_rows(stream, relation, name, probability="SKEY", **sampled)
    found = join_new_rows(stream, relation, f"sampled_{name}", probability="p", **sampled)
    assert sorted((row.id, row.p) for row in found.collect()) == [(0, 1.0), (1, 1.0), (2, 1.0)]
    for done, kind in (
        (rows.drop("skey"), "a table without a column of its stream's results"),
        (rows.union(rows), "a table with results twice"),
    ):
        with pytest.raises(ValueError, match=shown[kind].replace("micro_batch", "skey")):
            join_new_rows(stream, relation, name, done=done, on="id")
    assert join_new_rows(stream, relation, name, done=rows.where("id < 2"), on="id").collect() == [(2, 20, 0)]
    with pytest.raises(ValueError, match=r"the results of another join\. Its columns"):
        join_new_rows(stream, tagged, name, done=rows, on="id", how="left_semi")
