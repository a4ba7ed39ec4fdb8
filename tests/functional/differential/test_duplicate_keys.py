"""Keys that stand more than once: set aside and held, or compared as a bag of rows."""

import re
from typing import Any

import pytest
from workbench import Workbench

SET_ASIDE = "{{ config(materialized='table') }}{{ deltawave.quarantine(ref('accounts')) }}"

NOTHING_WAS_SET_ASIDE = """
{{ config(severity='warn') }}
select *
from ({{ deltawave.quarantine(ref('accounts')) }})
where _batch_id = (select max(batch_id) from ({{ deltawave.batches(ref('accounts')) }}))
"""


def rows(values: str) -> str:
    return f"select * from values {values} as t(account_id, name)"


class TestQuarantine:
    models = {"set_aside.sql": SET_ASIDE}

    @pytest.fixture
    def bench(self, bench: Workbench) -> Workbench:
        bench.configure(duplicate_keys="quarantine")
        return bench

    def set_aside(self, bench: Workbench, columns: str = "account_id, name, _batch_id") -> list[tuple[Any, ...]]:
        """What a model over the macro shows."""
        found = bench.spark.sql(f"select {columns} from {bench.schema}.set_aside order by {columns}").collect()
        return [tuple(row) for row in found]

    def sides(self, bench: Workbench) -> list[str]:
        """Which sides are kept: all that is left of the names behind x__, without batch and attempt."""
        known = {"", "log", "batches", "quarantine"}
        parts = {name.removeprefix("accounts").removeprefix("__") for name in bench.names()}
        return sorted(part.split("_")[0] for part in parts - known)

    def test_keys_are_set_aside_and_held(self, bench: Workbench) -> None:
        """dbt counts them in a test."""
        bench.add_test("nothing_was_set_aside", NOTHING_WAS_SET_ASIDE)
        done = bench.build(rows("(1, 'ann'), (2, 'bob'), (2, 'rob'), (3, 'cid'), (5, 'eve')"))
        message = done.text
        assert done.messages["accounts"] == "1 batch: 3 inserts, 0 deletes, 0 updates, 2 rows quarantined"
        assert "deltawave: accounts: batch 1: +3 -0 ~0 of 3, 2 quarantined, " in message
        assert "accounts, batch 1: 1 key(s) (account_id) occur more than once, for instance (2)." in message
        assert "Their 2 rows were quarantined, and the log keeps the previous rows of these keys" in message
        assert "deltawave.quarantine(ref('accounts'))" in message
        assert bench.log() == [(1, "ann", "insert", 1), (3, "cid", "insert", 1), (5, "eve", "insert", 1)]
        assert self.set_aside(bench) == [(2, "bob", 1), (2, "rob", 1)]

        bench.build(rows("(1, 'ann'), (2, 'bob'), (3, 'kid'), (3, 'kid'), (3, 'sid'), (4, 'dan'), (5, 'eva')"))
        assert bench.log()[3:] == [(2, "bob", "insert", 2), (4, "dan", "insert", 2), (5, "eva", "update", 2)]
        assert self.set_aside(bench)[2:] == [(3, "kid", 2), (3, "kid", 2), (3, "sid", 2)]
        assert self.sides(bench) == ["accepted", "commit"]
        assert "WARN=1" in bench.run(command="test").text

        bench.build(rows("(1, 'ann'), (2, 'bob'), (3, 'sid'), (4, 'dan'), (5, 'eva')"))
        assert bench.log("account_id, name, _before.name, _change_type, _batch_id")[6:] == [
            (3, "sid", "cid", "update", 3)
        ]
        assert self.sides(bench) == ["commit", "copy"]
        assert "WARN=0" in bench.run(command="test").text
        columns = "rows_old, rows_dump, rows_new, quarantined, inserts, deletes, updates"
        assert bench.batches(columns) == [(0, 5, 3, 2, 3, 0, 0), (3, 7, 5, 3, 2, 0, 1), (5, 5, 5, 0, 0, 0, 1)]

    def test_a_batch_is_made_of_rows_that_are_set_aside_alone(self, bench: Workbench) -> None:
        bench.build(rows("(1, 'ann'), (2, 'bob'), (3, 'cid')"))
        assert self.set_aside(bench) == []
        bench.build(rows("(1, 'ann'), (2, 'bob'), (2, 'bob'), (3, 'cid')"))
        assert bench.batches("batch_id, rows_new, quarantined, inserts + deletes + updates") == [
            (1, 3, 0, 3),
            (2, 3, 2, 0),
        ]
        assert "1 row(s) have null in every column of the key" in bench.refused(rows("(1, 'a'), (1, 'b'), (null, 'c')"))
        assert "2 of 3 rows (66.7%) would be deleted" in bench.refused(rows("(1, 'x'), (1, 'y')"))
        assert bench.spark.table(f"{bench.schema}.accounts__quarantine").count() == 2
        bench.build(rows("(1, 'ann'), (3, 'cid')"))
        assert bench.log()[3:] == [(2, "bob", "delete", 3)]

    def test_composite_keys_and_columns_that_come(self, bench: Workbench) -> None:
        bench.configure(
            unique_key=["region", "account_id"], duplicate_keys="quarantine", on_schema_change="append_new_columns"
        )
        bench.build("select * from values (null, 1, 'a'), ('n', 1, 'b') as t(region, account_id, name)")
        bench.build(
            "select * from values (null, 1, 'x', 7), (null, 1, 'y', 8), ('n', 1, 'b', 9) "
            "as t(region, account_id, name, points)"
        )
        assert self.set_aside(bench, "region, account_id, name, points, _batch_id") == [
            (None, 1, "x", 7, 2),
            (None, 1, "y", 8, 2),
        ]
        bench.build("select * from values (null, 1, 'a', 7), ('n', 1, 'b', 9) as t(region, account_id, name, points)")
        # What was held knows nothing of the column that had come.
        assert bench.log("region, name, points, _changed_columns, _before.points, account_id, _batch_id")[2:] == [
            ("n", "b", 9, [], None, 1, 2),
            (None, "a", 7, ["points"], None, 1, 3),
        ]
        report = bench.operate("report", model="accounts", samples=0).text
        head, *cells = [line.split() for line in report.splitlines() if re.match(r" +(batch|[0-9]+) ", line)]
        assert head == ["batch", "date", "inserts", "deletes", "updates", "backfilled", "quarantined", "rows"]
        assert [[line[0], *line[3:]] for line in cells] == [
            ["1", "2", "0", "0", "0", "0", "2"],
            ["2", "0", "0", "0", "1", "2", "2"],
            ["3", "0", "0", "1", "0", "0", "2"],
        ]

    def test_dated_dumps_are_loaded_once(self, bench: Workbench) -> None:
        bench.configure(duplicate_keys="quarantine", snapshot_date="day")
        bench.build(
            "select account_id, name, date'2026-01-01' + day as day from values "
            "(1, 'ann', 0), (2, 'bob', 0), (1, 'ann', 1), (2, 'x', 1), (2, 'y', 1), (2, 'z', 1) "
            "as t(account_id, name, day)"
        )
        assert bench.batches("snapshot_date, rows_dump, rows_new") == [("2026-01-01", 2, 2), ("2026-01-02", 4, 2)]
        assert self.set_aside(bench, "name, unix_date(date(_batch_at)), _batch_id") == [
            (name, 20455, 2) for name in ("x", "y", "z")
        ]
        assert "another number of rows" not in bench.run().text

    def test_types_may_change_before_the_first_batch_alone(self, bench: Workbench) -> None:
        bench.dump(rows("(1, 'ann')"))
        assert bench.run("--empty").ok
        bench.build("select * from values ('a', 1), ('a', 2), ('b', 3) as t(account_id, name)")
        assert bench.batches() == [(1, 1, 0, 0)]
        assert self.set_aside(bench) == [("a", 1, 1), ("a", 2, 1)]
        bench.configure(duplicate_keys="quarantine", full_refresh=True)
        text = bench.refused(rows("(1, 'x'), (1, 'y')"), "--full-refresh")
        assert "accounts__quarantine`, the quarantine, has a column whose type differs from the dump's" in text


