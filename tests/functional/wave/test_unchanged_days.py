"""Days of a wave index whose files are as they were are not read again; and which selects show the files of a day."""

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from functional.wave.test_wave_index import CONFIG, configure
from pyspark.sql import DataFrame, SparkSession
from workbench import MODEL, Workbench

from deltawave.partition_states import partition_states
from deltawave.source_state import fingerprint
from deltawave.wave import WaveIndex
from deltawave.wave.materialization import days_to_remember, plan
from deltawave.wave.tables import Day, WaveSpec
from deltawave.wave.wave_table import delivered

# A run of a new wave index.
RUN = {
    "settings": CONFIG
    | {"spread": False, "update_technique": "packed_shadow", "clip": True, "lead_days": 0, "gaps": None},
    "record": None,
    "drop": [],
    "started_at": "2026-02-01",
    "accept": False,
    "schema": "s",
    "model": "m",
}


@pytest.fixture
def write(spark: SparkSession, tmp_path: Path) -> Callable[..., Path]:
    """Writes one more file into a folder, such as ``day=2026-01-01``, and returns it; it is an hour old."""

    def written(folder: str, age: float = 3600) -> Path:
        place = tmp_path / "source" / folder
        before = {*place.glob("*.parquet")}
        spark.range(3).toDF("supplier").coalesce(1).write.mode("append").parquet(str(place))
        (file,) = {*place.glob("*.parquet")} - before
        os.utime(file, (time.time() - age,) * 2)
        return file

    return written


def spoil(file: Path) -> None:
    """Make a file unreadable, of the same size and time."""
    there = file.stat()
    file.write_bytes(b"?" * there.st_size)
    os.utime(file, ns=(there.st_atime_ns, there.st_mtime_ns))


def test_only_days_with_other_files_are_read(bench: Workbench, write: Callable[..., Path], tmp_path: Path) -> None:
    def day(number: int, age: float = 3600) -> Path:
        return write(f"day=2026-01-{number:02}", age)

    def done(*args: str) -> str:
        bench.spark.sql(f"alter table {bench.schema}.dump recover partitions")
        return bench.build(None, *args).messages[MODEL]

    configure(bench, full_refresh=True)
    columns = f"(supplier bigint, day date) using parquet partitioned by (day) location '{tmp_path / 'source'}'"
    bench.spark.sql(f"create table {bench.schema}.dump {columns}")
    files = [day(number) for number in (1, 2, 3)]
    assert done() == "1 batch: 9 inserts, 0 deletes, 0 updates"
    for file in files:
        spoil(file)
    day(4)
    assert done() == "1 batch: 3 inserts, 3 deletes, 0 updates"
    # Asked to read all days, or to build the index anew, a run cannot.
    for args in (["--vars", f"deltawave_read: [{MODEL}]"], ["--full-refresh"]):
        assert not bench.run(*args).ok
    # Only the index has a day that the source no longer has; another day gets a file.
    bench.spark.sql(f"alter table {bench.schema}.dump drop partition (day = '2026-01-03')")
    shutil.rmtree(files[2].parent)
    late = day(4)
    assert done() == "1 batch: 6 inserts, 3 deletes, 0 updates"
    # A file that was just written may be written again. All other days are remembered.
    day(5, age=0)
    assert done() == "1 batch: 3 inserts, 3 deletes, 0 updates"
    spoil(late)
    assert done() == "no changes"
    rows = bench.spark.table(f"{bench.schema}.{MODEL}").groupBy("day").count().orderBy("day").collect()
    assert [(str(row.day), row["count"]) for row in rows] == [("2026-01-03", 3), ("2026-01-04", 6), ("2026-01-05", 3)]


# A table, and the statement that deletes a row of its second day and leaves the files that have the others.
TABLES = {
    "parquet": ("", "insert overwrite {dump} partition (day = '2026-01-02') values (0), (2)"),
    "delta": (
        "tblproperties ('delta.enableDeletionVectors' = 'true')",
        "delete from {dump} where day = '2026-01-02' and supplier = 1",
    ),
    "iceberg": (
        "tblproperties ('format-version' = '2', 'write.delete.mode' = 'merge-on-read')",
        "delete from {dump} where day = '2026-01-02' and supplier = 1",
    ),
}


