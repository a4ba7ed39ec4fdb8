"""Dumps of several dates in one select, replayed in order."""

import datetime as dt
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from workbench import DUMP, MODEL, SEVERAL, STOPPING, Workbench

DUMPS = """
select * from values
    (1, 'ann', date '2026-01-01'), (2, 'bob', date '2026-01-01'),
    (1, 'ann', date '2026-01-02'), (2, 'bob', date '2026-01-02'),
    (1, 'eve', date '2026-01-05'), (2, 'bob', date '2026-01-05')
as t(account_id, name, dump_date)
"""

NO_DATE_WAS_SKIPPED = """
{{ config(severity='warn') }}
select distinct dump.dump_date
from {{ target.schema }}.dump as dump
left anti join ({{ deltawave.batches(ref('accounts')) }}) as compared
    on cast(dump.dump_date as string) = compared.snapshot_date
"""

LAST_DATE_WAS_NOT_DELIVERED_AGAIN = """
{{ config(severity='warn') }}
with state as (
    {{ deltawave.current_state(ref('accounts'), 'account_id') }}
),

dump as (
    select * except (dump_date)
    from {{ target.schema }}.dump
    where cast(dump_date as string) = (
        select max_by(snapshot_date, batch_id) from ({{ deltawave.batches(ref('accounts')) }})
    )
)

(select * from dump except all select account_id, name from state)
union all
(select account_id, name from state except all select * from dump)
"""


def strategies(bench: Workbench, adapter_type: str, *more: str, select: str = DUMP, **options: Any) -> list[str]:
    """Models over one dump, by outer_join and, where Python runs, by strategies that compare in Python; their names."""
    (bench.root / "models" / f"{MODEL}.sql").unlink()
    names = ["outer_join", *(("hash_compressed", *more) if adapter_type == "deltawave" else ())]
    for name in names:
        bench.add_differential(name, select, strategy=name, **options)
    return names


