"""Wave indexes on Spark: after every transition the view has the window's rows, and probes and scans equal a filter."""

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from bad_input import messages
from functional.wave.days import Row, bag, batch, counted, day, expected, frame, spec, tables_left, tables_named
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from deltawave.wave import SCHEMES, WaveIndex
from deltawave.wave.access import index_probe, segment_scan, timed_index_probe, timed_segment_scan
from deltawave.wave.tables import TECHNIQUES, WaveRecord, WaveSpec
from deltawave.wave.wave_table import WaveTable, columns_of

pytestmark = pytest.mark.usefixtures("interpreted")

MESSAGES = messages("Wave indices")
CLOCK_SET_BACK = [datetime(2026, 10, 25, hour, 30, tzinfo=timezone.utc) for hour in (0, 1)]
# W, n and technique of each scheme, of which one is drawn: W divisible by n or not, or a day in each constituent.
COMBINATIONS = {
    "del": [(4, 2, "in_place"), (5, 2, "packed_shadow")],
    "reindex": [(4, 2, "simple_shadow"), (5, 3, "packed_shadow")],
    "reindex_plus": [(4, 2, "in_place"), (3, 3, "packed_shadow")],
    "reindex_plus_plus": [(4, 2, "simple_shadow"), (5, 2, "in_place")],
    "wata": [(5, 3, "in_place"), (4, 4, "packed_shadow")],
    "rata": [(5, 3, "simple_shadow"), (4, 3, "in_place")],
}


@pytest.fixture
def table(spark: SparkSession) -> Iterator[WaveTable]:
    schema = f"wave_{uuid4().hex[:8]}"
    spark.sql(f"create schema {schema}")
    yield WaveTable(spark, schema, "postings")
    spark.sql(f"drop schema {schema} cascade")


def record_of(spark: SparkSession, table: WaveTable) -> WaveRecord:
    return WaveRecord.from_json(tables_named(spark, table))


def shown_days(spark: SparkSession, table: WaveTable) -> set[int]:
    record = record_of(spark, table)
    return {day for each in record.constituents for day in each.days if day >= record.first_shown}


def take(table: WaveTable, chosen: WaveSpec, *batches: list[Row], **options: Any) -> list[str]:
    rows = [row for rows in batches for row in rows]
    return [late.value for late in table.update(frame(table.session, rows), chosen, **options)]


def files_read(rows: DataFrame) -> dict[str, int]:
    """How many files of each table the tasks of a query read."""
    leaves = rows._jdf.queryExecution().executedPlan().collectLeaves()
    found = {}
    for place in range(leaves.size()):
        leaf = leaves.apply(place)
        if leaf.nodeName().startswith("Scan parquet"):
            tasks = leaf.inputRDD().partitions()
            found[leaf.tableIdentifier().get().table()] = sum(len(task.files()) for task in tasks)
    return found


