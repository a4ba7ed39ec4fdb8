"""Strategy view: the change log of a join, kept from the change logs of its relations."""

from typing import Any

import pytest
from bad_input import messages
from joined import Project, config, log_model
from workbench import Workbench

TABLES = {
    "orders": "order_id int, customer string",
    "items": "item_id int, order_id int, product_id int, amount int",
    "products": "product_id int, title string",
}
RELATIONS = {
    "products_changes": {"product_id": "product_id"},
    "items_changes": {"item_id": "item_id"},
    "orders_changes": {"order_id": "order_id"},
}
SELECT = """
-- depends_on: {{ ref('orders_changes') }}, {{ ref('items_changes') }}, {{ ref('products_changes') }}
select
    orders.order_id,
    items.item_id,
    orders.customer,
    items.product_id,
    items.amount,
    products.title
from {{ target.schema }}.orders as orders
left join {{ target.schema }}.items as items
    on orders.order_id = items.order_id
left join {{ target.schema }}.products as products
    on items.product_id = products.product_id
"""
KEY = ["order_id", "item_id"]


def view(select: str = SELECT, **options: Any) -> str:
    """The view's file."""
    given = {
        "strategy": "view",
        "unique_key": KEY,
        "relations": RELATIONS,
        "root": "orders_changes",
        "max_delete_fraction": 1,
    }
    return config(**given | options) + select


# The second order has no item, of the products one is nowhere.
START = {
    "orders": [(1, "ann"), (2, "bob"), (3, "cid")],
    "items": [(10, 1, 100, 1), (11, 1, 101, 2), (30, 3, 100, 5)],
    "products": [(100, "pen"), (102, "ink")],
}
ACCEPTED = ("--vars", "deltawave_accept: order_lines")


# Explains what was landed, just before it is compared.
EXPLAIN = """
{% macro default___step(job, batch, name) %}
  {% set slices = job.statements if name == 'stage' and job.strategy.name == 'view' and not batch.is_first else [] %}
  {% for statement in slices if '__slice_' in statement.split('\\n')[0] %}
    {% do log(run_query('explain ' ~ statement.split('\\nas\\n', 1)[1]).rows[0][0], info=true) %}
  {% endfor %}
{% endmacro %}
"""


@pytest.fixture(scope="class")
def open_once(shared_bench: Workbench) -> Project:
    """Logs of three tables, one of them elsewhere and under another name, and the view over them, for a whole class."""
    shop = Project(shared_bench, TABLES, "order_lines")
    elsewhere = {"alias": "products_log", "state_schema": f"{shop.schema}_kept"}
    shop.write("orders_changes", log_model("orders", ["order_id"]))
    shop.write("items_changes", log_model("items", ["item_id"]))
    shop.write("products_changes", log_model("products", ["product_id"], **elsewhere))
    shop.write("order_lines", view())
    return shop


@pytest.fixture
def shop(open_once: Project) -> Project:
    """The project as it is at the start of each test."""
    open_once.write("order_lines", view())
    open_once.begin(**START)
    return open_once


def assert_right(shop: Project) -> None:
    """The view's log leaves the rows that its select gives."""
    compiled = shop.bench.root / "target" / "compiled" / "test" / "models" / "order_lines.sql"
    columns = ["order_id", "item_id", "customer", "product_id", "amount", "title"]
    assert shop.replayed(KEY, columns) == shop.rows(compiled.read_text())


