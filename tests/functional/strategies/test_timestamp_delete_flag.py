"""Strategy timestamp_delete_flag: flagged rows are deletes (TDI, ATDI), whatever stands beside them."""

import re
import sqlite3
from pathlib import Path
from typing import Any

from stamped import BY_FLAG, Row, rows
from workbench import MODEL, Workbench

PAGE = Path(__file__).resolve().parents[3] / "docs" / "strategies" / "timestamp_delete_flag.md"


class TestCoveringCopy:
    NARROW = (
        "{{ config(materialized='table') }}"
        "{{ deltawave.covering_copy('{schema}.dump', 'k', 'version', ['name', 'dep'], delete_flag='is_gone') }}"
    )
    SELECT = "select k as account_id, upper(name) as name, version, is_gone from {} where dep = 7"

    def people(self, *given: tuple[int, str, int, int, bool]) -> str:
        """A dump of (key, name, department, counter, is it flagged?) with a column that no model reads."""
        values = [f"({k}, '{name}', {dep}, {at}, {str(gone).lower()}, 'x')" for k, name, dep, at, gone in given]
        return f"select * from values {', '.join(values)} as dump(k, name, dep, version, is_gone, text)"

    def test_the_select_over_it_holds(self, bench: Workbench) -> None:
        bench.add_model("narrow", self.NARROW.replace("{schema}", bench.schema))
        bench.configure(self.SELECT.format("{{ ref('narrow') }}"), **BY_FLAG)
        bench.build(self.people((1, "ann", 7, 1, False), (2, "bob", 7, 1, False), (3, "cid", 8, 1, False)))
        bench.build(self.people((1, "eve", 7, 2, False), (2, "bob", 7, 2, True), (3, "dan", 8, 2, False)))
        assert bench.log() == [
            (1, "ANN", "insert", 1),
            (2, "BOB", "insert", 1),
            (1, "EVE", "update", 2),
            (2, "BOB", "delete", 2),
        ]
        assert "text" not in bench.spark.table(f"{bench.schema}.narrow").columns


class TestTombstones:
    def test_one_beside_a_live_row_deletes_nothing(self, bench: Workbench) -> None:
        bench.configure(**BY_FLAG)
        bench.build(rows((1, "a", 1, False), (3, "c", 1, False)))
        beside = [(1, "a3", 2, False), (2, "b", 5, False)]
        bench.build(rows((1, "a", 2, True), *beside, (3, "c", 1, False)))
        assert bench.log()[2:] == [(1, "a3", "update", 2), (2, "b", "insert", 2)]
        assert "is_gone" not in bench.spark.table(f"{bench.schema}.accounts").columns
        # The tombstone is touched alone; a row that stands alone is flagged at the same time.
        touched = rows((1, "a", 6, True), *beside, (3, "c", 6, True))
        bench.build(touched)
        assert bench.log()[4:] == [(3, "c", "delete", 3)]
        assert "no changes" in bench.build(touched).text
        bench.build(rows((1, "a", 6, True), (1, "a3", 7, True), beside[1], (3, "c", 6, True)))
        assert bench.log()[5:] == [(1, "a3", "delete", 4)]

    def test_a_row_missed_before_is_found_beside_one(self, bench: Workbench) -> None:
        """A live row that came too late to be read is read with its key's tombstone."""
        select = "select *, cast(null as int) as part from {{ target.schema }}.dump"
        bench.configure(select, **BY_FLAG, unique_key=["account_id", "part"])
        bench.build(rows((1, "a", 3, False), (2, "b", 5, False)))
        bench.build(rows((1, "a", 6, True), (1, "late", 4, False), (2, "b", 5, False)))
        assert bench.log()[2:] == [(1, "late", "update", 2)]
        twice = rows((1, "late", 4, False), (1, "later", 4, False), (1, "a", 7, True), (2, "b", 5, False))
        assert "1 key(s) (account_id, part) occur more than once" in bench.refused(twice)

    def test_one_of_a_previous_key_deletes_nothing(self, bench: Workbench) -> None:
        """The tombstone that a changed key left bears the row's stable id."""
        bench.configure("select *, name as id from {{ target.schema }}.dump", **BY_FLAG, row_id="id")
        bench.build(rows((1, "a", 1, False), (2, "b", 1, False)))
        bench.build(rows((1, "a", 2, True), (9, "a", 2, False), (2, "b", 1, False)))
        assert bench.log("account_id, _change_type")[2:] == [(1, "delete"), (9, "insert")]
        assert "0 deletes" in bench.build(rows((1, "a", 3, True), (9, "a", 2, False), (2, "b", 1, False))).text


