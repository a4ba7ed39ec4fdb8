"""What is read in place of tables of each format, against Spark: --table-format chooses the format."""

import re
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from pyspark.sql import DataFrame, SparkSession
from workbench import MODEL, SEVERAL, Workbench

from deltawave import source_state
from deltawave.differencing.local_engine import LocalEngine
from deltawave.rows.in_place import RowGroups, map_rows
from deltawave.rows.parquet_files import NotInPlaceError
from deltawave.rows.plain_scans import is_plain_scan
from deltawave.source_state import fingerprint
from deltawave.sql_text import quoted

pytestmark = [pytest.mark.usefixtures("heard"), pytest.mark.formats]

ROW = """
    id as account_id, concat('name of ', id) as name, cast(id % 3 as int) as branch, cast(id as decimal(9, 2)) as amount
"""
# The last column can be dropped, as Hive's metastore sees it.
NUMBERS = """
    select cast(id % 3 as tinyint) as tiny, cast(id * -7 as smallint) as small,
           if(id = 3, null, cast(id as int)) as whole,
           array(float('nan'), float('-0.0'), float(0.1), float('-inf'), null)[id] as share, 12.34BD * id as amount,
           timestamp'2024-01-01 00:00:00Z' as seen_at, concat('name of ', id) as name
    from range(5)
"""
MORE = "more than all rows"
ADDED = "alter table {table} add column code int; insert into {table} select * except (code), 1 as code from {table}"
DELETED = "delete from {table} where tiny = 1 and small = -7"
# By format: what is done to the table of NUMBERS, options of the table, the select, and why it is not read in place.
ANY = [
    ("", "", "select * from {table}", None),
    ("", "", "select name as tiny, small as name, whole as a, whole as b from {table}", None),
    ("", "", "select bigint(small) as k from (select tiny as name, whole as small from {table})", None),
    ("", "", "select int(tiny) as b, bigint(tiny) as c, bigint(int(small)) as d from {table}", None),
    (
        "",
        "",
        "select double(share) as share, cast(amount as decimal(38, 9)) as whole, string(name) as name from {table}",
        None,
    ),
    ("", "", "select int(share) as share from {table}", "share is cast from float to int"),
    ("", "", "select date(name) as name from {table}", "name is cast from string to date"),
    ("", "", "select double(bigint(whole)) as whole from {table}", "whole is cast from int to double"),
    ("", "", "select tinyint(small) as small from {table}", "small is cast from"),
    ("", "", "select name from {table} where tiny > 0", MORE),
    ("", "partitioned by (tiny)", "select small as small_one, name from {table}", None),
    ("", "partitioned by (tiny)", "select whole, name from {table} where tiny in (0, 2)", None),
    ("", "partitioned by (tiny)", "select whole, name from {table} where tiny = 1 and small = -7", MORE),
    ("", "partitioned by (tiny)", "select tiny as other, name from {table}", "values"),
]
# Iceberg has no smaller numbers.
SMALL = ("", "", "select smallint(tiny) as a, smallint(small) as b from {table}", None)
CASES = {
    "parquet": [*ANY, SMALL],
    "delta": [
        *ANY,
        SMALL,
        ("update {table} set name = 'new' where small < -7", "", "select name as title from {table}", None),
        ("update {table} set name = 'new'", "", "select name as title from {table} version as of 0", None),
        ("alter table {table} add column code int", "", "select *, code as other from {table}", "no file has"),
        (ADDED, "", "select * from {table}", None),
        ("", "tblproperties ('delta.enableDeletionVectors' = 'true')", "select * from {table}", None),
        (DELETED, "tblproperties ('delta.enableDeletionVectors' = 'true')", "select * from {table}", MORE),
        ("", "tblproperties ('delta.columnMapping.mode' = 'name')", "select * from {table}", "other names of columns"),
    ],
    "iceberg": [
        *ANY,
        ("update {table} set name = 'new' where small < -7", "", "select name as title from {table}", None),
        ("delete from {table} where tiny > 0", "", "select * from {table}", None),
        (DELETED, "tblproperties ('write.delete.mode' = 'merge-on-read')", "select * from {table}", "deleted"),
        ("alter table {table} rename column name to title", "", "select title from {table}", "other numbers or names"),
        ("alter table {table} rename column name to title", "", "select whole from {table}", None),
        (
            "alter table {table} drop column name; alter table {table} add column name string",
            "",
            "select name, whole from {table}",
            "other numbers or names",
        ),
        ("alter table {table} alter column whole type bigint", "", "select whole from {table}", "holds whole as int32"),
        (ADDED, "", "select * from {table}", None),
        ("alter table {table} create branch other", "", "select * from {table}.branch_other", MORE),
        ("", "partitioned by (bucket(2, whole))", "select whole, name from {table}", None),
        ("", "tblproperties ('write.format.default' = 'orc')", "select * from {table}", "not Parquet"),
    ],
}


@pytest.fixture
def kind(request: pytest.FixtureRequest) -> str:
    found: str = request.config.option.table_format
    return found


@pytest.fixture
def schema(spark: SparkSession) -> Iterator[str]:
    name = f"in_place_{uuid4().hex}"
    spark.sql(f"create schema {name}")
    yield name
    spark.sql(f"drop schema {name} cascade")


def rows(frame: DataFrame) -> list[str]:
    """Texts of the rows, in which minus zero and no number are like themselves alone."""
    return sorted(map(repr, frame.collect()))


