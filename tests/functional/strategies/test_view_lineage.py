"""What lies between change logs and a view that is kept from them: stored rows, and code that is edited."""

import pytest
from joined import Project, config, log_model, state_of
from workbench import SEVERAL, Workbench

TABLES = {"orders": "order_id int, customer string", "items": "item_id int, order_id int, title string"}
KEY = ["order_id", "item_id"]
RELATIONS = {"orders_changes": {"order_id": "order_id"}, "items_changes": {"item_id": "item_id"}}
TITLES = "item_id, title, _change_type"
ITEMS = "{{ config(materialized='table') }} select item_id, order_id, title from "
ITEMS += state_of("items_changes", ["item_id"])
LINES = """
{{ config(materialized='view') }}
select orders.order_id, items.item_id, orders.customer, items.title, countries.country
from {orders} as orders
left join {{ ref('items_now') }} as items on orders.order_id = items.order_id
left join {{ ref('countries') }} as countries on orders.customer = countries.customer
"""
LINES = LINES.replace("{orders}", state_of("orders_changes", ["order_id"]))
VIEW = {
    "strategy": "view",
    "unique_key": KEY,
    "root": "orders_changes",
    "relations": RELATIONS,
    "max_delete_fraction": 1,
}
STALE = "which store rows and were not built in this run"
START = {"orders": [(1, "ann"), (2, "bob")], "items": [(10, 1, "pen"), (20, 2, "ink")]}


class TestLineage:
    @pytest.fixture(scope="class")
    def shop(self, shared_bench: Workbench) -> Project:
        shop = Project(shared_bench, TABLES, "order_lines")
        shop.write("orders_changes", log_model("orders", ["order_id"]))
        shop.write("items_changes", log_model("items", ["item_id"]))
        shop.write("items_now", ITEMS)
        shop.write("lines", LINES)
        shop.write("order_lines", config(**VIEW) + "select * from {{ ref('lines') }}")
        self.seed(shop, "se")
        shop.fill(**START)
        done = shop.bench.run(*SEVERAL, command="build")
        assert done.ok, done.text
        return shop

    def seed(self, shop: Project, country: str) -> None:
        folder = shop.bench.root / "seeds"
        folder.mkdir(exist_ok=True)
        (folder / "countries.csv").write_text(f"customer,country\nann,{country}\n")

    def test_stored_rows_are_built_in_the_same_run(self, shop: Project) -> None:
        number = shop.last_batch()
        shop.build("--select", "items_changes", items=[(10, 1, "biro"), (20, 2, "ink")])
        assert STALE in shop.refused()
        assert shop.last_batch() == number
        # Nothing says that a table of another run is new enough, but its user.
        shop.build("--select", "items_now")
        assert "dbt run --select items_now order_lines" in shop.refused()
        shop.build("--select", "order_lines", "--vars", "deltawave_accept: order_lines")
        assert shop.changes(TITLES) == [(10, "biro", "update")]
        # An older log with a new table is no way round.
        shop.build("--select", "items_changes", "items_now", "order_lines", items=[(10, 1, "nib"), (20, 2, "ink")])
        assert shop.changes(TITLES) == [(10, "nib", "update")]
        assert shop.batch("rows_dump") == (1,)
        # Without news, and with news that are not stored on the way, the view alone is right.
        shop.build("--select", "orders_changes", "order_lines", orders=[(1, "ann"), (2, "rob")])
        assert shop.changes("order_id, customer, _change_type") == [(2, "rob", "update")]
        assert "no changes" in shop.build("--select", "order_lines").text

    def test_stored_rows_of_an_undone_batch_are_not_read(self, shop: Project) -> None:
        number = shop.query("select max(batch_id) from {schema}.items_changes__batches")[0][0]
        before = shop.filled["items"]
        shop.build("--select", "items_changes", "items_now", items=[before[0], (20, 2, "undone")])
        assert shop.bench.operate("rewind", model="items_changes", to_batch=number).ok
        shop.build("--select", "orders_changes", orders=[(1, "ann"), (2, "bob")])
        assert STALE in shop.refused()
        shop.build("--select", "items_now", "order_lines")
        assert shop.changes("item_id, customer, title, _change_type") == [(20, "bob", "ink", "update")]
        shop.fill(items=before)
        assert "no changes" in shop.build("--select", "order_lines").text

    def test_an_anchor_of_another_type_is_found(self, shop: Project) -> None:
        options = VIEW | {"unique_key": ["number"], "relations": {"orders_changes": {"order_id": "number"}}}
        state = state_of("orders_changes", ["order_id"])
        select = f"select lpad(cast(order_id as string), 2, '0') as number, customer from {state}"
        shop.write("numbered", config(**options) + select)
        shop.build("--select", "numbered")
        shop.build("--select", "orders_changes", "numbered", orders=[(1, "ann"), (2, "eve")])
        found = shop.query("select number, customer, _change_type from {schema}.numbered where _batch_id = 2")
        assert found == [("02", "eve", "update")]
        shop.build("--select", "order_lines")
        (shop.bench.root / "models" / "numbered.sql").unlink()

    def test_edited_code_between_is_noticed(self, shop: Project) -> None:
        # A view is what stands in the warehouse.
        shop.write("lines", LINES.replace("items.title,", "upper(items.title) as title,"))
        assert "no changes" in shop.build("--select", "order_lines").text
        shop.build("--select", "lines")
        shop.build("--select", "order_lines")
        assert shop.changes(TITLES) == [(10, "NIB", "update"), (20, "INK", "update")]
        # A table is as it was built, and nothing says when.
        shop.write("items_now", ITEMS.replace(", title", ", concat(title, 's') as title"))
        assert STALE in shop.refused()
        shop.build("--select", "items_now", "order_lines")
        assert shop.changes(TITLES) == [(10, "NIBS", "update"), (20, "INKS", "update")]
        # What is to become a view is a table until it is built.
        shop.write("items_now", ITEMS.replace("'table'", "'view'"))
        assert STALE in shop.refused()
        shop.build("--select", "items_now", "order_lines")
        assert shop.changes(TITLES) == [(10, "NIB", "update"), (20, "INK", "update")]

    def test_an_edited_seed_is_noticed(self, shop: Project) -> None:
        self.seed(shop, "fr")
        assert "dbt build --select countries order_lines" in shop.refused()
        assert shop.bench.run("--select", "countries", "order_lines", command="build").ok
        assert shop.changes("item_id, country, _change_type") == [(10, "fr", "update")]