class TestDatedDumps:
    @pytest.mark.both_adapters
    def test_each_date_is_a_batch(self, bench: Workbench) -> None:
        bench.configure(snapshot_date="dump_date")
        done = bench.build(DUMPS)
        lines = [line for line in done.text.splitlines() if line.startswith("deltawave: accounts: batch ")]
        # The batch without a change is in dbt.log alone.
        assert [re.sub(r", [\d.]+ s,", ",", line) for line in lines] == [
            "deltawave: accounts: batch 1 (2026-01-01): +2 -0 ~0 of 2, outer_join",
            "deltawave: accounts: batch 3 (2026-01-05): +0 -0 ~1 of 2, outer_join",
        ]
        assert bench.batches("batch_id, snapshot_date, inserts, deletes, updates") == [
            (1, "2026-01-01", 2, 0, 0),
            (2, "2026-01-02", 0, 0, 0),
            (3, "2026-01-05", 0, 0, 1),
        ]
        assert bench.log("account_id, name, date_format(_batch_at, 'yyyy-MM-dd HH'), _batch_id")[2:] == [
            (1, "eve", "2026-01-05 00", 3)
        ]
        assert "dump_date" not in bench.spark.table(f"{bench.schema}.accounts").columns

    def test_days_begin_in_utc_whatever_the_session_says(
        self, bench: Workbench, setting: Callable[[str, str], Any]
    ) -> None:
        bench.configure(snapshot_date="dump_date")
        with setting("spark.sql.session.timeZone", "America/New_York"):
            bench.build("select 1 as account_id, 'a' as name, '2026-03-08' as dump_date")
            bench.build("select 1 as account_id, 'b' as name, '2026-03-09' as dump_date")
            assert bench.log("account_id, unix_seconds(_batch_at), _batch_id") == [
                (1, 1772928000, 1),
                (1, 1773014400, 2),
            ]

    def test_dates_that_are_known_or_late_are_skipped(self, bench: Workbench) -> None:
        """dbt counts them in a test."""
        bench.configure(snapshot_date="dump_date")
        bench.add_test("no_date_was_skipped", NO_DATE_WAS_SKIPPED)
        bench.add_test("last_date_was_not_delivered_again", LAST_DATE_WAS_NOT_DELIVERED_AGAIN)
        bench.build(DUMPS)
        before = bench.state()
        assert "WARN=0" in bench.run(command="test").text
        done = bench.build(DUMPS)
        assert "no changes" in done.text
        assert "skipped" not in done.text
        late = "union all select 9, 'zoe', date '2026-01-03'"
        done = bench.build(DUMPS + late)
        assert (
            "skipped dump(s) of 2026-01-03: they were delivered after the dump of 2026-01-05 was compared (batch 3)."
            in done.text
        )
        assert "deltawave.rewind --args '{model: accounts, to_batch: 2}'" in done.text
        assert done.messages[MODEL] == "no changes, 1 dump skipped"
        # Delivered again with other rows.
        text = bench.build(DUMPS.replace("'eve'", "'eva'") + late).text
        assert "skipped dump(s) of 2026-01-05: they were compared before" in text
        assert (
            "The log keeps the earlier delivery (batch 3); with redelivery: replace, a run compares such dates again"
            in text
        )
        assert "deltawave.rewind --args '{model: accounts, to_batch: 2}'" in text
        assert "WARN=2" in bench.run(command="test").text
        assert bench.state() == before

    def test_skipped_dumps_are_errors_where_warnings_are(self, bench: Workbench) -> None:
        bench.configure(snapshot_date="dump_date")
        bench.build(DUMPS)
        added = f"{DUMPS} union all values (1, 'ann', date '2026-01-09')"
        late, again = (f"(9, 'zoe', date '{date}')" for date in ("2026-01-03", "2026-01-05"))
        assert "skipped dump(s) of 2026-01-03" in bench.refused(f"{added}, {late}", "--warn-error")
        options = ("--warn-error-options", "{'error': ['JinjaLogWarning']}")
        assert "skipped dump(s) of 2026-01-05" in bench.refused(f"{added}, {again}", *options)
        bench.build(f"{added}, {late}, {again}")
        assert bench.batches("batch_id, snapshot_date")[3:] == [(4, "2026-01-09")]

    def test_an_error_keeps_the_batches_before_it(self, bench: Workbench) -> None:
        bench.configure(snapshot_date="dump_date")
        bench.dump(DUMPS + "union all select 1, 'twin', date '2026-01-05'")
        text = bench.failed()
        assert "batch 3 (2026-01-05)" in text
        assert "Nothing was changed in this batch; this run has committed 2 batches before it." in text
        assert (
            "or set duplicate_keys: quarantine, which sets such rows aside with a warning, or, in a new model," in text
        )
        assert [row[0] for row in bench.batches()] == [1, 2]

    def test_a_log_without_any_date_is_not_begun(self, bench: Workbench) -> None:
        bench.configure(snapshot_date="dump_date")
        assert "batch 1: the dump is empty" in bench.refused(f"select * from ({DUMPS}) where false")


def corrected(name: str) -> str:
    """The dumps, of which January 2 was delivered again with another name."""
    return DUMPS.replace("'ann', date '2026-01-02'", f"'{name}', date '2026-01-02'")


FIRST = [(1, "ann", "insert", 1), (2, "bob", "insert", 1)]


