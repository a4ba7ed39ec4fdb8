"""Strategy timestamp: changes found by a timestamp of the source (TS), under edits and clocks that go wrong."""

from typing import Any

from stamped import BY_CLOCK, BY_FLAG, BY_TIME, hours, moments, rows
from workbench import DUMP, REWRITING, SEVERAL, Workbench

NOON = "timestamp '2026-03-01 12:00:00'"
Timed = tuple[int, str, str]


def timed(*given: Timed) -> str:
    """A dump of (key, name, minutes after NOON or an expression)."""
    values = [f"({key}, '{name}', {NOON} + interval '{minutes} minutes')" for key, name, minutes in given]
    return f"select * from values {', '.join(values)} as dump(account_id, name, changed_at)"


def by_time(bench: Workbench, **config: Any) -> None:
    bench.configure(strategy="timestamp", updated_at="changed_at", **config)


class TestTimeStamps:
    def test_a_touched_row_moves_the_mark_and_is_no_change(self, bench: Workbench) -> None:
        by_time(bench)
        bench.build(timed((1, "a", "0"), (2, "b", "0")))
        bench.build(timed((1, "a", "5"), (2, "b", "0")))
        assert bench.batches("batch_id, rows_dump, inserts, updates") == [(1, 2, 2, 0), (2, 2, 0, 0)]
        bench.build(timed((1, "a", "5"), (2, "c", "6")))
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
        first = timed((1, "a", "0"))
        untimed = f"{first} union all select 2, 'b', null"
        by_time(bench)
        bench.build(first)
        assert "1 row(s) have no timestamp (changed_at)" in bench.refused(untimed)
        by_time(bench, null_timestamp="insert")
        bench.build(untimed)
        assert "no changes" in bench.build(untimed).text
        bench.build(untimed.replace("'b'", "'c'"))
        assert bench.log() == [(1, "a", "insert", 1), (2, "b", "insert", 2), (2, "c", "update", 3)]

    def test_a_key_that_another_row_has_now_is_not_deleted(self, bench: Workbench) -> None:
        """Row a moved away from key 1; row c took it, and its timestamp is below the mark."""
        select = "select *, name as id from {{ target.schema }}.dump"
        bench.configure(select, strategy="timestamp", updated_at="changed_at", row_id="id")
        bench.build(timed((1, "a", "4"), (3, "c", "0")))
        bench.build(timed((2, "a", "5"), (1, "c", "3")))
        assert bench.log("account_id, id, _change_type")[2:] == [
            (1, "c", "update"),
            (2, "a", "insert"),
            (3, "c", "delete"),
        ]

    def test_dates_and_counters(self, bench: Workbench) -> None:
        kinds = {
            "dates_by_day": ("date", "1 day"),
            "dates_by_hour": ("date", "2 hours"),
            "wall_clocks": ("timestamp_ntz", "1 day"),
            "decimals": ("decimal(20,0)", 1),
            "integers": ("int", 1),
        }
        for name, (data_type, overlap) in kinds.items():
            moment = "date_add(date '2026-03-01', number)" if isinstance(overlap, str) else "number"
            changed_at = f"cast({moment} as {data_type}) as changed_at"
            select = DUMP.replace("*", f"account_id, name, {changed_at}")
            bench.add_differential(name, select, strategy="timestamp", updated_at="changed_at", overlap=overlap)
        for values in ("(1, 'a', 1)", "(1, 'a', 1), (2, 'b', 0)"):
            dump = f"select * from values {values} as dump(account_id, name, number)"
            bench.build(dump, "--select", *kinds, *SEVERAL)
        for name in kinds:
            assert bench.log(model=name) == [(1, "a", "insert", 1), (2, "b", "insert", 2)], name

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


class TestLostRanges:
    macros = REWRITING

    def test_lost_ranges_are_cut_once_if_the_state_is_rebuilt(self, bench: Workbench) -> None:
        by_time(bench, range_rows=2)
        before = [(key, "a", "0") for key in range(10)]
        bench.build(timed(*before))
        touched = [(key, "b", "5") for key in range(4)]
        bench.build(timed(*touched, *before[4:]))
        (ranges,) = [name for name in bench.names() if "__ranges_" in name]
        bench.spark.sql(f"drop table {bench.schema}.{ranges}")
        # The four changes are more than a fifth of the rows, so that this batch writes the state anew.
        for batch in (3, 4):
            bench.build(timed(*touched, *before[4:9], (9, f"c{batch}", "6")))
            assert bench.log()[-1] == (9, f"c{batch}", "update", batch)


