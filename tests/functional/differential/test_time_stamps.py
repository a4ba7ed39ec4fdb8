"""Changes found by a time-stamp of the source (TS), and by a delete flag beside it (TDI, ATDI)."""

from __future__ import annotations

from typing import Any

import pytest
from workbench import Workbench

NOW = "timestamp '2026-03-01 12:00:00'"
Row = tuple[int, str, str]


def rows(*given: Row) -> str:
    """A dump of (key, name, minutes after NOW or an expression)."""
    values = [f"({key}, '{name}', {NOW} + interval '{minutes} minutes')" for key, name, minutes in given]
    return f"select * from values {', '.join(values)} as dump(account_id, name, changed_at)"


def by_time(bench: Workbench, **config: Any) -> None:
    bench.configure(strategy="timestamp", updated_at="changed_at", **config)


def flagged(*given: tuple[int, str, int, bool]) -> str:
    """A dump of (key, name, counter, is it deleted?)."""
    values = [f"({key}, '{name}', {counter}, {str(gone).lower()})" for key, name, counter, gone in given]
    return f"select * from values {', '.join(values)} as dump(account_id, name, version, is_gone)"


def by_flag(bench: Workbench, **config: Any) -> None:
    bench.configure(strategy="timestamp_delete_flag", updated_at="version", delete_flag="is_gone", **config)


class TestTimeStamps:
    def test_ties_and_late_rows(self, bench: Workbench) -> None:
        by_time(bench, overlap="10 minutes")
        bench.build(rows((1, "a", "0"), (2, "b", "60")))
        # 3 is as new as the mark, 4 is late within the overlap, 5 is later than that allows; 2 was touched only.
        bench.build(rows((1, "a", "0"), (2, "b", "61"), (3, "c", "60"), (4, "d", "51"), (5, "e", "40")))
        assert bench.log()[2:] == [(3, "c", "insert", 2), (4, "d", "insert", 2)]
        assert bench.batches("rows_dump")[-1] == (3,)
        assert (
            "no changes"
            in bench.build(rows((1, "a", "0"), (2, "b", "61"), (3, "c", "60"), (4, "d", "51"), (5, "e", "40"))).text
        )

    def test_a_touched_row_moves_the_mark_and_is_no_change(self, bench: Workbench) -> None:
        by_time(bench)
        bench.build(rows((1, "a", "0"), (2, "b", "0")))
        bench.build(rows((1, "a", "5"), (2, "b", "0")))
        assert bench.batches("batch_id, rows_dump, inserts, updates") == [(1, 2, 2, 0), (2, 2, 0, 0)]
        bench.build(rows((1, "a", "5"), (2, "c", "6")))
        assert bench.batches("batch_id, rows_dump, inserts, updates")[-1] == (3, 2, 0, 1)

    def test_a_time_in_the_future_hides_nothing(self, bench: Workbench) -> None:
        by_time(bench)
        far = "timestamp '9999-12-31 00:00:00'"
        bench.build(f"select 1 as account_id, 'a' as name, {far} as changed_at")
        bench.build(
            f"select 1 as account_id, 'a' as name, {far} as changed_at union all select 2, 'b', current_timestamp()"
        )
        assert "no changes" in bench.run().text
        assert bench.log() == [(1, "a", "insert", 1), (2, "b", "insert", 2)]

    def test_rows_without_a_time_are_refused_or_inserts(self, bench: Workbench) -> None:
        first = rows((1, "a", "0"))
        untimed = f"{first} union all select 2, 'b', null"
        by_time(bench)
        bench.build(first)
        assert "1 row(s) have no timestamp (changed_at)" in bench.refused(untimed)
        by_time(bench, null_timestamp="insert")
        bench.build(untimed)
        assert "no changes" in bench.build(untimed).text
        bench.build(untimed.replace("'b'", "'c'"))
        assert bench.log() == [(1, "a", "insert", 1), (2, "b", "insert", 2), (2, "c", "update", 3)]

    def test_a_clock_that_went_back_is_refused(self, bench: Workbench) -> None:
        by_time(bench)
        bench.build(rows((1, "a", "0"), (2, "b", "60")))
        back = rows((1, "a2", "1"), (2, "b2", "2"))
        assert "no row is that recent now (newest: 2026-03-01 12:02:00.000000)" in bench.refused(back)
        assert bench.run("--vars", "deltawave_accept: [accounts]").ok
        assert bench.log()[2:] == [(1, "a2", "update", 2), (2, "b2", "update", 2)]
        bench.build(rows((1, "a2", "1"), (2, "b3", "3")))
        assert bench.log()[4:] == [(2, "b3", "update", 3)]

    def test_an_updated_key_is_an_insert_or_with_a_row_id_both(self, bench: Workbench) -> None:
        select = "select *, name as id from {{ target.schema }}.dump"
        for row_id, expected in [(None, [(9, "insert")]), ("id", [(1, "delete"), (9, "insert")])]:
            bench.clear()
            bench.configure(select, strategy="timestamp", updated_at="changed_at", row_id=row_id)
            bench.build(rows((1, "a", "0"), (2, "b", "0")))
            bench.build(rows((9, "a", "5"), (2, "b", "0")))
            assert bench.log("account_id, _change_type")[2:] == expected

    @pytest.mark.parametrize(
        ("data_type", "overlap"), [("date", "1 day"), ("timestamp_ntz", "1 day"), ("decimal(20,0)", 1), ("int", 1)]
    )
    def test_dates_and_counters(self, bench: Workbench, data_type: str, overlap: str | int) -> None:
        moment = "date_add(date '2026-03-01', {})" if isinstance(overlap, str) else "{}"
        first = f"select 1 as account_id, 'a' as name, cast({moment.format(1)} as {data_type}) as changed_at"
        late = f"union all select 2, 'b', cast({moment.format(0)} as {data_type})"
        by_time(bench, overlap=overlap)
        bench.build(first)
        bench.build(f"{first} {late}")
        assert bench.log() == [(1, "a", "insert", 1), (2, "b", "insert", 2)]