STATE = """
{{ config(materialized='table') }}
{{ deltawave.current_state(ref('accounts'), 'account_id', duplicate_keys='multiset') }}
"""
TESTS = """
sources:
  - name: legacy
    schema: "{{ target.schema }}"
    tables:
      - name: dump
models:
  - name: accounts
    data_tests:
      - deltawave.replays_to:
          arguments: {to: "source('legacy', 'dump')", unique_key: account_id, duplicate_keys: multiset}
"""


class TestMultiset:
    models = {"state.sql": STATE, "tests.yml": TESTS}

    def test_rows_are_counted(self, bench: Workbench) -> None:
        bench.configure(duplicate_keys="multiset")
        columns = "as t(account_id, name, amount, tags)"
        bench.build(
            "select * from values (1, 'a', double('NaN'), map('x', 1, 'y', 2)), "
            "(1, 'a', double('NaN'), map('y', 2, 'x', 1)), (1, null, 0.0D, null), (2, 'b', null, null), "
            f"(2, 'b', null, null), (2, 'b', null, null), (3, 'c', 1D, null) {columns}"
        )
        assert bench.batches("inserts, deletes, updates, rows_new") == [(7, 0, 0, 7)]

        bench.build(
            "select * from values (1, 'a', double('NaN'), map('y', 2, 'x', 1)), (1, null, -0.0D, null), "
            "(1, 'z', null, map()), (2, 'b', null, null), (3, 'c', 1D, null), (3, 'c', 1D, null) " + columns
        )
        assert bench.log("account_id, name, _change_type, _before.name, _changed_columns, _batch_id")[7:] == [
            (1, "z", "update", "a", ["name", "amount", "tags"], 2),
            (2, "b", "delete", None, None, 2),
            (2, "b", "delete", None, None, 2),
            (3, "c", "insert", None, None, 2),
        ]
        state = bench.spark.sql(f"select account_id, name from {bench.schema}.state").collect()
        assert sorted(map(tuple, state), key=str) == [
            (1, "a"), (1, "z"), (1, None), (2, "b"), (3, "c"), (3, "c"),
        ]  # fmt: skip
        before = bench.state()
        # The same dump again changes nothing, and is what the log gives.
        assert "PASS deltawave_replays_to" in bench.run(command="build").text
        assert bench.state() == before
        # A log keeps to one way of telling rows apart.
        bench.configure()
        message = "the log was created with duplicate_keys: multiset, but the option is now 'fail'"
        assert message in bench.refused()
