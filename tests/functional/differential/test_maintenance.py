"""What the operations on a change log leave: rewind, expire, compact, purge."""

import pytest
from numbered import DATED
from workbench import STOPPING, Workbench

LATE = " union all select * from values (1, 'anna', date '2026-01-03'), (3, 'cad', date '2026-01-03')"
FIRST_TWO = [(1, "ann", "insert", 1), (2, "bob", "insert", 1), (1, "anna", "update", 2), (3, "cid", "insert", 2)]
ALL = [*FIRST_TWO, (2, "bob", "delete", 3), (3, "cyd", "update", 3)]

_INCREMENTAL = "{{ config(materialized='incremental', file_format='parquet') }} "
READERS = {
    "all_batches": _INCREMENTAL + "select * from {{ ref('accounts') }}",
    "first_batches": _INCREMENTAL + "select * from {{ ref('accounts') }} where _batch_id < 3",
    "never_built": _INCREMENTAL + "select * from {{ ref('accounts') }}",
    "between": "select account_id from {{ ref('accounts') }}",
    "unnumbered": _INCREMENTAL + "select account_id from {{ ref('between') }}",
}


@pytest.fixture
def dated(bench: Workbench) -> Workbench:
    """A log of three dated dumps."""
    bench.configure(snapshot_date="day")
    bench.build(DATED)
    assert bench.log() == ALL
    return bench


class TestRewind:
    def test_late_dump_is_loaded(self, dated: Workbench) -> None:
        for name, select in READERS.items():
            dated.add_model(name, select)
        dated.build(None, "--exclude", "accounts", "never_built")
        done = dated.operate("rewind", model="accounts", to_batch=2)
        assert done.ok, done.text
        assert "rewound to batch 2, undoing 3 (as batch 4)" in done.text
        assert "rebuild them: dbt run --full-refresh --select all_batches unnumbered\n" in done.text + "\n"
        assert dated.log() == FIRST_TWO
        dated.build(DATED + LATE)
        assert dated.log() == [*FIRST_TWO, (2, "bob", "delete", 5), (3, "cad", "update", 5), (3, "cyd", "update", 6)]
        assert dated.batches("batch_id, snapshot_date, rows_old, rows_new, strategy, rewound_to") == [
            (1, "2026-01-01", 0, 2, "outer_join", None),
            (2, "2026-01-02", 2, 3, "outer_join", None),
            (3, "2026-01-04", 3, 2, "outer_join", None),
            (4, "2026-01-02", 2, 3, "rewind", 2),
            (5, "2026-01-03", 3, 2, "outer_join", None),
            (6, "2026-01-04", 2, 2, "outer_join", None),
        ]

    def test_column_of_an_undone_batch_makes_no_updates(self, bench: Workbench) -> None:
        bench.configure(on_schema_change="append_new_columns")
        bench.build("select 1 as account_id, 'ann' as name")
        bench.build("select 1 as account_id, 'ann' as name, 'here' as place")
        assert bench.operate("rewind", model="accounts", to_batch=1).ok
        bench.build("select 1 as account_id, 'ann' as name, 'there' as place")
        bench.build("select 1 as account_id, 'ann' as name, 'away' as place")
        assert bench.batches("batch_id, updates, backfilled")[3:] == [(4, 0, 1), (5, 1, 0)]
        assert bench.log("account_id, name, place, _before.place, _changed_columns, _change_type, _batch_id") == [
            (1, "ann", None, None, None, "insert", 1),
            (1, "ann", "there", None, [], "update", 4),
            (1, "ann", "away", "there", ["place"], "update", 5),
        ]

    def test_dump_without_a_column_is_undone(self, bench: Workbench) -> None:
        models = ("append_new_columns", "sync_all_columns")
        for name in models:
            bench.add_differential(name, on_schema_change=name)
        for columns in ("'ann' as name, 'here' as place", "'eve' as name", "'ann' as name"):
            bench.build(f"select id as account_id, {columns} from range(2)", "--select", *models)
        for name in models:
            assert bench.operate("rewind", model=name, to_batch=1).ok
            here = [(0, "ann", "here", 1), (1, "ann", "here", 1)]
            assert bench.log("account_id, name, place, _batch_id", name) == here
        last = "select id as account_id, 'ann' as name, if(id = 1, 'away', 'here') as place from range(2)"
        bench.build(last, "--select", *models)
        for name in models:
            assert bench.batches("batch_id, updates, backfilled", name)[-1] == (5, 1, 0)
            assert bench.log("account_id, place, _changed_columns, _before.place, _batch_id", name)[2:] == [
                (1, "away", ["place"], "here", 5)
            ]

    def test_expired_rows_keep_a_column_that_is_hidden_now(self, bench: Workbench) -> None:
        bench.configure(on_schema_change="sync_all_columns")
        bench.build("select id as account_id, 'ann' as name, 'here' as place from range(2)")
        bench.build("select id as account_id, if(id = 1, 'bob', 'ann') as name, 'here' as place from range(2)")
        bench.build("select id as account_id, 'eve' as name from range(2)")
        assert bench.operate("expire", model="accounts", to_batch=2).ok
        assert bench.operate("rewind", model="accounts", to_batch=2).ok
        rows = [(0, "ann", "here", "insert", 2), (1, "bob", "here", "insert", 2)]
        assert bench.log("account_id, name, place, _change_type, _batch_id") == rows
        bench.build("select id as account_id, if(id = 1, 'bob', 'ann') as name, 'here' as place from range(2)")
        assert bench.log("account_id, name, place, _change_type, _batch_id") == rows

    def test_batch_without_a_column_is_gone_back_to(self, bench: Workbench) -> None:
        bench.configure(on_schema_change="append_new_columns")
        bench.build("select 1 as account_id, 'ann' as name, 'here' as place")
        bench.build("select 1 as account_id, 'eve' as name")
        bench.build("select 1 as account_id, 'eve' as name, 'away' as place")
        assert bench.operate("rewind", model="accounts", to_batch=2).ok
        bench.build("select 1 as account_id, 'eve' as name, 'there' as place")
        bench.build("select 1 as account_id, 'eve' as name, 'gone' as place")
        assert bench.batches("batch_id, updates, backfilled")[3:] == [(4, 0, 0), (5, 0, 1), (6, 1, 0)]