class TestDeleteFlags:
    def test_flagged_rows_are_deletes_with_their_last_values(self, bench: Workbench) -> None:
        by_flag(bench)
        bench.build(flagged((1, "a", 1, False), (2, "b", 1, False), (3, "c", 1, True)))
        assert bench.log() == [(1, "a", "insert", 1), (2, "b", "insert", 1)]
        # 2 goes, its last name never seen; 4 is born and goes between two runs; 3 comes back.
        bench.build(flagged((1, "a", 1, False), (2, "b2", 2, True), (3, "c", 2, False), (4, "d", 2, True)))
        assert bench.log()[2:] == [(2, "b", "delete", 2), (3, "c", "insert", 2)]
        assert "is_gone" not in bench.spark.table(f"{bench.schema}.accounts").columns
        # A key that is flagged in one row and stands in another has not gone.
        bench.build(flagged((1, "a", 3, True), (1, "a3", 3, False), (3, "c", 2, False)))
        assert bench.log()[4:] == [(1, "a3", "update", 3)]

    def test_taken_deletes_can_be_removed_at_the_source(self, bench: Workbench) -> None:
        by_flag(bench)
        taken = (
            "{{ config(materialized='table') }}{{ deltawave.taken_deletes(ref('accounts'), 'account_id', 'version') }}"
        )
        bench.add_model("taken", taken)
        bench.build(flagged((1, "a", 1, False), (2, "b", 1, False)))
        bench.build(flagged((1, "a", 1, False), (2, "b", 2, True)))
        found = bench.spark.table(f"{bench.schema}.taken").collect()
        assert [tuple(row) for row in found] == [(2, 2, 2)]
        # Removed: nothing is as new as the mark, and that is no clock that went back.
        bench.build(flagged((1, "a", 1, False)))
        bench.build(flagged((1, "a2", 3, False)))
        assert bench.log()[2:] == [(2, "b", "delete", 2), (1, "a2", "update", 3)]
        bench.build(flagged((1, "a2", 3, False), (2, "again", 4, False)))
        assert bench.spark.table(f"{bench.schema}.taken").count() == 0

    def test_restriction_and_projection_reach_the_source(self, bench: Workbench) -> None:
        """CH98 3.1: a department's salaries, of a table with many columns."""
        columns = ", ".join(f"concat('c', id) as c{number}" for number in range(20))
        named = "id as account_id, id % 100 as department, id as salary, cast({} as int) as version"
        dump = f"select {named}, {columns} from range(5000)"
        select = "select account_id, salary, version from {{ target.schema }}.dump where department = 7"
        bench.configure(select, strategy="timestamp", updated_at="version")
        bench.build(dump.format("1"))
        bench.build(dump.format("if(id = 107, 2, 1)").replace("id as salary", "if(id = 107, 0, id) as salary"))
        assert bench.batches("rows_dump, inserts, updates") == [(50, 50, 0), (50, 0, 1)]
        statements = (bench.root / "target" / "run" / "test" / "models" / "accounts.sql").read_text().split(";\n\n")
        (landing,) = [each for each in statements if "__slice_" in each and each.startswith("create table")]
        query = landing.partition("\nas\n")[2]
        plan = bench.spark.sql(f"explain {query}").collect()[0][0]
        assert "ReadSchema: struct<account_id:bigint,department:bigint,salary:bigint,version:int>" in plan
        assert "EqualTo(department,7)" in plan
        assert "GreaterThanOrEqual(version,1)" in plan