@pytest.mark.parametrize("scheme", COMBINATIONS)
def test_every_transition(spark: SparkSession, table: WaveTable, seed: int, scheme: str) -> None:
    window, n, technique = random.Random(f"{seed} {scheme}").choice(COMBINATIONS[scheme])
    chosen = spec(WaveIndex(scheme, window, n), technique, clip=False)
    last = window + -(-window // n) + 1
    batches = {number: batch(number) for number in range(1, last + 1)}
    take(table, chosen, *(batches[number] for number in range(1, window + 1)))
    for newest in range(window, last + 1):
        if newest > window:
            take(table, chosen, batches[newest])
        record = record_of(spark, table)
        days = shown_days(spark, table)
        needed = set(range(newest - window + 1, newest + 1))
        assert days == needed if SCHEMES[scheme].is_hard else needed <= days
        assert counted(spark.table(table.view)) == expected(batches, sorted(days))
        # What is no longer needed is gone.
        named = {name.split("`")[3] for name in record.table_names}
        assert tables_left(spark, table) == named
        assert len(list(files(spark, table))) == len(named)
    wanted = [row for number in sorted(days) for row in batches[number]]
    assert counted(index_probe(spark, table.view, 2)) == bag([row for row in wanted if row[1] == 2])
    assert counted(segment_scan(spark, table.view)) == bag(wanted)
    low, high = day(newest - window + 2), day(newest - 1)
    some = [row for row in wanted if low <= row[0] <= high]
    assert counted(timed_segment_scan(spark, table.view, low, high)) == bag(some)
    assert counted(timed_index_probe(spark, table.view, 1, low, high)) == bag([row for row in some if row[1] == 1])


def files(spark: SparkSession, table: WaveTable) -> Iterator[Path]:
    """The folders of tables, as they are on the disk."""
    place = spark.sql(f"describe schema {table.schema}").where("info_name = 'Location'").first()
    yield from Path(place["info_value"].removeprefix("file:")).iterdir()


def rows_read(rows: DataFrame) -> int:
    """How many rows Spark reads from files, before conditions on rows."""
    plan: Any = rows._jdf.queryExecution()  # type: ignore[operator]
    plan.toRdd().count()
    leaves = plan.executedPlan().collectLeaves()
    return sum(leaves.apply(place).metrics().apply("numOutputRows").value() for place in range(leaves.size()))


def test_only_constituents_and_buckets_that_can_have_rows_are_read(spark: SparkSession, table: WaveTable) -> None:
    chosen = spec(WaveIndex("wata", 4, 3), "packed_shadow", buckets=4)
    take(table, chosen, *(batch(number, 40) for number in range(1, 5)))
    whole = files_read(segment_scan(spark, table.view))
    assert len(whole) == 3
    # A packed index has a file for each bucket.
    assert set(whole.values()) <= {2, 3, 4}
    assert all(count == 1 for count in files_read(index_probe(spark, table.view, 2)).values())
    newest = record_of(spark, table).constituents[2].name.split("`")[3]
    assert set(files_read(timed_segment_scan(spark, table.view, day(4), None))) == {newest}
    assert files_read(timed_index_probe(spark, table.view, 2, day(4), day(4))) == {newest: 1}
    assert timed_segment_scan(spark, table.view, day(9), None).collect() == []
    # What plain SQL reads: one bucket of each constituent for a search value, whole constituents for a day.
    buckets, newest_rows = (
        rows_read(index_probe(spark, table.view, 2)),
        rows_read(spark.table(f"{table.schema}.{newest}")),
    )
    assert rows_read(spark.table(table.view).where("supplier = 2")) == buckets < 160
    assert rows_read(spark.table(table.view).where(f"day = '{day(4)}'")) == newest_rows < 160
    assert rows_read(spark.table(table.view).where("supplier between 2 and 2")) == 160


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_several_search_values(spark: SparkSession, table: WaveTable, technique: str) -> None:
    chosen = spec(WaveIndex("del", 3, 2), technique, "words")
    batches = {number: batch(number) for number in range(1, 6)}
    take(table, chosen, *(batches[number] for number in (1, 2, 3)))
    take(table, chosen, batches[4], batches[5])
    window = [row for number in (3, 4, 5) for row in batches[number]]
    # Each row once, also those without a word, or with one twice.
    assert counted(spark.table(table.view)) == counted(segment_scan(spark, table.view)) == bag(window)
    for word in ("war", "peace", "only4", "only1"):
        assert counted(index_probe(spark, table.view, word)) == bag([row for row in window if word in (row[3] or [])])
    probed = timed_index_probe(spark, table.view, "peace", day(4), None)
    assert counted(probed) == bag([row for row in window if row[0] >= day(4) and "peace" in (row[3] or [])])


@pytest.mark.parametrize("search_field", ["supplier", "words"])
def test_no_value_finds_no_row(spark: SparkSession, table: WaveTable, search_field: str) -> None:
    take(table, spec(WaveIndex("del", 2, 1), "packed_shadow", search_field), batch(1))
    assert index_probe(spark, table.view, None).collect() == []
    assert timed_index_probe(spark, table.view, None, day(1), day(1)).collect() == []


@pytest.mark.parametrize(
    ("kind", "values", "value", "count"),
    [
        ("float", [0.1, 0.2], 0.1, 1),
        ("string", ["1", "01"], 1, 1),
        ("array<double>", [[0.0], [-0.0, 1.5]], -0.0, 2),
        ("double", [-0.0, -0.0, 1.5], 0.0, 2),
        # One clock shows 2:30 for both, an hour apart.
        ("timestamp", CLOCK_SET_BACK, CLOCK_SET_BACK[1], 1),
    ],
)
def test_a_value_is_read_as_the_search_field(
    spark: SparkSession, table: WaveTable, kind: str, values: list[Any], value: Any, count: int
) -> None:
    rows = spark.createDataFrame([(day(1), each) for each in values], f"day date, code {kind}")
    table.update(rows, WaveSpec(WaveIndex("del", 2, 1), "packed_shadow", "day", "code", columns_of(rows), buckets=2))
    zone: Any = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        found = [row.code for row in index_probe(spark, table.view, value).collect()]
        wanted = spark.table(table.view).where(F.col("code") == F.lit(value)) if kind == "timestamp" else None
        assert wanted is None or [row.code for row in wanted.collect()] == found
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)
    assert len(found) == count


