"""State rules: drifted columns, --full-refresh, --empty, lost and left-over relations."""

import json

import pytest
from workbench import MODEL, Workbench

from deltawave.sql_text import literal

GOOD = "select id as account_id, cast(id as string) as name from range(4)"
MORE = "select id as account_id, cast(id as string) as name, id * 10 as points from range(4)"


@pytest.mark.formats
class TestDriftedColumns:
    def test_a_column_that_joins_the_log_is_backfilled(self, bench: Workbench) -> None:
        """What the snapshot has, its replay has: rows that never change again too, and without a new version of any."""
        bench.configure(on_schema_change="append_new_columns")
        bench.build(GOOD)
        done = bench.build(
            MORE.replace("id * 10", "nullif(id * 10, 20)").replace("cast(id as string)", "concat('', id % 3)")
        )
        assert "0 inserts, 0 deletes, 1 update, 2 rows backfilled" in done.text
        assert bench.batches("batch_id, updates, backfilled") == [(1, 0, 0), (2, 1, 2)]
        assert bench.log("account_id, name, points, _change_type, _changed_columns")[4:] == [
            (0, "0", 0, "update", []),
            (1, "1", 10, "update", []),
            (3, "0", 30, "update", ["name"]),
        ]
        # A dump without the column, and with a row of its own: the same rows alone would make no batch.
        away = GOOD.replace("cast(id as string)", "concat('', id % 3)").replace("range(4)", "range(5)")
        bench.build(away)
        bench.build(f"select *, if(account_id = 0, null, 7L) as points from ({away})")
        assert bench.batches("batch_id, updates, backfilled")[2:] == [(3, 0, 0), (4, 0, 5)]
        bench.add_model("current", "{{ deltawave.current_state(ref('accounts'), 'account_id') }}")
        bench.add_model("versions", "{{ deltawave.scd2(ref('accounts'), 'account_id') }}")
        assert bench.run().ok
        state = f"select account_id, name, points from {bench.schema}."
        assert bench.spark.sql(f"{state}current except all {state}dump").collect() == []
        versions = bench.spark.sql(f"select account_id, points, is_current from {bench.schema}.versions order by 1, 3")
        assert list(map(tuple, versions.collect())) == [
            (0, None, True),
            (1, 7, True),
            (2, 7, True),
            (3, None, False),
            (3, 7, True),
            (4, 7, True),
        ]

    def test_dropped_column_is_hidden_or_kept(self, bench: Workbench) -> None:
        """One that is kept makes no batches."""
        bench.configure(on_schema_change="sync_all_columns")
        bench.add_differential("kept", on_schema_change="append_new_columns")
        bench.build(MORE)
        assert bench.build(GOOD).messages["kept"] == "no changes"
        assert bench.batches() == [(1, 4, 0, 0), (2, 0, 0, 0)]
        assert bench.spark.table(f"{bench.schema}.accounts").columns[:2] == ["account_id", "name"]
        assert "points" not in bench.spark.table(f"{bench.schema}.accounts").columns
        bench.build(GOOD + " where id > 0")
        assert bench.build(GOOD + " where id > 0").messages == dict.fromkeys([MODEL, "kept"], "no changes")
        assert bench.log("account_id, points, _change_type, _batch_id", "kept")[4:] == [(0, 0, "delete", 2)]


class TestGenerations:
    def test_full_refresh_begins_a_new_log_of_all_dates_and_goes_on_counting(self, bench: Workbench) -> None:
        """With other columns; the date that follows is compared with those rows."""
        bench.configure(full_refresh=True, snapshot_date="day")

        def dumps(name: str, days: int) -> str:
            dump = "select 1 as account_id, '{0}' as {1}, date'2026-01-0{0}' as day"
            return " union all ".join(dump.format(day, name) for day in range(1, days + 1))

        bench.build(dumps("name", 2))
        bench.build(dumps("other", 2), "--full-refresh")
        bench.build(dumps("other", 3))
        log = [("1", "insert", 3), ("2", "update", 4), ("3", "update", 5)]
        assert bench.log("other, _change_type, _batch_id") == log
        assert [day for _, day in bench.batches("batch_id, snapshot_date")] == [
            f"2026-01-0{day}" for day in (1, 2, 1, 2, 3)
        ]
        assert "accounts__log" in bench.names()

    @pytest.mark.both_adapters
    def test_full_refresh_of_a_project_leaves_the_log_and_rebuilds_what_reads_it(self, bench: Workbench) -> None:
        later = "{% if is_incremental() %} where _batch_id > (select max(_batch_id) from {{ this }}) {% endif %}"
        select = "select *, '{{ invocation_id }}' as built_by from {{ ref('accounts') }} "
        bench.add_model("seen", "{{ config(materialized='incremental') }} " + select + later)
        bench.build(GOOD)
        done = bench.build(GOOD + " where id < 3", "--full-refresh")
        assert done.text.count("accounts: --full-refresh did not rebuild this model, which continues from batch 1") == 1
        assert [row[-2:] for row in bench.log()] == [("insert", 1)] * 4 + [("delete", 2)]
        rebuilt = bench.spark.table(f"{bench.schema}.seen")
        assert (rebuilt.count(), rebuilt.select("built_by").distinct().count()) == (5, 1)
        assert "Nothing was changed." in bench.refused(None, "--full-refresh", "--select", "accounts")