def in_place(frame: DataFrame) -> list[list[str]]:
    """The frame's rows as DuckDB and tasks read them."""
    with LocalEngine(frame.sparkSession, 1 << 28) as engine:
        # Text is binary in DuckDB, and Spark reads it as text again.
        by_duckdb = rows(engine.frame(engine.in_place(frame), frame.schema))
    groups = RowGroups.of(frame)
    return [by_duckdb, rows(map_rows(frame, list(map(quoted, frame.columns)), lambda each: each, frame.schema, groups))]


def test_rows_are_those_of_spark_or_not_read_in_place(spark: SparkSession, schema: str, kind: str) -> None:
    for number, (statements, options, select, reason) in enumerate(CASES[kind]):
        table = f"{schema}.case_{number}"
        spark.sql(f"create table {table} using {kind} {options} as {NUMBERS}")
        for statement in filter(None, statements.split("; ")):
            spark.sql(statement.format(table=table))
        frame = spark.sql(select.format(table=table))
        case = f"{statements} {options} {select}"
        if reason is None:
            assert in_place(frame) == [rows(frame)] * 2, case
            assert is_plain_scan(frame), case
        else:
            with pytest.raises(NotInPlaceError) as raised:
                in_place(frame)
            assert reason in str(raised.value), case


def test_a_log_is_that_of_a_join(
    bench: Workbench, kind: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a first dump, too, that is not copied, since its files are known at once."""
    monkeypatch.setattr(source_state, "_SETTLED_SECONDS", -60)
    select = (
        "select account_id, name as branch, bigint(branch) as place, cast(amount as decimal(12, 3)) as amount "
        "from {{ target.schema }}.stored"
    )
    bench.configure(select, strategy="hash_compressed")
    bench.add_differential("joined", select, strategy="outer_join")
    bench.spark.sql(f"create schema if not exists {bench.schema}")
    bench.spark.sql(f"create table {bench.schema}.stored using {kind} as select {ROW} from range(40)")
    bench.build(None, *SEVERAL)
    changed = f"select {ROW.replace('id % 3', 'if(id < 5, 7, id % 3)')} from range(42) where id <> 30"
    bench.spark.sql(f"create table {bench.schema}.next using {kind} as {changed}")
    bench.spark.sql(f"insert overwrite {bench.schema}.stored select * from {bench.schema}.next")
    bench.build(None, *SEVERAL)
    assert "Spark reads the rows" not in caplog.text
    columns = "_batch_id, _change_type, account_id, branch, place, amount, _before.place"
    assert bench.log(columns, MODEL) == bench.log(columns, "joined")
    assert bench.batches("inserts, deletes, updates") == [(40, 0, 0), (2, 1, 5)]


def test_a_version_that_comes_back_is_another_state(
    spark: SparkSession, schema: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first dump is read twice, and is the same if its state is: a rollback in between must show."""
    # New files are known at once.
    monkeypatch.setattr(source_state, "_SETTLED_SECONDS", -60)
    table = f"{schema}.versions"
    spark.sql(f"create table {table} using {kind} as {NUMBERS}")
    before = fingerprint(spark.table(table))
    back = f"insert overwrite {table} {NUMBERS}"
    if kind == "delta":
        back = f"restore table {table} to version as of 0"
    elif kind == "iceberg":
        (first,) = spark.sql(f"select snapshot_id from {table}.snapshots").collect()
        back = f"call spark_catalog.system.rollback_to_snapshot('{table}', {first.snapshot_id})"
    spark.sql(f"insert into {table} {NUMBERS}")
    spark.sql(back)
    after = fingerprint(spark.table(table))
    assert None not in (before, after)
    assert before != after
    assert spark.table(table).count() == 5


def test_a_file_that_spark_reads_twice_is_left_to_spark(spark: SparkSession, tmp_path: Path) -> None:
    folder = str(tmp_path / "rows")
    spark.range(3).write.parquet(folder)
    twice = spark.read.parquet(folder, folder)
    assert twice.count() == 6
    with pytest.raises(NotInPlaceError, match="several times"):
        in_place(twice)


class TestUnchangedRowGroups:
    macros = {"many.sql": "{% macro default___many_rows() %}{{ return(1) }}{% endmacro %}"}

    def test_a_table_of_which_few_files_change(self, bench: Workbench, kind: str) -> None:
        table = f"{bench.schema}.stored"
        bench.spark.sql(f"create schema if not exists {bench.schema}")
        bench.spark.sql(f"create table {table} using {kind} as select /*+ repartition(3, id) */ {ROW} from range(90)")
        select = "select * from {{ target.schema }}.stored"
        bench.configure(select, strategy="hash_compressed")
        bench.add_differential("joined", select, strategy="outer_join")
        bench.build(None, *SEVERAL)
        unchanged = []
        for begin in (90, 95, 100):
            if begin == 100 and kind != "parquet":
                # The file of one row is written again.
                bench.spark.sql(f"delete from {table} where account_id = 5")
            bench.spark.sql(f"insert into {table} select /*+ coalesce(1) */ {ROW} from range({begin}, {begin + 5})")
            text = bench.build(None, *SEVERAL).text
            unchanged.append(re.findall(r"(\d) of \d row groups are as they were", text))
        # The last but one file is known if it takes as many bytes as an earlier one.
        assert unchanged[:2] == [[], ["4"]]
        assert unchanged[2] in (["4"], ["5"] if kind == "parquet" else ["3"])
        assert bench.log() == bench.log(model="joined")