@pytest.mark.parametrize(("scheme", "technique"), [("reindex_plus_plus", "in_place"), ("del", "packed_shadow")])
def test_a_day_that_comes_again_replaces_itself(
    spark: SparkSession, table: WaveTable, scheme: str, technique: str
) -> None:
    chosen = spec(WaveIndex(scheme, 4, 2), technique)
    batches = {number: batch(number) for number in range(1, 7)}
    take(table, chosen, *(batches[number] for number in range(1, 5)))
    before = tables_named(spark, table)
    take(table, chosen, batches[2])
    assert tables_named(spark, table) == before
    batches[3] = batch(3, 2)
    with pytest.raises(ValueError, match=r"lose more than half their rows: 2026-01-03 \(5 rows, now 2\)"):
        take(table, chosen, batches[3])
    take(table, chosen, batches[3], accept=True)
    assert counted(spark.table(table.view)) == expected(batches, range(1, 5))
    # Temporary indexes have it, too.
    for number in (5, 6):
        take(table, chosen, batches[number])
        assert counted(spark.table(table.view)) == expected(batches, range(number - 3, number + 1))


def test_any_names_of_columns_and_days(spark: SparkSession, table: WaveTable) -> None:
    rows = spark.sql(
        "select '/* 1' as day, array('a', 'b') as `_place`, named_struct('x y', 1, 'c-d', '*/') as `value /*`, "
        "1 as place, 2 as checksum, 3 as row_count, 4 as found"
    )
    chosen = WaveSpec(WaveIndex("del", 2, 1), "in_place", "day", "_place", columns_of(rows), buckets=2)
    table.update(rows, chosen)
    assert spark.table(table.view).collect() == rows.collect()
    assert table.update(rows, chosen) == []


def test_a_soft_window_can_be_clipped(spark: SparkSession, table: WaveTable) -> None:
    chosen = spec(WaveIndex("wata", 4, 2), "in_place")
    batches = {number: batch(number) for number in range(1, 7)}
    take(table, chosen, *batches.values())
    take(table, chosen, batch(7))
    # The first batch was that of day 3, and the expired day lies in the tables.
    assert shown_days(spark, table) == {2, 3, 4, 5}
    assert min(record_of(spark, table).constituents[0].days) == 1
    batches[7] = batch(7)
    window = expected(batches, range(4, 8))
    assert counted(spark.table(table.view)) == counted(segment_scan(spark, table.view)) == window
    # Also without a new day.
    take(table, replace(chosen, clip=False), batch(7))
    assert (
        counted(spark.table(table.view)) == counted(segment_scan(spark, table.view)) == expected(batches, range(3, 8))
    )


def test_what_is_no_update_of_this_index(spark: SparkSession, table: WaveTable) -> None:
    chosen, rows = spec(WaveIndex("del", 2, 1), "in_place"), frame(spark, batch(1))
    with pytest.raises(ValueError, match=re.escape(MESSAGES["rows of other columns, in Python"])):
        table.update(rows.withColumn("more", F.lit(1)), chosen)
    # A table of somebody's, that is no decision.
    spark.sql(f"create view {table.schema}.{table.name}__commit_log as select 1 as record")
    table.update(rows, chosen)
    spark.sql(f"create view {table.schema}.{table.name}__commit_7 as select 1 as record")
    with pytest.raises(ValueError, match=MESSAGES["an index that dbt keeps, updated from Python"]):
        table.update(rows, chosen)
    # With state_schema, the decision lies beside the tables.
    text = next(row[1] for row in spark.sql(f"describe extended {table.view}").collect() if row[0] == "View Text")
    shown = WaveTable(spark, "default", f"shown_{table.schema}")
    spark.sql(f"create view {shown.view} as {text}")
    spark.sql(f"create view {table.schema}.{shown.name}__commit_7 as select 1 as record")
    try:
        with pytest.raises(ValueError, match=MESSAGES["an index that dbt keeps, updated from Python"]):
            shown.update(rows, chosen)
    finally:
        spark.sql(f"drop view {shown.view}")