class TestRepair:
    @pytest.mark.both_adapters
    def test_lost_view_is_published_again_unless_its_decision_is_gone(self, bench: Workbench) -> None:
        """A log without its decision is never taken for a new model; one of a later version is refused."""
        bench.build(GOOD)
        bench.spark.sql(f"drop view {bench.schema}.accounts")
        done = bench.build(GOOD)
        assert "finishing batch 1" in done.text
        assert len(bench.log()) == 4

        commit = f"{bench.schema}.accounts__commit_1"
        record = json.loads(bench.spark.table(commit).collect()[0].record) | {"version": 99}
        bench.spark.sql(f"alter view {commit} as select {literal(json.dumps(record))} as record")
        assert "format 99" in bench.refused(GOOD)

        bench.spark.sql(f"drop view {bench.schema}.accounts")
        bench.spark.sql(f"drop view {commit}")
        assert "the record of the last commit is missing" in bench.failed()
        assert "accounts__log" in bench.names()

    @pytest.mark.parametrize("operation", [None, "compact"])
    def test_batches_of_an_older_version_gain_columns(self, bench: Workbench, operation: str | None) -> None:
        bench.build(GOOD)
        bench.build(GOOD + " where id < 3")
        shown = "batch_id, attempt, strategy, reason, rows_new, inserts, deletes, seconds, decided_at"
        before = bench.batches(shown)
        commit, batches = f"{bench.schema}.accounts__commit_2", f"{bench.schema}.accounts__batches"
        record = json.loads(bench.spark.table(commit).collect()[0].record)
        del record["batches_columns"]
        bench.spark.sql(f"alter view {commit} as select {literal(json.dumps(record))} as record")
        older = bench.spark.table(batches).drop("dump_checksum", "bytes_full")
        bench.spark.createDataFrame(older.collect(), older.schema).createOrReplaceTempView("older")
        bench.spark.sql(f"drop table {batches} purge")
        make = f"create table {batches} using {bench.file_format} partitioned by (batch_id)"
        bench.spark.sql(f"{make} as select * from older")
        bench.spark.sql("drop view older")
        if operation:
            assert (done := bench.operate(operation, model="accounts")).ok, done.text
        bench.build(GOOD)
        assert bench.batches(shown)[:2] == before
        assert len(bench.batches("bytes_full")) == (4 if operation else 3)
        assert bench.batches("inserts, deletes")[-1] == (1, 0)

    def test_a_schema_for_helpers_is_not_shared_by_targets(self, bench: Workbench) -> None:
        """Two targets would go on with one log; a model that has moved takes its helpers along."""
        state, other = f"{bench.schema}_state", f"{bench.schema}_other"
        bench.configure(state_schema=state)
        try:
            bench.build(GOOD)
            assert bench.names() == {"accounts"}
            bench.configure(state_schema=state, schema="other")
            message = bench.refused(GOOD + " where id < 3")
            assert f"the helper relations in {state} belong to `{bench.schema}`.`accounts`" in message
            assert not bench.operate("compact", model=MODEL).ok
            bench.spark.sql(f"drop view {bench.schema}.accounts")
            assert bench.run().ok
            moved = bench.spark.table(f"{other}.accounts")
            assert moved.where("_batch_id = 2").select("account_id", "_change_type").collect() == [(3, "delete")]
            assert bench.operate("compact", model=MODEL).ok
            assert "no changes" in bench.run().text
            bench.configure(state_schema=state)
            assert f"belong to `{other}`.`accounts`" in bench.run().text
        finally:
            bench.spark.sql(f"drop schema {state} cascade")
            bench.spark.sql(f"drop schema if exists {other} cascade")
