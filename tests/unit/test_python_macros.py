"""The macros by which a function of a Python library compares, rendered."""

from types import SimpleNamespace
from typing import Any

import pytest
from bad_input import messages, refused
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros

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


def column(described: dict[str, Any], **others: Any) -> dict[str, Any]:
    both = {"is_key": False, "in_old": True, "in_new": True, "is_compared": False, "tolerance": None, "since": 1}
    return both | {"is_added": False, "was_known": True} | described | others


class Door:
    """The macros beside an adapter that remembers what it was asked, and a session that knows one view."""

    def __init__(self, returned: dict[str, str] | None = None, **settings: Any) -> None:
        self.calls: list[tuple[Any, ...]] = []
        returned = RETURNED if returned is None else returned
        self.macros = Macros(tables={VIEW: list(returned.items())}, run_query=lambda sql: [])
        adapter = self.macros._context["adapter"]
        adapter.view_by_python = lambda *args: self.calls.append(args)
        adapter.check_library_function = lambda *args: self.calls.append(args)
        self.job = {
            "name": "accounts",
            "settings": {"unique_key": ["ID"], "before_image": "auto", "file_format": "parquet", "window_rows": 8}
            | settings,
            "strategy": {"comparison": FUNCTION, "options": ["window_rows"]},
            "target": SimpleNamespace(schema="dev", identifier="accounts"),
            "state_schema": "dev",
            "catalog": "builtin",
            "statements": [],
            "outcome": {"batches": 0},
        }

    def changes(self, *columns: dict[str, Any]) -> str:
        return self.macros._changes_by_python(self.job, self.batch(*columns))

    def changed(self, *columns: dict[str, Any]) -> dict[str, Any]:
        """The batch, after its changes were asked for."""
        batch = self.batch(*columns)
        self.macros._changes_by_python(self.job, batch)
        return batch

    def batch(self, *columns: dict[str, Any]) -> dict[str, Any]:
        return {
            "batch_id": 3,
            "label": "3",
            "attempt": "0a1b",
            "columns": list(columns),
            "staged_in": ["log"],
            "reading": {"old": "dev.kept"},
            "result": {"new": "(select 1)", "measured": {}},
        }


@pytest.mark.parametrize(
    ("kind", "returned"),
    [
        ("changes without a column", {name: kind for name, kind in RETURNED.items() if name != "before__price"}),
        ("changes with a column of another type", RETURNED | {"price": "double", "changed_columns": "string"}),
    ],
)
def test_what_is_not_as_the_log_has_it_is_refused(kind: str, returned: dict[str, str]) -> None:
    with pytest.raises(CompilationError) as error:
        Door(returned).changes(column(ID), column(PRICE), column(TAGS))
    assert messages("Comparison in Python")[kind] in error.value.msg
    assert error.value.msg.startswith("accounts, batch 3: ")


def test_what_the_function_measured_becomes_the_batchs() -> None:
    door = Door()
    adapter = door.macros._context["adapter"]
    figures = {"distance": 0.25, "window_rows": None}
    adapter.view_by_python = lambda *args: {"messages": [], "measured": figures}
    assert door.changed(column(ID), column(PRICE), column(TAGS))["result"]["measured"] == figures


def test_figures_that_no_column_holds_are_refused() -> None:
    door = Door()
    adapter = door.macros._context["adapter"]
    adapter.view_by_python = lambda *args: {"messages": [], "measured": {"distance": 0.25, "speed": 3}}
    with refused("Comparison in Python", "figures without a column"):
        door.changes(column(ID), column(PRICE), column(TAGS))


def test_changes_of_another_kind_are_refused() -> None:
    door = Door()
    door.macros._run_query = lambda sql: [(0, 0, 0, 0, 1)] if "count_if" in sql else []
    batch = {"batch_id": 3, "label": "3", "attempt": "0a1b", "columns": [], "staged_in": ["log"]}
    batch["result"] = {"log_table": "dev.log"}
    door.job["folders"] = {"dev.log": "/log"}
    with refused("Comparison in Python", "changes of another kind"):
        door.macros._count_changes(door.job, batch)


def test_a_function_is_looked_for_before_anything_runs() -> None:
    door = Door()
    door.macros._require_python("accounts", door.job["strategy"])
    assert door.calls == [(FUNCTION, ["old", "new", "unique_key", "columns", "before_image", "window_rows"])]


def test_an_adapter_that_runs_no_python_is_refused() -> None:
    with refused("Comparison in Python", "an adapter that runs no Python"):
        Macros()._require_python("accounts", {"comparison": FUNCTION, "options": []})