def test_values_that_differ_each_time_are_reported(
    spark: SparkSession, table: WaveTable, caplog: pytest.LogCaptureFixture
) -> None:
    rows = spark.sql("select date'2026-01-01' as day, 1 as supplier, current_timestamp() as at")
    chosen = WaveSpec(WaveIndex("del", 2, 1), "in_place", "day", "supplier", columns_of(rows), buckets=2)
    table.update(rows, chosen)
    assert "the values of day(s) 2026-01-01 differ each time they are read" in caplog.text


def test_a_copied_day_is_compared_with_the_record(spark: SparkSession, table: WaveTable) -> None:
    chosen = spec(WaveIndex("del", 3, 1), "packed_shadow")
    take(table, chosen, batch(1), batch(2), batch(3))
    (constituent,) = record_of(spark, table).constituents
    part = constituent.parts[0].name
    rows = spark.createDataFrame(spark.table(constituent.name).collect(), spark.table(constituent.name).schema)
    # As many rows as before, one of them with another value.
    changed = F.when((F.col("day") == F.lit(day(2))) & (F.col("supplier") == 2), F.lit(77)).otherwise(F.col("amount"))
    rows.withColumn("amount", changed.cast("decimal(9,2)")).drop("wave_part").createOrReplaceTempView("changed")
    spark.sql(f"insert overwrite {constituent.name} partition (wave_part = '{part}') select * from changed")
    before = tables_named(spark, table)
    with pytest.raises(
        ValueError, match=re.escape(MESSAGES["rows of an index that are not those recorded, in Python"])
    ):
        take(table, chosen, batch(4))
    assert tables_named(spark, table) == before
    # A day that leaves does not matter.
    take(table, chosen, batch(2), batch(3), batch(4), rebuild=True)
    assert counted(spark.table(table.view)) == bag(batch(2) + batch(3) + batch(4))


@pytest.mark.parametrize("technique", ["in_place", "packed_shadow"])
def test_a_frame_of_what_was_dropped_fails(spark: SparkSession, table: WaveTable, technique: str) -> None:
    chosen = spec(WaveIndex("del", 3, 1), technique)
    take(table, chosen, batch(1), batch(2), batch(3))
    frames = [index_probe(spark, table.view, 2), timed_segment_scan(spark, table.view, day(1), day(2))]
    counts = [len(each.collect()) for each in frames]
    assert min(counts) > 0
    take(table, chosen, batch(4))
    assert [each.count() for each in frames] == counts
    take(table, chosen, batch(5))
    for each in frames:
        # A failed subquery comes as the exception of the JVM.
        with pytest.raises((PySparkException, Py4JJavaError)) as error:
            each.count()
        assert technique != "in_place" or MESSAGES["a frame of parts that were dropped"] in str(error.value)


def test_gaps(spark: SparkSession, table: WaveTable, caplog: pytest.LogCaptureFixture) -> None:
    chosen = spec(WaveIndex("reindex", 3, 1), "packed_shadow")
    take(table, chosen, batch(2))
    with pytest.raises(ValueError, match=r"there is no batch of 2026-01-03, which comes before 2026-01-04"):
        take(table, chosen, batch(1), batch(4), gaps="fail")
    # Before the first day, and loaded by the run that refused another one.
    assert counted(spark.table(table.view)) == bag(batch(1) + batch(2))
    take(table, chosen, batch(4))
    assert counted(spark.table(table.view)) == bag(batch(2) + batch(4))
    # It comes late, and fills its place.
    assert take(table, chosen, batch(3)) == []
    assert counted(spark.table(table.view)) == bag(batch(2) + batch(3) + batch(4))
    take(table, chosen, batch(9), gaps="skip")
    assert counted(spark.table(table.view)) == bag(batch(3) + batch(4) + batch(9))
    assert take(table, chosen, batch(7), gaps="skip") == ["2026-01-07"]
    # Of a wrong day the rows go, and days before it can come.
    for _ in range(2):
        assert take(table, chosen, batch(5), batch(6), drop=[str(day(9))]) == []
    assert MESSAGES["a day to drop that the index does not have"] in caplog.text
    assert counted(spark.table(table.view)) == bag(batch(4) + batch(5) + batch(6))
    with pytest.raises(ValueError, match="2026-02-09 comes 34 days after 2026-01-06, and no other"):
        take(table, chosen, batch(40))
    # Later than any clock allows.
    with pytest.raises(ValueError, match=r"2299-10-16: later than .* The other days were loaded"):
        take(table, chosen, batch(7), batch(100_000))
    take(table, chosen, batch(40), accept=True)
    assert counted(spark.table(table.view)) == bag(batch(40))