class TestRestriction:
    """CH98 3.1: restricted to a department, whose rows leave and enter."""

    @staticmethod
    def people(*given: tuple[int, int | None, int, bool | None]) -> str:
        """A dump of (key, department, counter, is it flagged?)."""
        values = [
            ", ".join("null" if value is None else str(value).lower() for value in (key, dep, at, gone))
            for key, dep, at, gone in given
        ]
        return f"select * from values ({'), ('.join(values)}) as dump(account_id, dep, version, is_gone)"

    def test_rows_that_leave_are_deletes(self, bench: Workbench) -> None:
        """An expression has to say what null means."""
        flag, unclear = "coalesce(is_gone, false) or not dep <=> 7", "coalesce(is_gone, false) or dep <> 7"
        bench.configure(**BY_FLAG | {"delete_flag": flag, "max_delete_fraction": 1})
        bench.add_differential("unclear", **BY_FLAG | {"delete_flag": unclear, "max_delete_fraction": 1})
        bench.build(self.people((1, 7, 1, False), (2, 7, 1, None), (3, 8, 1, False), (4, 7, 1, False)))
        before = bench.state("unclear")
        bench.dump(self.people((1, 8, 2, False), (2, None, 2, None), (3, 7, 2, False), (4, 7, 2, True)))
        messages = bench.run().messages
        assert messages[MODEL] == "1 batch: 1 insert, 3 deletes, 0 updates"
        assert f"delete_flag ({unclear}) is null in 1 row(s)" in messages["unclear"]
        assert bench.state("unclear") == before
        expected = [(1, 7, "insert"), (2, 7, "insert"), (4, 7, "insert")]
        left = [(1, 7, "delete"), (2, 7, "delete"), (3, 7, "insert"), (4, 7, "delete")]
        assert bench.log("account_id, dep, _change_type") == expected + left


class TestEmptySources:
    def test_one_that_lost_its_rows_is_refused_without_a_newest_row(self, bench: Workbench) -> None:
        bench.configure(**BY_FLAG)
        bench.build(rows((1, "a", 1, False), (2, "b", 2, False)))
        bench.build(rows((1, "a", 1, False), (2, "b", 3, True)))
        nothing = rows((1, "a", 1, False)) + " where false"
        assert "the dump is empty (the last one had 1 rows)" in bench.refused(nothing)
        # Removed tombstones leave a source with rows, and one without any where the log has none.
        bench.build(rows((1, "a", 1, False)))
        bench.configure(**BY_FLAG, max_delete_fraction=1)
        bench.build(rows((1, "a", 4, True)))
        bench.build(nothing)
        assert bench.log()[2:] == [(2, "b", "delete", 2), (1, "a", "delete", 3)]


class TestLoggedDeletes:
    """The statement of the page removes at the source what the log has read, and nothing else."""

    def purge(self, source: sqlite3.Connection, logged: list[Any]) -> None:
        statement = re.search(r"```sql\n(delete from .*?)```", PAGE.read_text(), re.DOTALL)
        assert statement
        source.execute("delete from warehouse.accounts_to_purge")
        source.executemany("insert into warehouse.accounts_to_purge values (?, ?, ?)", logged)
        source.execute(statement[1])

    def test_a_revived_row_is_not_removed(self, bench: Workbench) -> None:
        source = sqlite3.connect(":memory:")
        source.execute("attach ':memory:' as legacy")
        source.execute("attach ':memory:' as warehouse")
        source.execute("create table legacy.accounts (account_id, name, version, is_gone)")
        source.execute("create table warehouse.accounts_to_purge (account_id, version, batch_id)")

        def write(*given: Row) -> None:
            source.executemany("insert into legacy.accounts values (?, ?, ?, ?)", given)

        def build() -> list[Any]:
            held = source.execute("select account_id, name, version, is_gone from legacy.accounts").fetchall()
            bench.build(rows(*[(key, name, at, bool(gone)) for key, name, at, gone in held]))
            return sorted(tuple(row) for row in bench.spark.table(f"{bench.schema}.accounts_to_purge").collect())

        listed = "{{ deltawave.logged_deletes(ref('accounts'), 'account_id', 'version') }}"
        bench.add_model("accounts_to_purge", "{{ config(materialized='table') }}" + listed)
        bench.configure(**BY_FLAG)
        write(*[(key, "a", 1, False) for key in range(1, 11)])
        build()
        source.execute("update legacy.accounts set is_gone = true, version = 2 where account_id in (1, 2, 3, 4)")
        logged = build()
        assert logged == [(1, 2, 2), (2, 2, 2), (3, 2, 2), (4, 2, 2)]
        # 2 comes back in its row, 3 beside its tombstone; 4 comes back, is read, and goes again unread.
        source.execute("update legacy.accounts set is_gone = false, version = 3 where account_id in (2, 4)")
        write((3, "new", 3, False))
        build()
        source.execute("update legacy.accounts set is_gone = true, version = 4 where account_id = 4")
        self.purge(source, logged)
        left = source.execute("select account_id, version from legacy.accounts where account_id < 5 order by 1")
        assert left.fetchall() == [(2, 3), (3, 3), (4, 4)]
        assert build() == [(1, 2, 2), (4, 4, 4)]
        assert bench.log()[-1] == (4, "a", "delete", 4)