class TestView:
    def test_without_news_nothing_is_read(self, shop: Project) -> None:
        number = shop.last_batch()
        assert shop.bench.operate("compact", model="orders_changes").ok
        shop.renew()
        text = (shop.bench.root / "target" / "run" / "test" / "models" / "order_lines.sql").read_text()
        assert "create table" not in text
        assert shop.last_batch() == number
        # News that touch no row of the view are read once.
        shop.renew(products=[*START["products"], (103, "oil")])
        assert shop.batch("batch_id, rows_dump, inserts + deletes + updates") == (number + 1, 0, 0)
        shop.renew()
        assert shop.last_batch() == number + 1

    def test_another_select_mapping_or_strategy_compares_the_whole_view(self, shop: Project) -> None:
        shop.write("order_lines", view(SELECT.replace("items.amount,", "items.amount * 10 as amount,")))
        shop.renew()
        assert shop.batch("rows_dump, updates") == (4, 3)
        relations = {name: RELATIONS[name] for name in list(RELATIONS)[1:]}
        shop.write("order_lines", view(relations=relations, constant_relations=["products_changes"]))
        shop.renew()
        assert shop.batch("rows_dump, updates") == (4, 3)
        shop.write("order_lines", view(strategy="outer_join", relations=None, root=None))
        shop.renew(products=[(100, "pin"), (102, "ink")])
        shop.write("order_lines", view())
        shop.renew(products=[(100, "pun"), (102, "ink")])
        assert shop.batch("strategy, rows_dump, updates") == ("view", 4, 2)
        shop.renew(products=[(100, "pun"), (102, "oil")], orders=[(1, "ann"), (2, "eve"), (3, "cid")])
        assert shop.batch("strategy, rows_dump, updates") == ("view", 1, 1)
        assert_right(shop)

    def test_undone_and_expired_batches_ask_for_the_whole_view(self, shop: Project) -> None:
        rows = START["orders"]
        number = shop.query("select max(batch_id) from {schema}.orders_changes__batches")[0][0]
        shop.renew(orders=[*rows[:2], (3, "eve"), (4, "dan")])
        assert shop.bench.operate("rewind", model="orders_changes", to_batch=number).ok
        assert f"the log of 'orders_changes' no longer has the changes after batch {number + 1}" in shop.refused()
        # Numbers go on, so the log is soon ahead of what was seen.
        shop.build("--select", "orders_changes", orders=[*rows[:2], (3, "ida")])
        assert f"the log of 'orders_changes' no longer has the changes after batch {number + 1}" in shop.refused()
        shop.build("--select", "order_lines", *ACCEPTED)
        assert shop.changes("order_id, customer, _change_type") == [(3, "ida", "update"), (4, "dan", "delete")]
        # Two batches that are expired before the view has seen the second of them.
        for some in (rows[1:], rows):
            shop.build("--select", "orders_changes", orders=some)
        expiry = {"model": "orders_changes", "to_batch": number + 4}
        refused = shop.bench.operate("expire", **expiry).text
        assert f"order_lines has not read the batches of orders_changes from {number + 4} on" in refused
        assert shop.bench.operate("expire", **expiry, even_unread=True).ok
        assert f"the log of 'orders_changes' no longer has the changes after batch {number + 3}" in shop.refused()
        # It has to compare all rows now, and holds up no other expiry.
        shop.build("--select", "orders_changes", orders=[*rows[:2], (3, "cat")])
        assert shop.bench.operate("expire", model="orders_changes", to_batch=number + 5).ok
        shop.build("--select", "order_lines", *ACCEPTED)
        assert shop.changes("order_id, customer, _change_type") == [(3, "cat", "update")]


class TestPlan:
    macros = {"step.sql": EXPLAIN}

    def test_rows_that_are_not_touched_are_not_joined(self, shop: Project) -> None:
        done = shop.renew(products=[(100, "biro"), (102, "ink")])
        plan = done.text[done.text.index("== Physical Plan ==") :].splitlines()
        depth = {word: [line.index(word) for line in plan if word in line] for word in ("LeftOuter", "LeftSemi")}
        assert len(depth["LeftOuter"]) == 2
        assert min(depth["LeftSemi"]) > 0
        joins = [line for line in plan if "LeftOuter" in line or "LeftSemi" in line]
        indents = [line.index("+-") if "+-" in line else line.index(":-") for line in joins]
        assert "LeftSemi" in joins[-1]
        assert indents == sorted(indents), "the semi join lies below the others"
        # The touched orders are looked up in both tables that have the number.
        for table in ("orders", "items"):
            (scan,) = (line for line in plan if f".{table}[" in line)
            assert "order_id" in scan.split("DataFilters:")[1]
            assert "IN (1,3)" in scan.split("DataFilters:")[1]


def mapped(**changed: dict[str, str]) -> dict[str, Any]:
    """The options of a view of which a relation is mapped in another way."""
    return {"relations": RELATIONS | changed}