def test_rebuilding(spark: SparkSession, table: WaveTable) -> None:
    chosen = spec(WaveIndex("del", 3, 2), "in_place")
    take(table, chosen, batch(1), batch(2), batch(3))
    other = spec(WaveIndex("wata", 2, 2), "in_place")
    with pytest.raises(ValueError, match="scheme was del and is wata: rebuild the wave index"):
        take(table, other, batch(4))
    take(table, other, batch(3), batch(4), rebuild=True)
    assert counted(spark.table(table.view)) == bag(batch(3) + batch(4))
    take(table, other, batch(5))
    record = record_of(spark, table)
    assert tables_left(spark, table) == {name.split("`")[3] for name in record.table_names}


class Stopped(Exception):
    """A program that ends in the middle."""


class Stopping:
    """A session that stops before a statement that writes."""

    def __init__(self, session: SparkSession, left: int) -> None:
        self._session, self.left = session, left

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def sql(self, text: str) -> DataFrame:
        if text.startswith(("create", "insert", "alter", "drop")):
            if self.left == 0:
                raise Stopped
            self.left -= 1
        return self._session.sql(text)


def test_stopped_before_any_statement(spark: SparkSession, table: WaveTable, seed: int) -> None:
    scheme, technique = random.Random(seed).choice([("reindex_plus_plus", "in_place"), ("rata", "simple_shadow")])
    chosen = spec(WaveIndex(scheme, 4, 3), technique)
    batches: Mapping[int, list[Row]] = {number: batch(number) for number in range(1, 30)}
    take(table, chosen, *(batches[number] for number in range(1, 5)))
    newest, left, ended = 4, 0, False
    while not ended:
        # Each time, a new day is stopped one statement later.
        stopping: Any = Stopping(spark, left)
        newest += 1
        try:
            take(WaveTable(stopping, table.schema, table.name), chosen, batches[newest])
            ended = True
        except Stopped:
            seen = counted(spark.table(table.view))
            windows = [expected(batches, range(last - 3, last + 1)) for last in (newest - 1, newest)]
            assert seen in windows
            take(table, chosen, batches[newest])
        assert counted(spark.table(table.view)) == expected(batches, range(newest - 3, newest + 1))
        record = record_of(spark, table)
        assert record.pending == ()
        assert tables_left(spark, table) == {name.split("`")[3] for name in record.table_names}
        left += 1
    assert left > 3


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_history(spark: SparkSession, data: st.DataObject) -> None:
    window = data.draw(st.integers(2, 4))
    scheme = data.draw(st.sampled_from(sorted(SCHEMES)))
    n = data.draw(st.integers(SCHEMES[scheme].least, window))
    technique = data.draw(st.sampled_from(TECHNIQUES))
    chosen = spec(WaveIndex(scheme, window, n), technique, data.draw(st.sampled_from(["supplier", "words"])))
    batches: dict[int, list[Row]] = {}
    schema = f"wave_{uuid4().hex[:8]}"
    spark.sql(f"create schema {schema}")
    table = WaveTable(spark, schema, "postings")
    newest = 0
    for _ in range(data.draw(st.integers(1, 4))):
        fresh = range(newest + 1, newest + 1 + data.draw(st.integers(0 if newest else 1, window)))
        again = data.draw(st.sets(st.sampled_from(sorted(batches)[-window:]), max_size=1)) if batches else set()
        for number in (*fresh, *again):
            batches[number] = batch(number, data.draw(st.integers(1, 4)))
        newest = max(batches)
        take(table, chosen, *(batches[number] for number in (*fresh, *again)), accept=True)
        record = record_of(spark, table)
        values = {record.days[number].value for number in shown_days(spark, table)}
        shown = range(newest - window + 1, newest + 1)
        assert values == {str(day(number)) for number in shown}
        assert counted(spark.table(table.view)) == expected(batches, sorted(shown))
    spark.sql(f"drop schema {schema} cascade")
