"""Strategy view: the change log of a join, kept from the change logs of its relations."""

from __future__ import annotations

from typing import Any

import pytest
from joined import Project, config, log_model, state_of
from workbench import STOPPING, Workbench

TABLES = {
    "orders": "order_id int, customer string",
    "items": "item_id int, order_id int, product_id int, amount int",
    "products": "product_id int, title string",
}
RELATIONS = {
    "orders_changes": {"order_id": "order_id"},
    "items_changes": {"item_id": "item_id"},
    "products_changes": {"product_id": "product_id"},
}
SELECT = f"""
select
    orders.order_id,
    items.item_id,
    orders.customer,
    items.product_id,
    items.amount,
    products.title
from {state_of("orders_changes", ["order_id"])} as orders
left join {state_of("items_changes", ["item_id"])} as items
    on orders.order_id = items.order_id
left join {state_of("products_changes", ["product_id"])} as products
    on items.product_id = products.product_id
"""
KEY = ["order_id", "item_id"]
SHORT = "order_id, item_id, title, _change_type"


def view(select: str = SELECT, **options: Any) -> str:
    """The view's file."""
    given = {"strategy": "view", "unique_key": KEY, "relations": RELATIONS, "max_delete_fraction": 1}
    return config(**given | options) + select


STATE = {"alias": "products_log", "state_schema": "{schema}_kept"}


def open_shop(bench: Workbench) -> Project:
    """Orders of which the second has no item; of the products one is nowhere."""
    shop = Project(bench, TABLES, "order_lines")
    kept = {name: value.format(schema=shop.schema) for name, value in STATE.items()}
    shop.spark.sql(f"drop schema if exists {kept['state_schema']} cascade")
    shop.write("orders_changes", log_model("orders", ["order_id"]))
    shop.write("items_changes", log_model("items", ["item_id"]))
    shop.write("products_changes", log_model("products", ["product_id"], **kept))
    shop.write("order_lines", view())
    shop.build(
        orders=[(1, "ann"), (2, "bob"), (3, "cid")],
        items=[(10, 1, 100, 1), (11, 1, 101, 2), (30, 3, 100, 5)],
        products=[(100, "pen"), (102, "ink")],
    )
    return shop


@pytest.fixture
def shop(bench: Workbench) -> Project:
    return open_shop(bench)


def assert_right(shop: Project) -> None:
    """The view's log leaves the rows that its select gives."""
    compiled = shop.bench.root / "target" / "compiled" / "test" / "models" / "order_lines.sql"
    columns = ["order_id", "item_id", "customer", "product_id", "amount", "title"]
    assert shop.replayed(KEY, columns) == shop.rows(compiled.read_text())


class TestView:
    def test_changes_of_each_relation(self, shop: Project) -> None:
        assert shop.changes(SHORT) == [
            (1, 10, "pen", "insert"),
            (1, 11, None, "insert"),
            (2, None, None, "insert"),
            (3, 30, "pen", "insert"),
        ]
        # A partner comes, a product is renamed, another one appears.
        shop.build(
            items=[(10, 1, 100, 1), (11, 1, 101, 2), (30, 3, 100, 5), (20, 2, 102, 1)],
            products=[(100, "biro"), (101, "cap"), (102, "ink")],
        )
        assert shop.changes(SHORT + ", _changed_columns, _before.title") == [
            (1, 10, "biro", "update", ["title"], "pen"),
            (1, 11, "cap", "update", ["title"], None),
            (2, 20, "ink", "insert", None, None),
            (2, None, None, "delete", None, None),
            (3, 30, "biro", "update", ["title"], "pen"),
        ]
        assert_right(shop)
        # An item moves to another order, another one to another product.
        shop.build(items=[(10, 1, 100, 1), (11, 1, 102, 2), (30, 2, 100, 5), (20, 2, 102, 1)])
        assert shop.changes(SHORT) == [
            (1, 11, "ink", "update"),
            (2, 30, "biro", "insert"),
            (3, 30, "biro", "delete"),
            (3, None, None, "insert"),
        ]
        assert_right(shop)
        # A row of each relation goes; order 1 leaves its items behind.
        shop.build(
            orders=[(2, "bob"), (3, "cid")],
            items=[(10, 1, 100, 1), (11, 1, 102, 2), (30, 2, 100, 5)],
            products=[(101, "cap"), (102, "ink")],
        )
        assert shop.changes(SHORT) == [
            (1, 10, "biro", "delete"),
            (1, 11, "ink", "delete"),
            (2, 20, "ink", "delete"),
            (2, 30, None, "update"),
        ]
        assert_right(shop)
        # It comes back; a product that nobody orders changes.
        shop.build(orders=[(1, "eve"), (2, "bob"), (3, "cid")], products=[(101, "hat"), (102, "ink")])
        assert shop.changes(SHORT) == [(1, 10, None, "insert"), (1, 11, "ink", "insert")]
        assert_right(shop)

    def test_without_news_nothing_is_read(self, shop: Project) -> None:
        compacted = shop.bench.operate("compact", model="orders_changes")
        assert compacted.ok, compacted.text
        before = shop.spark.sql(f"show tables in {shop.schema}").collect()
        assert "order_lines: batch" not in shop.build().text
        said = (shop.bench.root / "target" / "run" / "test" / "models" / "order_lines.sql").read_text()
        assert "create table" not in said
        assert sorted(shop.spark.sql(f"show tables in {shop.schema}").collect()) == sorted(before)
        assert shop.batches("batch_id, strategy") == [(1, "view")]

    def test_news_that_touch_no_row_are_not_looked_at_twice(self, shop: Project) -> None:
        shop.build(products=[(100, "pen"), (102, "ink"), (103, "oil")])
        assert shop.batches("batch_id, rows_dump, inserts + deletes + updates") == [(1, 4, 4), (2, 0, 0)]
        shop.build()
        assert len(shop.batches("batch_id")) == 2

    def test_another_select_or_mapping_compares_the_whole_view(self, shop: Project) -> None:
        shop.write("order_lines", view(SELECT.replace("items.amount,", "items.amount * 10 as amount,")))
        shop.build("--select", "order_lines")
        assert shop.batches("batch_id, rows_dump, updates")[-1] == (2, 4, 3)
        relations = RELATIONS | {"items_changes": {"order_id": "order_id"}}
        shop.write("order_lines", view(relations={name: relations[name] for name in list(relations)[:2]}))
        shop.build("--select", "order_lines", products=[(100, "pin")])
        assert shop.batches("batch_id, rows_dump, updates")[-1] == (3, 4, 3)
        shop.build()
        assert shop.batches("max(batch_id)") == [(3,)], "products are not in relations any more"

    def test_it_can_follow_a_whole_comparison_and_be_followed(self, shop: Project) -> None:
        shop.write("order_lines", view(strategy="outer_join", relations=None))
        shop.build(products=[(100, "pin"), (102, "ink")])
        shop.write("order_lines", view())
        shop.build(products=[(100, "pun"), (102, "ink")])
        shop.build(products=[(100, "pan"), (102, "ink")])
        assert shop.batches("batch_id, strategy, rows_dump, updates") == [
            (1, "view", 4, 0),
            (2, "outer_join", 4, 2),
            (3, "view", 4, 2),
            (4, "view", 3, 2),
        ]
        assert_right(shop)


