"""What an earlier run has left, or another configuration, when a later one comes upon it."""

import pytest
from workbench import MODEL, Workbench

GOOD = "select id as account_id, cast(id as string) as name from range(4)"


def points(value: str) -> str:
    """A dump with one more column."""
    return f"select *, {value} as points from ({GOOD})"


class TestColumnsThatTheLogHolds:
    def test_one_of_a_refused_dump_may_come_with_another_type(self, bench: Workbench) -> None:
        bench.configure(on_schema_change="append_new_columns")
        bench.build(GOOD)
        bench.dump(points("7") + " where account_id = 0")
        assert "would be deleted" in bench.run().text
        bench.build(points("1.5D"))
        assert bench.log("account_id, points, _batch_id")[4:] == [(key, 1.5, 2) for key in range(4)]
        bench.build(points("account_id + 1.5D"))
        assert bench.log("account_id, points, _before.points")[8:] == [(1, 2.5, 1.5), (2, 3.5, 1.5), (3, 4.5, 1.5)]

    def test_one_that_comes_back_grows(self, bench: Workbench) -> None:
        bench.configure(on_schema_change="sync_all_columns")
        bench.build(points("7"))
        bench.build(GOOD)
        assert "was int and is string now" in " ".join(bench.refused(points("'seven'")).split())
        bench.build(points("1.5D"))
        assert bench.log("account_id, points, _change_type, _batch_id") == [
            *((key, 7.0, "insert", 1) for key in range(4)),
            *((key, 1.5, "update", 3) for key in range(4)),
        ]

    def test_a_view_is_not_led_by_one_that_was_away(self, bench: Workbench) -> None:
        """Item 1 leaves order 10 while no dump says of which order it is."""
        plain = "select id as account_id, {} string(id) as name from range(1, 4)"
        bench.configure(on_schema_change="append_new_columns", unique_key="account_id")
        options = {
            "materialized": "differential",
            "unique_key": "order_id",
            "strategy": "view",
            "root": "accounts",
            "relations": {"accounts": {"order_id": "order_id"}},
        }
        state = "{{ deltawave.current_state(ref('accounts'), 'account_id') }}"
        bench.add_model(
            "orders",
            f"{{{{ config({', '.join(f'{name}={value!r}' for name, value in options.items())}) }}}}\n"
            f"select order_id, count(*) as items from ({state}) where order_id is not null group by order_id",
        )
        bench.build(plain.format("10 * id as order_id,"))
        bench.build(plain.format("").replace("string(id)", "if(id = 3, 'new', string(id))"))
        bench.dump(plain.format("if(id = 1, 20L, 10 * id) as order_id,"))
        assert "does not keep the value of 'order_id' before" in " ".join(bench.failed().split())
        bench.build(None, "--vars", "deltawave_accept: [orders]")
        rows = bench.spark.sql(f"select order_id, items, _change_type from {bench.schema}.orders where _batch_id > 2")
        assert sorted(map(tuple, rows.collect())) == [(10, 1, "delete"), (20, 2, "update"), (30, 1, "insert")]


class TestAnotherConfiguration:
    def test_table_of_keys_gains_a_column(self, bench: Workbench) -> None:
        bench.configure(on_schema_change="append_new_columns")
        bench.build("select id as account_id from range(2)")
        bench.build("select id as account_id from range(1, 3)")
        assert bench.log("account_id, _change_type, _before, _batch_id")[2:] == [
            (0, "delete", None, 2),
            (2, "insert", None, 2),
        ]
        bench.build("select id as account_id, 'ann' as name from range(1, 3)")
        assert bench.log("account_id, name, _changed_columns, _batch_id")[4:] == [(1, "ann", [], 3), (2, "ann", [], 3)]
        assert bench.batches("batch_id, updates, backfilled")[2:] == [(3, 0, 2)]

    def test_before_images_from_now_on(self, bench: Workbench) -> None:
        bench.configure(before_image="none")
        bench.build(GOOD)
        bench.build(GOOD.replace("cast(id as string)", "if(id = 0, 'x', string(id))"))
        bench.configure()
        bench.build(GOOD.replace("cast(id as string)", "if(id = 1, 'y', string(id))"))
        assert bench.log("account_id, name, _before.name, _batch_id")[4:] == [
            (0, "x", None, 2),
            (0, "0", "x", 3),
            (1, "y", "1", 3),
        ]

    def test_another_schema_for_helpers_is_no_new_log(self, bench: Workbench) -> None:
        state = f"{bench.schema}_state"
        bench.build(GOOD)
        bench.configure(state_schema=state)
        try:
            assert "no record of the last commit" in " ".join(bench.refused(GOOD).split())
        finally:
            bench.spark.sql(f"drop schema if exists {state} cascade")


class TestOperationsAfterOperations:
    @pytest.mark.parametrize("rewinds", [False, True])
    def test_expiring_up_to_one_keeps_the_copy(self, bench: Workbench, rewinds: bool) -> None:
        bench.configure(duplicate_keys="multiset")
        bag = "select * from values (1, 'ann'), (1, 'ann'), (2, 'bob') as t(account_id, name)"
        bench.build("select 1 as account_id, 'eve' as name")
        bench.build(bag, "--vars", f"deltawave_accept: {MODEL}")
        if rewinds:
            bench.build("select 1 as account_id, 'ann' as name", "--vars", f"deltawave_accept: {MODEL}")
            assert bench.operate("rewind", model=MODEL, to_batch=2).ok
        operations = ["compact", "compact"]
        for operation in operations:
            assert bench.operate(operation, model=MODEL).ok
        last = bench.batches("batch_id")[-1][0]
        done = bench.operate("expire", model=MODEL, to_batch=last - 1)
        assert "expired the batches" in done.text
        assert "no changes" in bench.build(bag).text
