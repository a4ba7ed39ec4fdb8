"""The materialization wave_index: days are taken one by one, each decided as a batch, whatever stops a run."""

import json
import os
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from bad_input import messages
from functional.wave.days import Row, bag, batch, counted, day, expected, frame
from html_pages import Page
from model_options import placed
from workbench import MODEL, STOPPING, Workbench

from deltawave.wave.tables import WaveRecord, named_parts
from deltawave.wave.wave_table import delivered, marked

CONFIG = {
    "materialized": "wave_index",
    "scheme": "del",
    "window": 3,
    "constituents": 2,
    "day_column": "day",
    "search_field": "supplier",
    "buckets": 2,
}


def configure(bench: Workbench, **options: Any) -> None:
    text = json.dumps(placed({**CONFIG, **options}))
    head = f"{{{{ config(**fromjson({text!r})) }}}}"
    select = "select * from {{ target.schema }}.dump"
    (bench.root / "models" / f"{MODEL}.sql").write_text(f"{head}\n{select}\n-- the days that the source has\n")


def deliver(bench: Workbench, *batches: Sequence[Row]) -> None:
    rows = [row for rows in batches for row in rows]
    # Iceberg's catalog leaves the files where it is not reported to purge.
    bench.spark.sql(f"drop table if exists {bench.schema}.dump purge")
    frame(bench.spark, rows).write.format(bench.file_format).saveAsTable(f"{bench.schema}.dump")


def take(bench: Workbench, *batches: Sequence[Row], args: Sequence[str] = ()) -> str:
    deliver(bench, *batches)
    done = bench.build(None, *args)
    return done.text


def seen(bench: Workbench) -> Any:
    return counted(bench.spark.table(f"{bench.schema}.{MODEL}"))


def record_of(bench: Workbench) -> WaveRecord:
    return WaveRecord.from_json(marked(bench.spark, f"{bench.schema}.{MODEL}")["wave"])


def index_tables(bench: Workbench) -> set[str]:
    return {name for name in bench.names() if "__index" in name}


def index_folders(bench: Workbench) -> dict[str, set[str]]:
    """The folders of tables and of their parts, as they are on the disk."""
    place = bench.spark.sql(f"describe schema {bench.schema}").where("info_name = 'Location'").first()["info_value"]
    tables = Path(place.removeprefix("file:")).glob(f"{MODEL}__index*")
    return {table.name: {part.name for part in table.iterdir() if part.is_dir()} for table in tables}


def needed_parts(bench: Workbench) -> dict[str, set[str]]:
    record = record_of(bench)
    parts: dict[str, set[str]] = {}
    for table, part in named_parts((*record.tables.values(), *record.replaced)):
        parts.setdefault(table.split("`")[3], set()).add(part)
    return parts


def needed_tables(bench: Workbench) -> set[str]:
    return {name.split("`")[3] for name in record_of(bench).table_names}


DESCRIBED = """
models:
  - name: accounts
    columns: [{name: supplier, description: Who sells}]
"""
UNIT_TEST = """
unit_tests:
  - name: what_is_found_is_shown
    model: probed
    given: [{input: ref('accounts'), rows: [{supplier: 1}]}]
    expect: {rows: [{supplier: 1}]}
"""