class TestGenerations:
    def test_nothing_of_an_earlier_one_counts(self, bench: Workbench) -> None:
        models = {"by_time": BY_TIME, "by_flag": BY_FLAG}
        for name, config in models.items():
            bench.add_differential(name, full_refresh=True, **config)

        def build(query: str, *options: str) -> list[list[Any]]:
            bench.build(query, "--select", *models, *SEVERAL, *options)
            return [bench.log(model=name) for name in models]

        build(rows((1, "a", 0, False), (2, "b", 60, False)))
        # Nothing is as new as the newest row was.
        assert build(rows((1, "a", 0, False)), "--full-refresh") == [[(1, "a", "insert", 2)]] * 2


class TestEdits:
    def test_rows_that_an_edit_brings_in_are_seen(self, bench: Workbench) -> None:
        below = "select account_id, name, version from {{ target.schema }}.dump where account_id < %d"
        bench.add_model("below", below % 3)
        bench.configure("select * from {{ ref('below') }}", **BY_TIME)
        dump = rows((1, "a", 1, False), (2, "b", 2, False), (3, "c", 1, False))
        bench.build(dump)
        bench.add_model("below", below % 4)
        bench.build(dump)
        assert "no changes" in bench.build(dump).text
        assert bench.log()[2:] == [(3, "c", "insert", 2)]
        # What an edit takes out is reported of, and stays.
        bench.configure(below % 2, **BY_TIME)
        assert "2 row(s) of the previous state are no longer in the select" in bench.build(dump).text
        assert bench.batches("rows_dump, rows_new, deletes")[-1] == (1, 3, 0)

    def test_another_mark_and_other_comparisons_restart(self, bench: Workbench) -> None:
        select = "select *, version * 100 as number, 'x' as note from {{ target.schema }}.dump"
        bench.configure(select, **BY_TIME, ignore_columns=["note", "number"])
        bench.build(rows((1, "a", 1, False), (2, "b", 2, False)))
        bench.configure(select.replace("'x'", "concat('x', name)"), **BY_TIME, ignore_columns=["note", "number"])
        assert "no changes" not in bench.run().text
        bench.configure(select.replace("'x'", "concat('x', name)"), **BY_TIME, ignore_columns="number")
        assert bench.run().ok
        assert bench.log("account_id, note, _change_type")[2:] == [(1, "xa", "update"), (2, "xb", "update")]
        config = BY_TIME | {"updated_at": "number"}
        bench.configure(select.replace("'x'", "concat('x', name)"), **config, ignore_columns="version")
        bench.build(rows((1, "z", 1, False), (2, "b", 2, False)))
        assert bench.log()[-1][:3] == (1, "z", "update")

    def test_a_full_refresh_of_what_lies_below_is_noticed(self, bench: Workbench) -> None:
        """The log goes on, and takes in what its tables did not have before, however old."""
        bench.configure(**BY_TIME, full_refresh=False)
        bench.build(rows((1, "a", 1, False), (2, "b", 2, False)))
        bench.build(rows((1, "a", 1, False), (2, "b", 2, False), (3, "c", 1, False)), "--full-refresh")
        assert bench.log()[2:] == [(3, "c", "insert", 2)]


class TestClocks:
    def test_a_source_whose_clock_is_ahead_did_not_go_back(self, bench: Workbench) -> None:
        bench.configure(**BY_CLOCK)
        bench.build(moments((1, "a", hours(-5)), (2, "b", hours(-2))))
        bench.build(moments((1, "a", hours(-5)), (2, "b2", hours(0.5))))
        assert bench.log()[2:] == [(2, "b2", "update", 2)]

    def test_a_row_far_ahead_hides_no_clock_that_went_back(self, bench: Workbench) -> None:
        bench.configure(**BY_CLOCK)
        ahead = (9, "z", hours(24 * 365))
        first = bench.build(moments((1, "a", hours(-5)), (2, "b", hours(-2)), ahead))
        assert "1 row(s) have a timestamp (changed_at) more than a day ahead" in first.text
        message = bench.refused(moments((1, "a", hours(-5)), (2, "b2", hours(-3)), ahead))
        assert "no row is that recent now" in message

    def test_rows_of_the_future_are_warned_of_refused_or_accepted(self, bench: Workbench) -> None:
        bench.configure(**BY_CLOCK, future_timestamp="fail")
        near = moments((1, "a", hours(-2)), (2, "b", hours(20)))
        bench.build(near)
        far = moments((1, "a", hours(-2)), (2, "b", hours(20)), (3, "c", hours(30)))
        assert "1 row(s) have a timestamp (changed_at) more than a day ahead" in bench.refused(far)
        bench.configure(**BY_CLOCK, future_timestamp="accept")
        assert "ahead" not in bench.build(far).text
        # Rows between the run's clock and theirs are seen all the same.
        bench.build(moments((1, "a", hours(-2)), (2, "b", hours(20)), (3, "c", hours(30)), (4, "d", hours(-1))))
        assert bench.log()[3:] == [(4, "d", "insert", 3)]