@pytest.mark.s3
class TestExpire:
    def test_expired_batches_become_their_state(self, dated: Workbench) -> None:
        """Wrong arguments change nothing, and only superseded logs are purged."""
        before = dated.state()
        for macro, args, message in [
            ("rewind", {"model": "acounts", "to_batch": 1}, "rewind: there is no model 'acounts'"),
            ("rewind", {"model": "accounts", "to_batch": 3}, "has the batches 1, 2, 3; take any but the last"),
            ("rewind", {"model": "accounts", "to_batch": "x"}, "to_batch can't be 'x'"),
            ("expire", {"model": "accounts"}, "give to_batch or before"),
            ("expire", {"model": "accounts", "before": "spring"}, "before can't be 'spring'; it takes a date"),
        ]:
            done = dated.operate(macro, **args)
            assert not done.ok
            assert message in done.text
        assert dated.state() == before

        done = dated.operate("expire", model="accounts", before="2026-01-03")
        assert "expired the batches up to 2 (as batch 4)" in done.text
        shortened = [
            (1, "anna", "insert", 2),
            (2, "bob", "insert", 2),
            (3, "cid", "insert", 2),
            (2, "bob", "delete", 3),
            (3, "cyd", "update", 3),
        ]
        assert dated.log() == shortened
        assert "nothing to expire" in dated.operate("expire", model="accounts", to_batch=2).text
        again = dated.run()
        assert "WARN" not in again.text.replace("WARN=0", ""), "expired dates are still known"
        assert dated.log() == shortened

        assert dated.operate("compact", model="accounts").ok
        logs = {name for name in dated.names() if "__log" in name}
        assert "accounts__log" in logs
        assert len(logs) == 3
        done = dated.operate("purge", model="accounts")
        assert "dropped accounts__log" in done.text
        assert dated.log() == shortened
        assert len({name for name in dated.names() if "__log" in name}) == 1
        assert "dropped nothing" in dated.operate("purge", model="accounts").text