@pytest.mark.hive
@pytest.mark.usefixtures("deltawave_package")
class TestWaveIndex:
    @pytest.mark.core
    def test_days_are_loaded_in_order(self, bench: Workbench, tmp_path: Path) -> None:
        configure(bench)
        take(bench, batch(2), batch(1))
        assert seen(bench) == bag(batch(1) + batch(2))
        text = take(bench, batch(5), batch(3), batch(4))
        assert "3 batches: 15 inserts, 10 deletes, 0 updates" in text
        assert seen(bench) == bag(batch(3) + batch(4) + batch(5))
        days = bench.batches("batch_id, snapshot_date, strategy, reason, rows_old, rows_new, inserts, deletes")
        assert days == [
            (1, "2026-01-02", "del", "start", 0, 10, 10, 0),
            (2, "2026-01-03", "del", "load", 10, 15, 5, 0),
            (3, "2026-01-04", "del", "load", 15, 15, 5, 5),
            (4, "2026-01-05", "del", "load", 15, 15, 5, 5),
        ]
        assert index_tables(bench) == needed_tables(bench)
        assert "no changes" in take(bench, batch(5), batch(4))
        # Delivered again with other rows; and what a source keeps of former days.
        assert "1 batch: 3 inserts, 5 deletes" in take(bench, batch(5), batch(4, 3), batch(1))
        assert seen(bench) == bag(batch(3) + batch(4, 3) + batch(5))
        page = tmp_path / "page.html"
        assert bench.operate("report", model=MODEL, format="html", output=str(page)).ok
        text = Page(page.read_text(encoding="utf-8")).text
        assert f"The wave index {bench.schema}.{MODEL}" in text
        assert "I1 constituent 2026-01-03 to 2026-01-04 2 8" in text
        assert "I2 constituent 2026-01-05 1 5" in text
        assert "2026-01-04 15 3 2026-01-03 to 2026-01-04 2026-01-02" in text
        assert "2026-01-05 15 3 2026-01-03 to 2026-01-04 2026-01-05" in text
        assert "del replace" in text

    @pytest.mark.formats
    def test_files_go_with_their_days(self, bench: Workbench) -> None:
        options = {"scheme": "wata", "update_technique": "in_place", "persist_docs": {"columns": True}}
        configure(bench, **options)
        bench.add_model("probed", "{{ config(materialized='table') }} {{ deltawave.index_probe(ref('accounts'), 2) }}")
        (bench.root / "models" / "added" / "accounts.yml").write_text(DESCRIBED)
        take(bench, batch(1), batch(2), batch(3), args=["--select", MODEL])
        # Days 1 and 2 expire together. Who reads them goes on until the next run.
        take(bench, batch(4), batch(5), args=["--select", MODEL])
        assert len(index_folders(bench)) == 3
        take(bench, batch(6))
        assert len(index_folders(bench)) == 2
        assert index_folders(bench) == needed_parts(bench)
        rows = batch(4) + batch(5) + batch(6)
        assert seen(bench) == bag(rows)
        assert counted(bench.spark.table(f"{bench.schema}.probed")) == bag([row for row in rows if row[1] == 2])
        described = bench.spark.sql(f"describe {bench.schema}.{MODEL}").collect()
        assert {row.col_name: row.comment for row in described}["supplier"] == "Who sells"
        # The view is another one without a new day.
        configure(bench, clip=False, **options)
        text = take(bench, batch(6), args=["--select", MODEL])
        assert "with clip: false, readers see 3 to 4 days" in text
        assert bench.batches("batch_id, snapshot_date, reason, inserts, deletes")[-1] == (5, None, "show", 5, 0)
        assert seen(bench) == bag(batch(3) + rows)

    @pytest.mark.core
    def test_probes_and_scans_in_models(self, bench: Workbench) -> None:
        configure(bench, scheme="wata", search_field="words", update_technique="in_place", event_time="day")
        calls = {
            "probed": "index_probe(ref('accounts'), 'war')",
            "probed_days": f"timed_index_probe(ref('accounts'), 'peace', '{day(3)}', '{day(4)}')",
            "scanned": "segment_scan(ref('accounts'))",
            "scanned_days": f"timed_segment_scan(ref('accounts'), '{day(4)}')",
            "scanned_none": "timed_segment_scan(ref('accounts'), '2027-01-01')",
        }
        for name, call in calls.items():
            bench.add_model(name, f"{{{{ config(materialized='table') }}}} select * from ({{{{ deltawave.{call} }}}})")
        bench.add_model(
            "found", f"{{{{ config(materialized='ephemeral') }}}} {{{{ deltawave.{calls['probed_days']} }}}}"
        )
        bench.add_model("of_found", "{{ config(materialized='table') }} select * from {{ ref('found') }}")
        take(bench, *(batch(number) for number in range(1, 5)))
        window = [row for number in (2, 3, 4) for row in batch(number)]
        rows = {name: counted(bench.spark.table(f"{bench.schema}.{name}")) for name in calls}
        assert rows["scanned"] == seen(bench) == bag(window)
        assert rows["probed"] == bag([row for row in window if "war" in (row[3] or [])])
        assert rows["probed_days"] == bag([row for row in window if row[0] >= day(3) and "peace" in (row[3] or [])])
        assert rows["scanned_days"] == bag(batch(4))
        assert not rows["scanned_none"]
        assert counted(bench.spark.table(f"{bench.schema}.of_found")) == rows["probed_days"]
        sample = "{'start': '2026-01-03', 'end': '2026-01-04'}"
        sampled = bench.run("--sample", sample, "--select", "scanned", "accounts")
        assert MESSAGES["a sample"] in sampled.text
        assert bench.run("--sample", sample, "--select", "scanned").ok
        assert counted(bench.spark.table(f"{bench.schema}.scanned")) == bag(batch(3))
        bench.add_model("of_found", "{{ config(materialized='view') }} select * from {{ ref('found') }}")
        assert f"of_found {MESSAGES['a probe in a view']}" in bench.run("--select", "of_found").text

    def test_a_probe_before_the_first_day(self, bench: Workbench) -> None:
        configure(bench)
        call = "{{ deltawave.timed_index_probe(ref('accounts'), 1, '2026-01-01') }}"
        bench.add_model("probed", "{{ config(materialized='table') }} " + call)
        deliver(bench, batch(1))
        assert bench.run(command="compile").ok
        take(bench, batch(1), args=["--empty"])
        assert bench.run("--select", "probed").ok
        assert not bench.spark.table(f"{bench.schema}.probed").count()
        (bench.root / "models" / "added" / "probed.yml").write_text(UNIT_TEST)
        take(bench, batch(1))
        tested = bench.run("--select", "test_type:unit", command="test")
        assert tested.ok, tested.text
        take(bench, batch(1), args=["--empty"])
        bench.add_model("probed", call)
        assert MESSAGES["a probe in a view"] in bench.run("--select", "probed").text

    def test_preparation_follows_the_day(self, bench: Workbench) -> None:
        configure(bench, scheme="reindex_plus_plus", window=4, update_technique="simple_shadow")
        # Of five days at once, the window's four.
        take(bench, *(batch(number) for number in range(1, 6)))
        take(bench, batch(6))
        days = bench.batches("batch_id, reason, rows_old, rows_new, inserts, deletes")
        assert days == [
            (1, "start", 0, 20, 20, 0),
            (2, "prepare", 20, 20, 0, 0),
            (3, "load", 20, 20, 5, 5),
            (4, "prepare", 20, 20, 0, 0),
        ]
        assert seen(bench) == expected({number: batch(number) for number in range(3, 7)}, range(3, 7))
        assert record_of(bench).pending == ()

    def test_full_refresh(self, bench: Workbench) -> None:
        configure(bench)
        take(bench, batch(1), batch(2), batch(3))
        deliver(bench, batch(3), batch(4))
        assert "--full-refresh would start a new log" in bench.run("--full-refresh", "--select", MODEL).text
        configure(bench, full_refresh=True, scheme="rata")
        deliver(bench, [])
        assert "--full-refresh would leave no day" in bench.run("--full-refresh").text
        take(bench, batch(3), batch(4), args=["--full-refresh"])
        assert seen(bench) == bag(batch(3) + batch(4))
        take(bench, batch(5), batch(6))
        assert seen(bench) == bag(batch(4) + batch(5) + batch(6))
        assert index_tables(bench) == needed_tables(bench)

    def test_once_removed_it_begins_with_the_days_of_the_source(self, bench: Workbench) -> None:
        """Removed as the documentation says."""
        configure(bench, scheme="rata")
        take(bench, batch(4), batch(5), batch(6))
        for name in bench.names():
            is_view = name == MODEL or "__commit_" in name or "__seen_" in name
            bench.spark.sql(f"drop {'view' if is_view else 'table'} {bench.schema}.{name}")
        assert not bench.names()
        assert not index_folders(bench)
        take(bench, batch(5), batch(6))
        assert seen(bench) == bag(batch(5) + batch(6))

    def test_empty(self, bench: Workbench) -> None:
        configure(bench)
        # Not with --empty alone.
        take(bench, [])
        assert not seen(bench)
        # The text of its view, as long as there is no day, names no table.
        assert "dump" not in bench.spark.sql(f"show create table {bench.schema}.{MODEL}").first()[0]
        take(bench, batch(1), args=["--empty"])
        assert not seen(bench)
        take(bench, batch(1))
        assert seen(bench) == bag(batch(1))


