"""A dump is not read again while its source is as it was."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import StringType
from workbench import MODEL, Workbench

from deltawave.source_state import bytes_of, fingerprint

UNREAD = "no changes, source not read"
ROWS = "select id as account_id, concat('v', id % 3) as name from range({})"


@pytest.fixture
def store(spark: SparkSession, tmp_path: Path) -> Callable[..., str]:
    """Writes rows into a folder of Parquet files that are an hour old, and returns a relation of them."""

    def stored(rows: str, mode: str = "overwrite", age: float = 3600) -> str:
        folder = tmp_path / "source"
        spark.sql(rows).coalesce(1).write.mode(mode).parquet(str(folder))
        written = time.time() - age
        for file in folder.glob("*.parquet"):
            os.utime(file, (written, written))
        return f"parquet.`{folder}`"

    return stored


def test_it_is_read_when_it_has_changed(bench: Workbench, store: Callable[..., str]) -> None:
    """Or a user asks for it, or a file was just written, which may be written once more at the same time."""
    source = store(ROWS.format(10))
    bench.configure(f"select * from {source}")
    bench.build()
    assert len(bench.statements()) <= 20
    assert bench.build().messages[MODEL] == UNREAD
    assert len(bench.statements()) <= 4
    for variable in ("deltawave_read", "deltawave_accept"):
        assert bench.build(None, "--vars", f"{variable}: [{MODEL}]").messages[MODEL] == "no changes"
    store(ROWS.format(12))
    assert bench.build().messages[MODEL] == "1 batch: 2 inserts, 0 deletes, 0 updates"
    assert len(bench.statements()) <= 20
    assert bench.build().messages[MODEL] == UNREAD
    store("select 99L as account_id, 'new' as name", mode="append", age=-60)
    assert bench.build().messages[MODEL] == "1 batch: 1 insert, 0 deletes, 0 updates"
    assert bench.build().messages[MODEL] == "no changes"
    assert bench.batches() == [(1, 10, 0, 0), (2, 2, 0, 0), (3, 1, 0, 0)]


def test_other_files_of_the_same_rows_are_read_once(bench: Workbench, store: Callable[..., str]) -> None:
    bench.configure(f"select * from {store(ROWS.format(10))}")
    bench.build()
    for _ in range(2):
        store(ROWS.format(10))
        assert bench.build().messages[MODEL] == "no changes"
        assert bench.build().messages[MODEL] == UNREAD
    assert len([name for name in bench.names() if "__seen_" in name]) == 1
    store(ROWS.format(11))
    bench.build()
    assert not [name for name in bench.names() if "__seen_" in name]


def test_another_model_reads_it(bench: Workbench, store: Callable[..., str]) -> None:
    """Another select, view or option; a rewind; a new log."""
    source = store(ROWS.format(10))
    bench.add_model("below", f"{{{{ config(materialized='view') }}}} select * from {source}")
    bench.configure("select * from {{ ref('below') }}", full_refresh=True)
    bench.build()
    assert bench.build().messages[MODEL] == UNREAD
    bench.add_model("below", f"{{{{ config(materialized='view') }}}} select * from {source} where account_id < 8")
    assert bench.build().messages[MODEL] == "1 batch: 0 inserts, 2 deletes, 0 updates"
    bench.configure("select * from {{ ref('below') }} where account_id < 7", full_refresh=True)
    assert bench.build().messages[MODEL] == "1 batch: 0 inserts, 1 delete, 0 updates"
    assert bench.build().messages[MODEL] == UNREAD
    bench.configure("select * from {{ ref('below') }} where account_id < 7", full_refresh=True, strategy="union")
    assert bench.build().messages[MODEL] == "no changes"
    assert bench.operate("rewind", model=MODEL, to_batch=2).ok
    assert bench.build().messages[MODEL] == "1 batch: 0 inserts, 1 delete, 0 updates"
    assert bench.operate("compact", model=MODEL).ok
    assert bench.build().messages[MODEL] == "no changes"
    assert bench.build().messages[MODEL] == UNREAD
    assert bench.build(None, "--full-refresh").messages[MODEL] == "1 batch: 7 inserts, 0 deletes, 0 updates"


class TestASourceThatChangesWhileItIsRead:
    macros: ClassVar[dict[str, str]] = {
        "step.sql": """
{% macro default___step(job, batch, name) %}
  {% if name == var('step', 'land') and var('meanwhile', none) %}{% do run_query(var('meanwhile')) %}{% endif %}
{% endmacro %}
"""
    }

    def test_it_is_read_when_it_changes_back(self, bench: Workbench, store: Callable[..., str]) -> None:
        source = store(ROWS.format(10))

        def shown(rows: int) -> str:
            return f"view {bench.schema}.current as select * from {source} where account_id < {rows}"

        bench.spark.sql(f"create {shown(10)}")
        bench.configure(f"select * from {bench.schema}.current")
        bench.build()
        bench.spark.sql(f"create or replace {shown(9)}")
        bench.build(None, "--vars", json.dumps({"meanwhile": f"create or replace {shown(8)}"}))
        assert bench.batches() == [(1, 10, 0, 0), (2, 0, 2, 0)]
        bench.spark.sql(f"create or replace {shown(9)}")
        assert bench.build().messages[MODEL] == "1 batch: 1 insert, 0 deletes, 0 updates"

    def test_a_first_dump_for_hashes_is_copied_then(self, bench: Workbench, store: Callable[..., str]) -> None:
        """What the batch has logged and quarantined by then is dropped."""
        folder = store(f"{ROWS.format(10)} union all select 3, 'twice'").partition("`")[2].rstrip("`")
        source = f"{bench.schema}.delivered"
        bench.spark.sql(f"create table {source} using parquet location '{folder}'")
        bench.configure(f"select * from {source}", strategy="hash_compressed", duplicate_keys="quarantine")
        rows = f"insert overwrite {source} select id as account_id, 'later' as name from range(8)"
        done = bench.build(None, "--vars", json.dumps({"step": "count", "meanwhile": rows}))
        assert "it is read once more, and copied first" in done.text
        copies = [each for each in bench.statements() if "create table" in each and "__slice_1_" in each]
        assert ["nothing boolean" in each for each in copies] == [True, False]
        assert bench.batches() == [(1, 8, 0, 0)]
        assert {name for _, name, _, _ in bench.log()} == {"later"}
        assert bench.spark.table(f"{bench.schema}.{MODEL}__quarantine").isEmpty()
        assert bench.build().messages[MODEL] == "no changes"


@pytest.mark.parametrize(
    "select",
    [
        "select * from {source}",
        "select account_id, max(name) as name from {source} group by account_id having count(*) > 0",
        "with a as (select * from {source}) select a.*, upper(b.name) as other from a join a as b using (account_id)",
        "select * from {source} where account_id in (select id from range(5)) union all select 1, 'x'",
        "select *, row_number() over (order by account_id) as place from {source} order by name limit 3",
    ],
)
def test_a_select_whose_tables_are_known(spark: SparkSession, store: Callable[..., str], select: str) -> None:
    source = store(ROWS.format(10))
    known = fingerprint(spark.sql(select.format(source=source)))
    assert known is not None
    assert fingerprint(spark.sql(select.format(source=source))) == known
    store(ROWS.format(10))
    assert fingerprint(spark.sql(select.format(source=source))) not in (None, known)
    assert fingerprint(spark.sql("select * from (" + select.format(source=source) + ") limit 2")) != known


@pytest.mark.parametrize(
    "select",
    [
        "select *, current_timestamp() as seen from {source}",
        "select * from {source} where account_id > (select day(current_date))",
        "select * from {source} where date_add(date '2026-01-01', int(account_id)) < 'today'",
        "select *, to_date(' Yesterday') as day from {source}",
        "select *, cast('now' as timestamp) as seen from {source}",
        "select *, rand() as chance from {source}",
        "select *, current_user() as who from {source}",
        "select *, input_file_name() as file from {source}",
        "select *, deltawave_own(name) as own from {source}",
        "select * from {source} join deltawave_rows using (account_id)",
        "select transform(account_id) using 'cat' as (account_id string) from {source}",
    ],
)
def test_a_select_that_only_reading_shows(spark: SparkSession, store: Callable[..., str], select: str) -> None:
    spark.udf.register("deltawave_own", lambda name: name, StringType())
    spark.createDataFrame([(1,), (2,)], "account_id long").createOrReplaceTempView("deltawave_rows")
    assert fingerprint(spark.sql(select.format(source=store(ROWS.format(10))))) is None


def test_views_settings_and_partitions_count(spark: SparkSession, store: Callable[..., str], tmp_path: Path) -> None:
    source = store(ROWS.format(10))

    def of_view(text: str) -> str | None:
        spark.sql(f"create or replace temporary view deltawave_below as {text}")
        return fingerprint(spark.sql("select * from deltawave_below"))

    first = of_view(f"select * from {source} where name = 'a#1'")
    assert first is not None
    assert of_view(f"select * from {source} where name = 'a#2'") not in (None, first)
    assert of_view(f"select * from {source} where name = 'a#1'") == first
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    try:
        assert of_view(f"select * from {source} where name = 'a#1'") not in (None, first)
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
    cached = spark.sql(f"select * from {source}").cache()
    try:
        assert fingerprint(spark.sql(f"select * from {source}")) is None
    finally:
        cached.unpersist()


def test_bytes_are_those_of_the_files_that_are_read(bench: Workbench, store: Callable[..., str]) -> None:
    def size(select: str) -> int | None:
        return bytes_of(bench.spark.sql(select))

    source = store(ROWS.format(10))
    folder = Path(source.partition("`")[2].rstrip("`"))
    files = sum(file.stat().st_size for file in folder.glob("*.parquet"))
    assert size(f"select * from {source}") == size(f"select name from {source} where account_id < 2") == files
    assert size(f"select * from {source} union all select * from {source}") == 2 * files
    assert size("select 1 as account_id union all select id from range(3)") == 0
    rows = "select id as account_id, id % 2 as day from range(100)"
    bench.spark.sql(f"create table {bench.schema}.days using parquet partitioned by (day) as {rows}")
    days = [size(f"select * from {bench.schema}.days where day = {day}") or 0 for day in (0, 1)]
    assert min(days) > 0
    assert sum(days) == size(f"select * from {bench.schema}.days")
    # Partitions that are left out only when the files are read.
    bench.spark.sql(rows).write.partitionBy("day").parquet(f"{folder}_by_day")
    assert size(f"select * from parquet.`{folder}_by_day` where day = 0") is None
    bench.spark.sql(f"cache table held as select * from {source}")
    assert size("select * from held") is None
    bench.spark.sql("drop view held")


def test_bytes_of_batches(bench: Workbench) -> None:
    rows = "select id as account_id, if(id < {0}, {0}, 0) as seen from range(400)"
    strategies: dict[str, dict[str, str]] = {
        "outer_join": {},
        "hash_compressed": {},
        "timestamp": {"updated_at": "seen"},
    }
    for seen, (strategy, options) in zip((3, 5, 7), strategies.items(), strict=True):
        bench.configure(strategy=strategy, **options)
        bench.build(rows.format(seen))
    bench.build(rows.format(9))
    whole, compared, _, slice_of = bench.batches("bytes_dump, bytes_full")
    for read, full in (whole, compared):
        assert read == full > 0
    assert 0 < slice_of[0] < slice_of[1]
