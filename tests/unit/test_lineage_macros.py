"""What the select of a view reads, from dbt's graph before Spark starts."""

from types import SimpleNamespace
from typing import Any

import pytest
from bad_input import messages, refused
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros, Relation, make_batch, make_job

RELATIONS = {"orders_changes": {"order_id": "order_id"}, "items_changes": {"order_id": "order_id"}}
LOGS = ["model.shop.orders_changes", "model.shop.items_changes"]
NAMELESS = SimpleNamespace(identifier="order_lines", quote=lambda **parts: NAMELESS)
HASH = {"name": "sha256", "checksum": "a1"}


def node(name: str, *parents: str, kind: str = "table", **more: Any) -> dict[str, Any]:
    """A model of the graph, or another node that materializes itself."""
    resource = kind if kind in ("seed", "snapshot") else "model"
    return {
        "unique_id": f"{resource}.shop.{name}",
        "resource_type": resource,
        "name": name,
        "package_name": "shop",
        "config": {"materialized": kind},
        "depends_on": {"macros": []} if kind == "seed" else {"macros": [], "nodes": list(parents)},
        "checksum": HASH,
        **more,
    }


SOURCE = {
    "unique_id": "source.shop.legacy.codes",
    "resource_type": "source",
    "source_name": "legacy",
    "name": "codes",
    "package_name": "shop",
    "config": {"enabled": True},
}
GRAPH = {
    "nodes": {
        each["unique_id"]: each
        for each in [
            node("orders_changes", "source.shop.legacy.codes", kind="differential"),
            node("items_changes", kind="differential"),
            node("of_orders_changes", "model.shop.orders_changes", kind="differential"),
            node("orders", "model.shop.orders_changes"),
            node("lines", "model.shop.orders", "model.shop.items_changes", kind="view"),
            node("coded", "source.shop.legacy.codes", kind="ephemeral"),
            node("numbers", kind="view"),
            node("days", kind="incremental"),
            node("countries", kind="seed"),
            node("places", kind="seed", checksum={"name": "path", "checksum": "seeds/places.csv"}),
        ]
    },
    "sources": {SOURCE["unique_id"]: SOURCE},
}


def check(*reads: str, **options: Any) -> None:
    """Look at a view that reads these nodes."""
    config: dict[str, Any] = {"strategy": "view", "relations": RELATIONS, "root": "orders_changes"}
    config |= {"materialized": "differential", "unique_key": "order_id", **options}
    lines = node("order_lines", *reads, kind="differential", config=config)
    macros = Macros(graph=GRAPH | {"nodes": GRAPH["nodes"] | {lines["unique_id"]: lines}})
    macros.check_differential_config("order_lines", lines["config"])


@pytest.mark.parametrize(
    ("reads", "constants"),
    [
        (LOGS, []),
        (["model.shop.lines", "model.shop.numbers", "seed.shop.countries", "macro.shop.any"], []),
        ([*LOGS, "source.shop.legacy.codes"], ["legacy.codes"]),
        ([*LOGS, "model.shop.coded", "model.shop.days"], ["coded", "shop.days"]),
        ([*LOGS, "model.shop.of_orders_changes"], "of_orders_changes"),
    ],
)
def test_a_view_of_its_relations_alone(reads: list[str], constants: list[str]) -> None:
    check(*reads, constant_relations=constants)


REFUSED: dict[str, tuple[list[str], dict[str, Any]]] = {
    "a log that relations leaves out": ([*LOGS, "model.shop.of_orders_changes"], {}),
    "a log behind another log": (["model.shop.of_orders_changes", LOGS[1]], {}),
    "a source without a change log": ([*LOGS, "model.shop.coded"], {}),
    "a table without a change log": ([*LOGS, "model.shop.days"], {}),
    "a seed of which dbt knows no checksum": ([*LOGS, "seed.shop.places"], {}),
    "a constant that the select does not read": (LOGS, {"constant_relations": ["codes"]}),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_would_be_missed_is_refused(kind: str) -> None:
    reads, options = REFUSED[kind]
    with refused("Lineage of a view", kind):
        check(*reads, **options)


def test_the_page_lists_what_is_tested() -> None:
    assert list(messages("Lineage of a view")) == list(REFUSED)


@pytest.mark.parametrize("stored", [[], ["orders"]])
def test_a_batch_of_another_run_is_left_where_rows_are_stored_on_the_way(stored: list[str]) -> None:
    macros = Macros(
        run_query=lambda sql: [(4, "a", 1, 0)], invocation_id="0123456789abcdef", run_started_at=None, graph=GRAPH
    )
    macros.replace(_utc="2026-01-31 12:00:00")
    source = {"batches": Relation("shop.orders_changes__batches"), "attempt": "0123456789ab", "statements": []}
    record = {"batch_id": 5, "generation": 1, "first_batch": 1, "undone": []}
    found = macros._batches_since(source, record, 4, "fedcba987654", stored)
    assert found == {"last_batch": 4, "last_attempt": "a", "is_behind": False}
    sure = "(decided_at < timestamp '2026-01-31 12:00:00' or attempt = '0123456789ab') as is_contained"
    (query,) = macros.queries
    assert (sure in query) == bool(stored)
    # A log that was dropped and rebuilt may have a batch of that number again.
    assert "count_if(batch_id = 4 and attempt = 'fedcba987654') as is_there" in query


@pytest.mark.parametrize(
    ("column", "is_exact"), [("ID", True), ("ignored", False), ("tolerated", False), ("touched", False), ("name", True)]
)
def test_columns_of_which_a_log_has_every_change(column: str, is_exact: bool) -> None:
    settings = {
        "unique_key": ["id"],
        "compare_columns": None,
        "ignore_columns": ["ignored"],
        "tolerance": {"tolerated": 1},
        "updated_at": "touched",
    }
    assert Macros()._is_compared_exactly(settings, column) is is_exact
    assert not Macros()._is_compared_exactly(settings | {"compare_columns": ["other"]}, "name")


@pytest.mark.parametrize(
    ("args", "elsewhere"),
    [
        ({}, None),
        ({"defer": True}, "lines"),
        ({"defer": True, "favor_state": True}, "items_changes, lines, orders_changes"),
    ],
)
def test_rows_of_another_environment_are_not_read(args: dict[str, Any], elsewhere: str | None) -> None:
    """All tables that are read exist, except for one that is built in this run."""
    macros = Macros(
        run_query=lambda sql: [],
        graph={**GRAPH, "nodes": {name: each | {"alias": each["name"]} for name, each in GRAPH["nodes"].items()}},
        model=node("order_lines", "model.shop.lines", kind="differential"),
        invocation_args_dict=args,
        selected_resources=["model.shop.orders"],
        adapter=SimpleNamespace(get_relation=lambda database, schema, name: None if name == "lines" else name),
        api=SimpleNamespace(Relation=SimpleNamespace(create=lambda **parts: NAMELESS)),
    )
    settings = {"constant_relations": [], "file_format": "parquet"}
    job = make_job("order_lines", settings=settings, target=NAMELESS)
    batch = make_batch(staged_in=["log"])
    if elsewhere is None:
        macros._require_own_relations(job, batch)
    else:
        with pytest.raises(CompilationError, match=f"--defer the select reads {elsewhere} of another environment"):
            macros._require_own_relations(job, batch)