@pytest.mark.formats
def test_only_days_of_a_table_with_other_files_are_read(bench: Workbench) -> None:
    """Also where a version of the table says which files are its own, and which of their rows are deleted."""
    dump = f"{bench.schema}.dump"
    properties, delete = TABLES[bench.file_format]

    def add(day: int) -> None:
        values = f"select cast(id as bigint) as supplier, date '2026-01-{day:02}' as day from range(3)"
        bench.spark.sql(f"insert into {dump} select /*+ coalesce(1) */ supplier, day from ({values})")

    def files(day: int) -> list[Path]:
        """The files of a day, which are an hour old then."""
        warehouse = bench.spark.conf.get("spark.sql.warehouse.dir", "").removeprefix("file:")
        found = [*Path(warehouse).rglob(f"{bench.schema}*/dump/**/day=2026-01-{day:02}/*.parquet")]
        for file in found:
            os.utime(file, (time.time() - 3600,) * 2)
        return found

    configure(bench, full_refresh=True)
    columns = f"(supplier bigint, day date) using {bench.file_format} partitioned by (day) {properties}"
    bench.spark.sql(f"create table {dump} {columns}")
    for number in (1, 2, 3):
        add(number)
    (old,), _, _ = map(files, (1, 2, 3))
    assert bench.build(None).messages[MODEL] == "1 batch: 9 inserts, 0 deletes, 0 updates"
    spoil(old)
    bench.spark.sql(delete.format(dump=dump))
    files(2)
    assert bench.build(None).messages[MODEL] == "1 batch: 2 inserts, 3 deletes, 0 updates"
    add(4)
    files(4)
    assert bench.build(None).messages[MODEL] == "1 batch: 3 inserts, 3 deletes, 0 updates"
    assert not bench.run("--vars", f"deltawave_read: [{MODEL}]").ok


# What hides the files of a day.
HIDDEN = {
    "parquet": ["insert into {dump} values (1, null)"],
    "delta": ["alter table {dump} set tblproperties ('delta.columnMapping.mode' = 'name')"],
    "iceberg": ["insert into {dump} values (1, null)", "alter table {dump} drop partition field day"],
}


@pytest.mark.formats
def test_tables_that_do_not_show_the_files_of_a_day(bench: Workbench) -> None:
    dump = f"{bench.schema}.dump"

    def states() -> dict[str, str] | None:
        return partition_states(bench.spark.sql(f"select * from {dump}"), "day", "")

    for hide in HIDDEN[bench.file_format]:
        bench.spark.sql(f"create table {dump} (supplier int, day date) using {bench.file_format} partitioned by (day)")
        bench.spark.sql(f"insert into {dump} values (1, date '2026-01-01')")
        assert states() is not None
        bench.spark.sql(hide.format(dump=dump))
        assert states() is None
        bench.spark.sql(f"drop table {dump} purge")


# Commits after the first one to a table, each undone by the next.
UNDONE = {
    "parquet": [],
    "delta": ["insert into {dump} values (2, date '2026-01-01')", "restore table {dump} to version as of 1"],
    "iceberg": [
        "insert into {dump} values (2, date '2026-01-01')",
        "call spark_catalog.system.rollback_to_snapshot('{dump}', {snapshot})",
    ],
}


@pytest.mark.formats
def test_a_day_whose_files_went_and_came_back_while_it_was_summed_is_read_again(bench: Workbench) -> None:
    dump = f"{bench.schema}.dump"
    bench.spark.sql(f"create table {dump} (supplier bigint, day date) using {bench.file_format} partitioned by (day)")
    bench.spark.sql(f"insert into {dump} values (1, date '2026-01-01')")
    snapshot = None
    if bench.file_format == "iceberg":
        ((snapshot,),) = bench.spark.sql(f"select snapshot_id from {dump}.snapshots").collect()

    def rows() -> DataFrame:
        return bench.spark.sql(f"select * from {dump}")

    found = plan(rows(), **RUN)

    def remembered() -> str:
        kept = {name: found[name] for name in ("days", "states", "version")}
        return days_to_remember(rows(), settings=RUN["settings"], text="", **kept)

    assert ("2026-01-01" in remembered()) == (bench.file_format != "parquet")
    for commit in UNDONE[bench.file_format]:
        bench.spark.sql(commit.format(dump=dump, snapshot=snapshot))
    assert partition_states(rows(), "day", "") is not None
    assert rows().count() == 1
    assert not remembered()


@pytest.mark.formats
def test_columns_may_be_spelt_in_another_way(bench: Workbench) -> None:
    dump = f"{bench.schema}.dump"
    bench.spark.sql(f"create table {dump} (supplier bigint, day date) using {bench.file_format} partitioned by (day)")
    bench.spark.sql(f"insert into {dump} values (1, date '2026-01-01')")
    found = partition_states(bench.spark.sql(f"select supplier, DAY from {dump}"), "DAY", "")
    assert found is not None
    assert [*found] == ["2026-01-01"] * (bench.file_format != "parquet")