BAD_VIEWS: dict[str, tuple[dict[str, Any], str]] = {
    "no such change log": (mapped(order_changes={"order_id": "order_id"}), SELECT),
    "a log that the select does not read": (mapped(silent={"item_id": "item_id"}), SELECT),
    "a log that was never built": (mapped(unbuilt={"item_id": "item_id"}), "-- {{ ref('unbuilt') }}" + SELECT),
    "no such column of the log": (mapped(items_changes={"item": "item_id"}), SELECT),
    "no such column of the view": (mapped(items_changes={"item_id": "item"}), SELECT),
    "a log without before images": (mapped(silent={"order_id": "order_id"}), "-- {{ ref('silent') }}" + SELECT),
    "a log that does not compare a mapped column": (
        mapped(loose={"order_id": "order_id"}),
        "-- {{ ref('loose') }}" + SELECT,
    ),
    "a log of bags": (mapped(bags={"item_id": "item_id"}), "-- {{ ref('bags') }}" + SELECT),
    "a row without anchor": ({}, SELECT.replace("left join", "full join", 1)),
}


class TestBadViews:
    # In messages they come behind the logs that are named there.
    NAMES = {kind: f"view_{number}" for number, kind in enumerate(BAD_VIEWS)}

    @pytest.fixture(scope="class")
    def refusals(self, open_once: Project) -> dict[str, str]:
        """How each is refused, as another edit of the view; nothing is changed."""
        open_once.write("silent", log_model("items", ["item_id"], before_image="none"))
        open_once.write("loose", log_model("items", ["item_id"], ignore_columns=["order_id"]))
        open_once.write("bags", log_model("items", ["item_id"], duplicate_keys="multiset"))
        open_once.begin(**START | {"items": [*START["items"], (90, 9, 100, 1)]})
        open_once.write("unbuilt", log_model("items", ["item_id"]))
        for kind, (options, select) in BAD_VIEWS.items():
            open_once.write(self.NAMES[kind], view(select, **options))
        bench, refusals = open_once.bench, {}
        bench.aim(self.NAMES.values(), at="order_lines")
        before = open_once.query("show tables in {schema}")
        # Of the first two dbt's graph tells before anything runs.
        for kinds in (list(BAD_VIEWS)[:2], list(BAD_VIEWS)[2:]):
            done = bench.run("--select", *(self.NAMES[kind] for kind in kinds))
            assert not done.ok
            refusals |= {kind: done.messages.get(self.NAMES[kind], done.text) for kind in kinds}
        assert open_once.query("show tables in {schema}") == before
        return refusals

    @pytest.mark.parametrize("kind", BAD_VIEWS)
    def test_a_bad_view_is_refused(self, refusals: dict[str, str], kind: str) -> None:
        assert messages("View")[kind].replace("order_lines", self.NAMES[kind]) in refusals[kind]

    def test_all_kinds_are_tested(self) -> None:
        assert list(messages("View")) == list(BAD_VIEWS)


# An operation on a log while the view reads it: just before the anchors of its changes are written.
MEANWHILE = {
    "run_query.sql": """
{% macro run_query(sql) %}
  {% if execute and '__anchors_' in sql.split('\n')[0] and var('expire_to', none) %}
    {% do deltawave.expire('orders_changes', to_batch=var('expire_to'), even_unread=true) %}
  {% endif %}
  {% call statement('run_query_statement', fetch_result=true, auto_begin=false) %}{{ sql }}{% endcall %}
  {{ return(load_result('run_query_statement').table) }}
{% endmacro %}
"""
}


class TestRewrittenMeanwhile:
    macros = MEANWHILE

    def test_a_log_that_loses_batches_while_it_is_read_is_refused(self, shop: Project) -> None:
        rows = START["orders"]
        number = shop.query("select max(batch_id) from {schema}.orders_changes__batches")[0][0]
        shop.build("--select", "orders_changes", orders=rows[:2])
        shop.build("--select", "orders_changes", orders=[(1, "eve"), rows[1]])
        before = shop.last_batch()
        text = shop.bench.failed("--select", "order_lines", "--vars", f"expire_to: {number + 1}")
        assert "orders_changes was rewound, expired, compacted or rebuilt while it was read" in text
        assert shop.last_batch() == before
        shop.build("--select", "order_lines", *ACCEPTED)
        assert_right(shop)