class TestRewound:
    def test_an_undone_batch_asks_for_the_whole_view(self, shop: Project) -> None:
        shop.build(orders=[(1, "ann"), (2, "bob"), (3, "eve"), (4, "dan")])
        assert shop.bench.operate("rewind", model="orders_changes", to_batch=1).ok
        for _ in range(2):
            done = shop.bench.run("--select", "order_lines")
            assert not done.ok
            assert "the changes of 'orders_changes' after its batch 2" in done.text
            # Numbers go on, so the log is soon ahead of what was seen.
            shop.build("--exclude", "order_lines", orders=[(1, "ann"), (2, "bob"), (3, "ida")])
        assert len(shop.batches("batch_id")) == 2
        shop.build("--vars", "deltawave_accept: order_lines")
        assert shop.changes("order_id, customer, _change_type") == [(3, "ida", "update"), (4, "dan", "delete")]
        assert_right(shop)

    def test_expired_batches_that_were_not_seen_ask_for_the_whole_view(self, shop: Project) -> None:
        orders = [(1, "ann"), (2, "bob"), (3, "cid")]
        for rows in (orders[1:], orders[:1] + orders[2:], orders):
            shop.build("--select", "orders_changes", orders=rows)
        assert shop.bench.operate("expire", model="orders_changes", to_batch=3).ok
        done = shop.bench.run("--select", "order_lines")
        assert "the changes of 'orders_changes' after its batch 1" in done.text
        shop.build("--vars", "deltawave_accept: order_lines")
        shop.build("--select", "orders_changes", orders=orders[:2])
        assert shop.bench.operate("expire", model="orders_changes", to_batch=4).ok
        shop.build("--select", "order_lines")
        assert shop.changes(SHORT) == [(3, 30, "pen", "delete")]
        assert_right(shop)


class TestStoppedView:
    @pytest.fixture(scope="class")
    def macros(self) -> dict[str, str]:
        return STOPPING

    def test_a_run_that_stops_is_done_again_or_completed(self, shop: Project) -> None:
        for title, step in (("pin", "check"), ("pan", "record"), ("pun", "publish")):
            shop.build("--select", "products_changes", products=[(100, title)])
            done = shop.bench.run("--select", "order_lines", "--vars", f"stop_at: {step}")
            assert f"stopped at {step}" in done.text
            shop.build("--select", "order_lines")
            assert shop.changes(SHORT) == [(1, 10, title, "update"), (3, 30, title, "update")]
        names = {row.tableName for row in shop.spark.sql(f"show tables in {shop.schema} like 'order_lines__*'").collect()}
        assert sorted(name.split("__")[1].split("_")[0] for name in names) == ["base", "batches", "commit", "log", "ranges"]
        assert len(shop.batches("batch_id")) == 4