@pytest.mark.formats
def test_how_iceberg_finds_the_columns_of_imported_files_counts(bench: Workbench) -> None:
    """It is a property of the table, and in none of its versions."""
    dump = f"{bench.schema}.dump"
    bench.spark.sql(f"create table {dump} (supplier bigint, day date) using {bench.file_format} partitioned by (day)")
    bench.spark.sql(f"insert into {dump} values (1, date '2026-01-01')")
    found = []
    for column in ("supplier", "other"):
        names = json.dumps([{"field-id": 1, "names": [column]}, {"field-id": 2, "names": ["day"]}])
        bench.spark.sql(f"alter table {dump} set tblproperties ('schema.name-mapping.default' = '{names}')")
        rows = bench.spark.sql(f"select * from {dump}")
        found.append((partition_states(rows, "day", ""), fingerprint(rows)))
    (states, whole), (other_states, other_whole) = found
    assert (states != other_states) == (bench.file_format == "iceberg")
    # Of Delta, the change is a version.
    assert (whole != other_whole) == (bench.file_format != "parquet")


def test_known_days_are_not_read(spark: SparkSession, write: Callable[..., Path], tmp_path: Path) -> None:
    spec = WaveSpec(
        WaveIndex("del", 3, 2), "packed_shadow", "day", "supplier", (("supplier", "bigint"), ("day", "date"))
    )
    old, _ = write("day=2026-01-01"), write("day=2026-01-02")
    rows = spark.sql(f"select supplier, day from parquet.`{tmp_path / 'source'}` where supplier > 0")
    spoil(old)
    known = Day("2026-01-01", 7, "a")
    assert [(day.value, day.rows) for day in delivered(rows, spec, [known])] == [("2026-01-01", 7), ("2026-01-02", 2)]


def test_an_edited_select_reads_all_days(spark: SparkSession, write: Callable[..., Path], tmp_path: Path) -> None:
    """Also where Spark plans it as before."""
    old = write("day=2026-01-01")
    rows = spark.sql(f"select supplier, day from parquet.`{tmp_path / 'source'}` where supplier > 0")
    found = plan(rows, **RUN, text="a")
    remembered = days_to_remember(rows, settings=RUN["settings"], days=found["days"], states=found["states"], text="a")
    spoil(old)
    assert plan(rows, **RUN, remembered=remembered, text="a")["days"] == found["days"]
    with pytest.raises(Exception, match=old.name):
        plan(rows, **RUN, remembered=remembered, text="b")


@pytest.mark.parametrize(
    "select",
    [
        "select * from {source}",
        "with a as (select *, day as date from {source}) select date as day, explode(array(1, supplier)) as x from a",
        "select upper(region) as region, day from (select * from {source} where supplier > 1) where region <> 'q'",
    ],
)
def test_the_state_of_a_day_is_that_of_its_files(
    spark: SparkSession, write: Callable[..., Path], tmp_path: Path, select: str
) -> None:
    def states(purpose: str = "") -> dict[str, str]:
        found = partition_states(spark.sql(select.format(source=f"parquet.`{tmp_path / 'source'}`")), "day", purpose)
        assert found is not None
        return found

    for folder in ("region=a/day=1", "region=a/day=2", "region=b/day=2", "region=a/day=03"):
        write(folder)
    first = states()
    assert first.keys() == {"1", "2", "3"}
    assert states() == first
    write("region=b/day=02", age=60)
    write("region=a/day=4", age=0)
    (tmp_path / "source" / "region=a" / "day=1" / "_ignored").touch()
    second = states()
    assert second.keys() == first.keys()
    assert {day for day in first if first[day] != second[day]} == {"2"}
    shutil.rmtree(tmp_path / "source" / "region=a" / "day=03")
    assert states() == {day: second[day] for day in ("1", "2")}
    assert not {*states("other").values()} & {*second.values()}


def test_views_and_settings_count(
    spark: SparkSession, write: Callable[..., Path], tmp_path: Path, setting: Callable[[str, str], Any]
) -> None:
    write("day=2026-01-01")

    def state(condition: str) -> str | None:
        text = f"select * from parquet.`{tmp_path / 'source'}` where {condition}"
        spark.sql(f"create or replace temporary view deltawave_below as {text}")
        return (partition_states(spark.sql("select * from deltawave_below"), "day", "") or {}).get("2026-01-01")

    found = [state("supplier > 1"), state("supplier > 2")]
    with setting("spark.sql.session.timeZone", "Asia/Tokyo"):
        found.append(state("supplier > 1"))
    assert state("supplier > 1") == found[0]
    assert None not in found
    assert len({*found}) == 3