class TestReplacedDates:
    @pytest.mark.both_adapters
    def test_a_date_with_other_rows_and_all_later_ones_are_compared_again(
        self, bench: Workbench, adapter_type: str
    ) -> None:
        models = strategies(bench, adapter_type, "sort_merge", snapshot_date="dump_date", redelivery="replace")
        bench.build(DUMPS, *SEVERAL)
        without_last = f"select * from ({corrected('anna')}) where dump_date < '2026-01-05'"
        text = bench.refused(without_last, *SEVERAL, models=models)
        message = (
            "{}: dump(s) of 2026-01-02 were delivered again with other rows. redelivery: replace undoes their batches "
        )
        message += "and all later ones, and the select no longer has dump(s) of 2026-01-05 to compare again"
        assert all(message.format(name) in text for name in models)
        done = bench.build(corrected("anna"), *SEVERAL)
        again = "dump(s) of {} were delivered again with other rows: the run {}"
        for name in models:
            assert f"deltawave: {name}: {again.format('2026-01-02', 'rewinds to batch 1')}" in done.text
            assert done.messages[name] == "3 batches: 0 inserts, 0 deletes, 2 updates"
            assert bench.log(model=name) == [*FIRST, (1, "anna", "update", 5), (1, "eve", "update", 6)]
            assert bench.batches("batch_id, snapshot_date, updates, rewound_to", name)[3:] == [
                (4, "2026-01-01", 0, 1),
                (5, "2026-01-02", 1, None),
                (6, "2026-01-05", 1, None),
            ]
        # The first date: there is no batch before it.
        first = corrected("anna").replace("'bob', date '2026-01-01'", "'rob', date '2026-01-01'")
        text = bench.build(first, *SEVERAL).text
        for name in models:
            assert f"deltawave: {name}: {again.format('2026-01-01', 'begins a new generation')}" in text
        log = [
            (1, "ann", "insert", 7),
            (2, "rob", "insert", 7),
            (1, "anna", "update", 8),
            (2, "bob", "update", 8),
            (1, "eve", "update", 9),
        ]
        assert [bench.log(model=name) for name in models] == [log] * len(models)
        assert bench.build(None, *SEVERAL).messages == dict.fromkeys(models, "no changes")
        assert [bench.log(model=name) for name in models] == [log] * len(models)

    def test_readers_are_warned_of_and_a_refused_dump_is_compared_again(self, bench: Workbench) -> None:
        bench.configure(snapshot_date="dump_date", redelivery="replace")
        bench.add_model(
            "reader",
            "{{ config(materialized='incremental', file_format='parquet') }} select * from {{ ref('accounts') }}",
        )
        bench.build(DUMPS)
        cut = f"select * from ({DUMPS}) where dump_date <> '2026-01-02' union all select 9, 'zoe', date '2026-01-02'"
        rebuild = "rebuild them: dbt run --full-refresh --select reader"
        assert rebuild in bench.refused(cut, "--warn-error")
        text = bench.failed("--select", MODEL)
        assert rebuild in text
        assert "batch 5 (2026-01-02): 2 of 2 rows (100.0%) would be deleted" in text
        assert "Nothing was changed in this batch; this run has committed 1 batch before it." in text
        assert bench.log() == FIRST
        assert "batch 5 (2026-01-02): 2 of 2 rows (100.0%) would be deleted" in bench.refused()
        bench.build(corrected("anna"), "--select", MODEL)
        assert bench.log() == [*FIRST, (1, "anna", "update", 5), (1, "eve", "update", 6)]


class TestStoppedReplacements:
    macros = STOPPING

    def test_the_next_run_ends_as_an_undisturbed_one(self, bench: Workbench) -> None:
        """The rewind is stopped before and after its decision, and the first dump after it."""
        bench.configure(snapshot_date="dump_date", redelivery="replace")
        bench.build(DUMPS)
        for name, step, batch in [("anna", "decide", 5), ("anni", "record", 8), ("anne", "land", 11)]:
            bench.dump(corrected(name))
            done = bench.run("--vars", f"stop_at: {step}")
            assert f"stopped at {step}" in done.text
            bench.build()
            assert bench.log() == [*FIRST, (1, name, "update", batch), (1, "eve", "update", batch + 1)]


class TestExpectedRows:
    @pytest.mark.both_adapters
    def test_a_cut_dump_waits_for_the_whole_one(self, bench: Workbench, adapter_type: str) -> None:
        bench.add_model("control", "select * from {{ target.schema }}.delivered")
        counts = "select dump_rows from {{ ref('control') }} where day = date_format({snapshot_date}, 'yyyyMMdd')"
        bench.spark.sql(f"create table {bench.schema}.delivered (day string, dump_rows string) using parquet")
        select = DUMP + "\n-- depends_on: {{ ref('control') }}"
        models = strategies(bench, adapter_type, select=select, snapshot_date="dump_date", expected_rows=counts)
        bench.spark.sql(f"insert into {bench.schema}.delivered values ('20260101', '2'), ('20260102', '2')")
        bench.dump(DUMPS)
        done = bench.run(*SEVERAL)
        for name in models:
            message = done.messages[name]
            assert "batch 3 (2026-01-05): the select of expected_rows returned no row, not one whole number." in message
            assert "Nothing was changed in this batch; this run has committed 2 batches before it." in message
        bench.spark.sql(f"insert into {bench.schema}.delivered values ('20260105', '3')")
        text = bench.refused(None, *SEVERAL, models=models)
        for name in models:
            message = "batch 3 (2026-01-05): the dump has 2 row(s), and expected_rows gives 3. Is the dump complete?"
            assert f"{name}, {message}" in text
        bench.build(DUMPS + "union all select 3, 'cid', date '2026-01-05'", *SEVERAL)
        bench.spark.sql(f"insert into {bench.schema}.delivered values ('20260106', '9')")
        cut = DUMPS + "union all select 3, 'cid', date '2026-01-05' union all select 1, 'eve', date '2026-01-06'"
        text = bench.refused(cut, *SEVERAL, models=models)
        for name in models:
            assert f"{name}, batch 4 (2026-01-06): the dump has 1 row(s), and expected_rows gives 9." in text
        bench.build(None, *SEVERAL, "--vars", json.dumps({"deltawave_accept": models}))
        for name in models:
            assert bench.batches("snapshot_date, inserts, deletes, updates", name) == [
                ("2026-01-01", 2, 0, 0),
                ("2026-01-02", 0, 0, 0),
                ("2026-01-05", 1, 0, 1),
                ("2026-01-06", 0, 2, 0),
            ]


