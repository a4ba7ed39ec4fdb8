"""The macros by which a function of a Python library compares, rendered."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from bad_input import messages
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros, Relation

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
        self.macros = Macros(tables={VIEW: list(returned.items())}, run_query=lambda sql: [], api=relations())
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


def relations() -> Any:
    class Made(Relation):
        identifier = "log"

        def quote(self, **_: bool) -> Made:
            return self

    create = lambda schema, identifier: Made(f"{schema}.{identifier}")  # noqa: E731
    return SimpleNamespace(Relation=SimpleNamespace(create=create))


def lines(sql: str) -> list[str]:
    return [line.strip() for line in sql.strip().splitlines()]


def test_the_function_gets_both_sides_the_key_the_columns_and_its_own_options() -> None:
    door = Door()
    sql = door.changes(column(ID), column(PRICE), column(TAGS))
    [(function, sides, options, view)] = door.calls
    assert function == FUNCTION
    assert view == VIEW.strip("`")
    assert lines(sides["old"]) == [
        "(",
        "select",
        "cast(old_side.`Id` as int) as `Id`,",
        "cast(old_side.`price` as bigint) as `price`,",
        "cast(old_side.`tags` as map<string,int>) as `tags`",
        "from dev.kept as old_side",
        ")",
    ]
    assert lines(sides["new"])[-2] == "from (select 1) as new_side"
    assert options.pop("columns") == [
        {"name": "Id", "data_type": "int", "is_key": True, "in_old": True, "in_new": True}
        | {"is_compared": False, "tolerance": None, "comparable": None},
        {"name": "price", "data_type": "bigint", "is_key": False, "in_old": True, "in_new": True}
        | {"is_compared": True, "tolerance": 0.5, "comparable": "`price`"},
        {"name": "tags", "data_type": "map<string,int>", "is_key": False, "in_old": True, "in_new": True}
        | {"is_compared": True, "tolerance": None, "comparable": "sort_array(map_entries(`tags`))"},
    ]
    assert options == {"unique_key": ["Id"], "before_image": True, "window_rows": 8}
    assert lines(sql) == [
        "select",
        "`Id`,",
        "`price`,",
        "`tags`,",
        "`before__price`,",
        "`before__tags`,",
        "change_type,",
        "changed_columns",
        f"from {VIEW}",
    ]
    assert any(FUNCTION in statement for statement in door.job["statements"])


def test_without_before_images_none_is_asked_for() -> None:
    door = Door({name: kind for name, kind in RETURNED.items() if "before" not in name}, before_image="none")
    assert "before__" not in door.changes(column(ID), column(PRICE))
    assert door.calls[0][2]["before_image"] is False


def test_a_side_is_given_no_column_that_it_lacks() -> None:
    door = Door()
    door.changes(column(ID), column(PRICE, in_new=False, is_compared=False), column(TAGS))
    _, sides, options, _ = door.calls[0]
    assert "`price`" in sides["old"]
    assert "`price`" not in sides["new"]
    assert [each["in_new"] for each in options["columns"]] == [True, False, True]


@pytest.mark.parametrize(
    ("was_known", "told"), [(False, "(new_side.`price` is not null) as `is_there`"), (True, "(true) as `is_there`")]
)
def test_a_backfill_is_one_more_column_to_compare(was_known: bool, told: str) -> None:
    door = Door()
    sql = door.changes(
        column(ID),
        column(PRICE, in_old=False, is_compared=False, is_added=True, was_known=was_known),
        column(TAGS),
    )
    _, sides, options, _ = door.calls[0]
    assert lines(sides["old"])[-3] == "(false) as `is_there`"
    assert lines(sides["new"])[-3] == told
    marker = options["columns"][-1]
    assert marker["comparable"] == "`is_there`"
    assert marker["is_compared"]
    assert marker["in_old"]
    assert marker["in_new"]
    assert "array_remove(changed_columns, 'is_there') as changed_columns" in sql
    assert "`is_there`" not in sql
    assert marker["name"] in door.macros._reserved_columns()


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
    with pytest.raises(CompilationError) as error:
        door.changes(column(ID), column(PRICE), column(TAGS))
    assert messages("Comparison in Python")["figures without a column"] in error.value.msg


def test_changes_of_another_kind_are_refused() -> None:
    door = Door()
    door.macros._run_query = lambda sql: [(0, 0, 0, 0, 1)] if "count_if" in sql else []
    batch = {"batch_id": 3, "label": "3", "attempt": "0a1b", "columns": [], "staged_in": ["log"]}
    batch["result"] = {"log_table": "dev.log"}
    door.job["folders"] = {"dev.log": "/log"}
    with pytest.raises(CompilationError) as error:
        door.macros._count_changes(door.job, batch)
    assert messages("Comparison in Python")["changes of another kind"] in error.value.msg


def test_a_function_is_looked_for_before_anything_runs() -> None:
    door = Door()
    door.macros._require_python("accounts", door.job["strategy"])
    assert door.calls == [(FUNCTION, ["old", "new", "unique_key", "columns", "before_image", "window_rows"])]


def test_an_adapter_that_runs_no_python_is_refused() -> None:
    with pytest.raises(CompilationError) as error:
        Macros()._require_python("accounts", {"comparison": FUNCTION, "options": []})
    assert messages("Comparison in Python")["an adapter that runs no Python"] in error.value.msg
