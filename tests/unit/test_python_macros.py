"""The macros by which a function of a Python library compares, rendered."""

from typing import Any

import pytest
from bad_input import refused
from unit.macro_harness import Macros, Relation, make_batch, make_job

FUNCTION = "shop.diffs.compare"
VIEW = "`dev__accounts__changes_3_0a1b_0e0b7ce9`"
ID = {"name": "Id", "data_type": "int", "is_key": True, "is_compared": False}
PRICE = {"name": "price", "data_type": "bigint", "is_compared": True, "tolerance": 0.5}
TAGS = {"name": "tags", "data_type": "map<string,int>", "is_compared": True}
RETURNED = {
    "id": "int",
    "price": "bigint",
    "tags": "map<string,int>",
    "before__price": "bigint",
    "before__tags": "map<string,int>",
    "change_type": "string",
    "changed_columns": "array<string>",
}


def column(described: dict[str, Any]) -> dict[str, Any]:
    both = {"is_key": False, "in_old": True, "in_new": True, "is_compared": False, "tolerance": None, "since": 1}
    return both | {"is_added": False, "was_known": True} | described


STRATEGY = {"comparison": FUNCTION, "options": ["window_rows"]}


def job(**others: Any) -> dict[str, Any]:
    settings = {"unique_key": ["ID"], "before_image": "auto", "file_format": "parquet", "window_rows": 8}
    target = Relation.create("dev", "accounts")
    return make_job("accounts", settings=settings, strategy=STRATEGY, target=target, state_schema="dev", **others)


def changed(returned: dict[str, str] = RETURNED, figures: dict[str, Any] | None = None) -> None:
    """Compare by the function, which returns changes with these columns, and figures."""
    macros = Macros(tables={VIEW: list(returned.items())}, run_query=lambda sql: [])
    macros.adapter.view_by_python = lambda *args: figures and {"messages": [], "measured": figures}
    batch = make_batch(
        3,
        attempt="0a1b",
        columns=[column(ID), column(PRICE), column(TAGS)],
        staged_in=["log"],
        reading={"old": "dev.kept"},
        result={"new": "(select 1)", "measured": {}},
    )
    macros._changes_by_python(job(catalog="builtin"), batch)


@pytest.mark.parametrize(
    ("kind", "returned"),
    [
        ("changes without a column", {name: kind for name, kind in RETURNED.items() if name != "before__price"}),
        ("changes with a column of another type", RETURNED | {"price": "double", "changed_columns": "string"}),
    ],
)
def test_what_is_not_as_the_log_has_it_is_refused(kind: str, returned: dict[str, str]) -> None:
    with refused("Comparison in Python", kind) as error:
        changed(returned)
    assert error.value.msg.startswith("accounts, batch 3: ")


def test_figures_beside_the_rows_are_refused() -> None:
    with refused("Comparison in Python", "figures beside the rows"):
        changed(figures={"distance": 0.25})


def test_changes_of_another_kind_are_refused() -> None:
    macros = Macros(run_query=lambda sql: [(0, 0, 0, 0, 1)] if "count_if" in sql else [])
    batch = make_batch(3, attempt="0a1b", columns=[], staged_in=["log"], result={"log_table": "dev.log"})
    with refused("Comparison in Python", "changes of another kind"):
        macros._count_changes(job(folders={"dev.log": "/log"}), batch)


def test_a_function_is_looked_for_before_anything_runs() -> None:
    macros, calls = Macros(), list[Any]()
    macros.adapter.view_by_python = None
    macros.adapter.check_library_function = lambda *args: calls.append(args)
    macros._require_python("accounts", STRATEGY)
    assert calls == [(FUNCTION, ["old", "new", "unique_key", "columns", "before_image", "window_rows"])]


def test_an_adapter_that_runs_no_python_is_refused() -> None:
    with refused("Comparison in Python", "an adapter that runs no Python"):
        Macros()._require_python("accounts", {"comparison": FUNCTION, "options": []})