class TestDueDumps:
    @pytest.mark.both_adapters
    def test_old_and_missing_dumps_are_warned_of(self, bench: Workbench) -> None:
        """As errors they keep out no dump for good."""
        bench.configure(snapshot_date="dump_date", warn_after={"count": 2, "period": "day"}, every="day")
        errors = ("--warn-error-options", "{error: [JinjaLogWarning]}")
        gap = "no dump has come between those of 2026-01-02 and 2026-01-05 (every: day)."
        age = "the newest dump is that of 2026-01-05, which is "
        bench.build(f"select * from ({DUMPS}) where dump_date < '2026-01-05'")
        assert gap in bench.refused(DUMPS, *errors)
        # The gap is taken as it is; the dump, which is old, is compared before that is an error.
        done = bench.run(*errors, "--vars", "deltawave_accept: [accounts]")
        assert not done.ok
        assert "no dump has come between" not in done.text
        assert age in done.text
        assert len(bench.batches()) == 3
        text = bench.build().text
        assert gap not in text
        assert age in text
        today = dt.datetime.now(dt.timezone.utc).date()
        days = [f"select 1, 'ann', date '{today - dt.timedelta(days=day)}'" for day in (0, 1)]
        text = bench.build(" union all ".join([DUMPS, *days])).text
        assert age not in text
        assert f"between those of 2026-01-05 and {today - dt.timedelta(days=1)} (every: day)." in text


LOADS = "select * from values (1, 'ann', 9), (1, 'eve', 10) as t(account_id, name, load)"


class TestDumpsWithoutDates:
    @pytest.mark.both_adapters
    def test_numbers_order_the_dumps(self, bench: Workbench) -> None:
        bench.configure(
            snapshot_date="load", snapshot_order="number", expected_rows="select if({snapshot_date} > 8, 1, 2)"
        )
        assert "deltawave: accounts: batch 2 (10): +0 -0 ~1 of 1, " in bench.build(LOADS).text
        assert bench.batches("batch_id, snapshot_date, inserts, updates") == [(1, "9", 1, 0), (2, "10", 0, 1)]
        assert bench.log("unix_seconds(current_timestamp()) - unix_seconds(_batch_at) < 3600") == [(True,), (True,)]
        before = bench.state()
        text = bench.build(LOADS.replace("'eve'", "'eva'") + " union all select 1, 'zoe', 2").text
        assert "skipped dump(s) of 2: they were delivered after the dump of 10 was compared (batch 2)." in text
        assert "skipped dump(s) of 10: they were compared before, and were delivered again with other rows." in text
        assert bench.state() == before
        assert bench.operate("rewind", model="accounts", to_batch=1).ok
        bench.build()
        assert bench.batches("batch_id, snapshot_date, updates")[2:] == [(3, "9", 0), (4, "10", 1)]
        bench.configure(snapshot_date="load", snapshot_order="number", redelivery="replace")
        done = bench.build(LOADS.replace("'eve'", "'ina'"))
        assert "dump(s) of 10 were delivered again with other rows: the run rewinds to batch 1" in done.text
        assert bench.batches("batch_id, snapshot_date, updates")[4:] == [(5, "9", 0), (6, "10", 1)]
        assert bench.log("name, _batch_id")[-1] == ("ina", 6)
        # The same numbers as text would have another order.
        text = "select account_id, name, cast(load as string) as load from {{ target.schema }}.dump"
        bench.configure(text, snapshot_date="load", snapshot_order="text")
        message = "the dumps of the log were ordered by number, and the model now orders them by text (snapshot_order)."
        assert message in bench.refused()