MESSAGES = messages("Wave indices")
UNREAD = "no changes, source not read"


class TestUnchangedSource:
    macros = STOPPING

    def done(self, bench: Workbench, *args: str, **variables: Any) -> str:
        """What dbt prints for the model."""
        return bench.build(None, "--vars", json.dumps(variables), *args).messages[MODEL]

    def delivers(self, bench: Workbench, *batches: Sequence[Row]) -> None:
        """In files that are an hour old: new ones are read again. Delta and Iceberg have versions instead."""
        deliver(bench, *batches)
        if bench.file_format == "parquet":
            for file in bench.spark.table(f"{bench.schema}.dump").inputFiles():
                os.utime(file.removeprefix("file://"), (time.time() - 3600,) * 2)

    def test_each_change_is_seen(self, bench: Workbench) -> None:
        configure(bench, full_refresh=True)
        self.delivers(bench, batch(1), batch(2))
        assert "1 batch: 10 inserts" in self.done(bench)
        assert self.done(bench) == UNREAD
        assert self.done(bench, deltawave_read=[MODEL]) == "no changes"
        assert self.done(bench) == UNREAD
        # Another day, and a day that is delivered again.
        self.delivers(bench, batch(2, 4), batch(3))
        assert "2 batches: 9 inserts, 5 deletes" in self.done(bench)
        assert self.done(bench) == UNREAD
        assert seen(bench) == bag(batch(1) + batch(2, 4) + batch(3))
        # The same days in other files are read once.
        self.delivers(bench, batch(2, 4), batch(3))
        assert [self.done(bench) for _ in range(2)] == ["no changes", UNREAD]
        assert len([name for name in bench.names() if "__seen_" in name]) == 1
        # A day that only the index has is dropped.
        self.delivers(bench, batch(2, 4))
        assert self.done(bench) == "no changes"
        assert "1 batch: 0 inserts, 5 deletes" in self.done(bench, deltawave_drop_days={MODEL: [str(day(3))]})
        assert "1 batch: 4 inserts" in self.done(bench, "--full-refresh")
        assert seen(bench) == bag(batch(2, 4))
        assert self.done(bench) == UNREAD

    def test_what_looks_wrong_is_reported_each_time(self, bench: Workbench) -> None:
        """Also what only another run, an accepted one, has made late."""
        configure(bench, gaps="skip")
        self.delivers(bench, batch(1), batch(3), batch(4))
        self.done(bench)
        self.delivers(bench, batch(2), batch(4))
        for _ in range(2):
            done = bench.build()
            assert done.messages[MODEL] == "no changes"
            assert "day(s) 2026-01-02 came after later ones" in done.text
        self.delivers(bench, batch(4, 1))
        for _ in range(2):
            assert "2026-01-04 (5 rows, now 1): parts of days?" in bench.refused()
        self.delivers(bench, batch(1), batch(4), batch(100_000))
        assert "1 batch" in self.done(bench, deltawave_accept=[MODEL])
        for _ in range(2):
            assert "day(s) 2026-01-01 came after later ones" in bench.build().text

    def test_a_run_that_was_stopped_is_continued(self, bench: Workbench) -> None:
        configure(bench, scheme="reindex_plus_plus", window=4)
        self.delivers(bench, *(batch(number) for number in range(1, 5)))
        assert "stopped at end" in bench.run("--vars", "{stop_at: end}").text
        # The preparation.
        assert self.done(bench) == "1 batch: 0 inserts, 0 deletes, 0 updates"
        assert self.done(bench) == UNREAD
        self.delivers(bench, batch(5), batch(6))
        assert "stopped at end" in bench.run("--vars", "{stop_at: end}").text
        assert "3 batches: 5 inserts, 5 deletes" in self.done(bench)
        assert self.done(bench) == UNREAD
        assert seen(bench) == expected({number: batch(number) for number in range(3, 7)}, range(3, 7))