@pytest.mark.parametrize(
    "select",
    [
        "select supplier, date_add(day, 0) as day from {source}",
        "select supplier as day from {source}",
        "select distinct * from {source}",
        "select *, row_number() over (order by supplier) as place from {source}",
        "select * from {source} union all select * from {source}",
        "select * from {source} limit 2",
        "select * from {source} where supplier in (select id from range(5))",
        "select *, current_timestamp() as now from {source}",
        "select *, rand() as chance from {source}",
        "select day, id from {source} cross join range(1)",
        "select 1 as day",
    ],
)
def test_selects_that_do_not_show_the_files_of_a_day(
    spark: SparkSession, write: Callable[..., Path], tmp_path: Path, select: str
) -> None:
    write("day=2026-01-01")
    frame = spark.sql(select.format(source=f"parquet.`{tmp_path / 'source'}`"))
    assert partition_states(frame, "day", "") is None


@pytest.mark.parametrize(
    "folders",
    [
        ["day=2026-01-01", "day=__HIVE_DEFAULT_PARTITION__"],
        ["day=null"],
        ["region=a,b/day=1"],
        ["day=1.5"],
        ["day=1/region=a,b"],
    ],
)
def test_folders_that_do_not_show_the_files_of_a_day(
    spark: SparkSession, write: Callable[..., Path], tmp_path: Path, folders: list[str]
) -> None:
    for folder in folders:
        write(folder)
    assert partition_states(spark.read.parquet(str(tmp_path / "source")), "day", "") is None


def test_rows_that_an_unreadable_file_lacks_are_not_remembered(
    spark: SparkSession, write: Callable[..., Path], tmp_path: Path, setting: Callable[[str, str], Any]
) -> None:
    write("day=2026-01-01")
    source = str(tmp_path / "source")
    assert partition_states(spark.read.parquet(source), "day", "")
    with setting("spark.sql.files.ignoreCorruptFiles", "true"):
        assert partition_states(spark.read.parquet(source), "day", "") is None
    assert partition_states(spark.read.option("ignoreMissingFiles", True).parquet(source), "day", "") is None


def test_default_values_count(bench: Workbench, write: Callable[..., Path], tmp_path: Path) -> None:
    write("day=2026-01-01")
    found = []
    for default in (7, 8):
        columns = f"(supplier bigint, more int default {default}, day date) using parquet partitioned by (day)"
        bench.spark.sql(f"create table {bench.schema}.rows {columns} location '{tmp_path / 'source'}'")
        bench.spark.sql(f"alter table {bench.schema}.rows recover partitions")
        select = bench.spark.sql(f"select supplier, more + 0 as more, day from {bench.schema}.rows")
        assert {row.more for row in select.collect()} == {default}
        found.append(partition_states(select, "day", ""))
        bench.spark.sql(f"drop table {bench.schema}.rows")
    assert None not in found
    assert found[0] != found[1]


def test_partitions_of_the_catalog(bench: Workbench, write: Callable[..., Path]) -> None:
    """They may have any folder, also the same one, and Spark reads no files below it."""
    table, place = f"{bench.schema}.days", f"partitioned by (day) location '{write('days').parent}'"
    bench.spark.sql(f"create table {table} (supplier bigint, day string) using parquet {place}")

    def add(day: str, file: Path) -> None:
        bench.spark.sql(f"alter table {table} add partition (day = '{day}') location '{file.parent}'")

    def states(condition: str = "true") -> dict[str, str] | None:
        return partition_states(bench.spark.sql(f"select * from {table} where {condition}"), "day", "")

    add("x, y", file := write("one"))
    add("[z]", write("two"))
    first = states() or {}
    assert first.keys() == {"x, y", "[z]"}
    spec = WaveSpec(
        WaveIndex("del", 3, 2), "packed_shadow", "day", "supplier", (("supplier", "bigint"), ("day", "string"))
    )
    days = delivered(bench.spark.table(table), spec, [Day("x, y", 1, "a")])
    assert [(day.value, day.rows) for day in days] == [("x, y", 1), ("[z]", 3)]
    assert (states("day > 'a'") or {}).keys() == {"x, y"}
    bench.spark.sql(f"alter table {table} partition (day = '[z]') set location '{write('three').parent}'")
    second = states() or {}
    assert {day for day in first if first[day] != second[day]} == {"[z]"}
    add("same", file)
    assert states() is None
    bench.spark.sql(f"alter table {table} drop partition (day = 'same')")
    assert states() == second
    write("two/below")
    write("three/below")
    assert states() is None