class TestRefusedOperations:
    def test_log_without_its_first_rows(self, bench: Workbench) -> None:
        bench.configure(initial_load="baseline")
        bench.build("select 1 as account_id, 'ann' as name")
        bench.build("select 1 as account_id, 'anna' as name")
        done = bench.operate("rewind", model="accounts", to_batch=1)
        assert "the state at a batch cannot be rebuilt" in done.text
        # That the option has changed since brings no rows back.
        bench.configure()
        done = bench.operate("rewind", model="accounts", to_batch=1)
        assert "set initial_load: inserts and full_refresh: true, and run once with --full-refresh." in done.text
        bench.configure(initial_load="inserts", full_refresh=True)
        bench.build(None, "--full-refresh")
        bench.build("select 1 as account_id, 'anne' as name")
        assert bench.operate("rewind", model="accounts", to_batch=3).ok


class TestWiderColumns:
    def test_numbers_grow(self, bench: Workbench) -> None:
        """int to bigint, then a dump with the narrow type again; decimal to a wider one. It has to be allowed."""
        bench.build("select * from values (1, 5, 1.5BD), (2, 6, 2.5BD) as t(account_id, amount, price)")
        wider = "select * from values (1, 5L, 1.50BD), (2, 5000000000L, 2.55BD) as t(account_id, amount, price)"
        assert "sync_all_columns, which widens" in bench.refused(wider)
        bench.configure(on_schema_change="sync_all_columns")
        for key, amount in (("1L", "5"), ("1", "'five'")):
            other = f"select {key} as account_id, {amount} as amount, 1.5BD as price"
            assert "Cast it to int" in bench.refused(other)
        bench.build(wider)
        bench.build("select * from values (1, 7, 1.5BD), (2, 8, 2.5BD) as t(account_id, amount, price)")
        columns = "account_id, amount, string(price), _change_type, _before.amount, _changed_columns, _batch_id"
        assert bench.log(columns) == [
            (1, 5, "1.50", "insert", None, None, 1),
            (2, 6, "2.50", "insert", None, None, 1),
            (2, 5000000000, "2.55", "update", 6, ["amount", "price"], 2),
            (1, 7, "1.50", "update", 5, ["amount"], 3),
            (2, 8, "2.50", "update", 5000000000, ["amount", "price"], 3),
        ]


class TestStoppedOperations:
    macros = STOPPING

    def test_next_run_goes_on_from_where_it_stopped(self, dated: Workbench) -> None:
        """Before its decision an operation has done nothing, after it the next run completes it."""
        state = dated.state()
        for undone, step in [(3, "decide"), (3, "record"), (5, "clean")]:
            done = dated.operate("rewind", "--vars", f"stop_at: {step}", model="accounts", to_batch=2)
            assert f"stopped at {step}" in done.text
            if step == "decide":
                left = dated.state()
                assert all(left[name] == state[name] for name in ("accounts", "accounts__log", "accounts__batches"))
                continue
            dated.build()
            assert dated.log() == [*FIRST_TWO, (2, "bob", "delete", undone + 2), (3, "cyd", "update", undone + 2)]
        assert dated.operate("purge", model="accounts").ok
        helpers = sorted(name.removeprefix("accounts") for name in dated.names())
        assert [name.split("_")[2] for name in helpers if name] == ["batches", "commit", "copy", "log"]