class TestRefusals:
    def test_what_does_not_fit(self, bench: Workbench) -> None:
        configure(bench)
        take(bench, batch(1))
        configure(bench, day_column="dey")
        assert MESSAGES["a day column that is nowhere"] in bench.refused()
        configure(bench, scheme="reindex")
        assert MESSAGES["another scheme for the same model"] in bench.refused()
        configure(bench)
        # What looks wrong does not keep other days from being loaded.
        deliver(bench, batch(1, 1), batch(2), batch(100_000))
        text = bench.failed()
        assert re.search(r"2299-10-16: later than .* \(lead_days: 1\); a wrong date\?", text)
        assert f"{MESSAGES['a part of a day']}: parts of days? The other days were loaded." in text
        assert seen(bench) == bag(batch(1) + batch(2))
        deliver(bench, [(None, 1, 1, None)])
        assert MESSAGES["rows without a day"] in bench.refused()

    def test_rows_that_differ_each_time(self, bench: Workbench) -> None:
        configure(bench)
        bench.spark.sql(f"drop table if exists {bench.schema}.dump")
        bench.spark.sql(f"drop view if exists {bench.schema}.dump")
        # The clock's microseconds: two draws of rand() give the same number of rows once in some fifty runs.
        bench.spark.sql(
            f"create view {bench.schema}.dump as select date'2026-01-01' as day, 1 as supplier, uuid() as id"
            " from range(100000) where id <= pmod(unix_micros(current_timestamp()), 100000)"
        )
        assert MESSAGES["another number of rows each time"] in bench.refused()
        bench.spark.sql(
            f"alter view {bench.schema}.dump as select date'2026-01-01' as day, 1 as supplier, rand() as amount"
        )
        for _ in range(2):
            done = bench.build()
            assert MESSAGES["values that differ each time"] in done.text
        # What is recorded is what was written.
        rows = bench.spark.table(f"{bench.schema}.{MODEL}")
        record = record_of(bench)
        assert delivered(rows, record.spec) == [day for day in record.days.values() if day.rows]

    def test_where_warnings_are_errors_all_days_are_loaded_first(self, bench: Workbench) -> None:
        """Those that differ each time, late ones, and a drop that is repeated."""
        configure(bench, gaps="skip")

        def delivers(*days: str) -> str:
            rows = " union all ".join(f"select date'{day}' as day, 1 as supplier, rand() as amount" for day in days)
            bench.spark.sql(f"create or replace view {bench.schema}.dump as {rows}")
            dropped = json.dumps({"deltawave_drop_days": {MODEL: ["2025-12-31"]}})
            return bench.failed("--warn-error", "--vars", dropped)

        delivers("2026-01-01", "2026-01-03")
        for days in (("2026-01-03", "2026-01-04"), ("2026-01-02", "2026-01-04", "2026-01-05")):
            text = delivers(*days)
            assert record_of(bench).days[record_of(bench).state_day].value == days[-1]
            assert "2025-12-31" in text

    def test_a_change_log_is_no_wave_index(self, bench: Workbench) -> None:
        bench.build("select id as account_id from range(3)")
        configure(bench, day_column="account_id", search_field="account_id")
        assert MESSAGES["a change log that becomes a wave index"] in bench.refused()


class TestStops:
    macros = STOPPING

    def test_nothing_is_left_of_a_run_that_was_stopped(self, bench: Workbench) -> None:
        configure(bench, scheme="rata", update_technique="in_place")
        batches = {number: batch(number) for number in range(1, 7)}
        take(bench, *(batches[number] for number in (1, 2, 3)))
        deliver(bench, batches[4])
        # What was written is not decided.
        assert "stopped at decide" in bench.run("--vars", "{stop_at: decide}").text
        assert seen(bench) == expected(batches, (1, 2, 3))
        take(bench, batches[4])
        deliver(bench, batches[5])
        # What was decided is finished by the next run. What readers saw until then stays, also if it takes another day.
        assert "stopped at publish" in bench.run("--vars", "{stop_at: publish}").text
        found = named_parts(record_of(bench).constituents)
        take(bench, batches[5], batches[6])
        assert seen(bench) == expected(batches, (4, 5, 6))
        folders = index_folders(bench)
        assert all(part in folders.get(table.split("`")[3], ()) for table, part in found)
        assert folders == needed_parts(bench)
