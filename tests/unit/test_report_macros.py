"""What the operations about change logs ask the library for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from unit.macro_harness import Macros, Relation

LOG = [
    ("region", "string"),
    ("id", "int"),
    ("_change_type", "string"),
    ("_changed_columns", "array<string>"),
    ("_before", "struct<>"),
    ("_batch_id", "bigint"),
    ("_batch_at", "timestamp"),
]
QUARANTINED = [("id", "int"), ("batch_at", "timestamp"), ("attempt", "string"), ("batch_id", "bigint")]


class Operations:
    """Operations on a model with an odd name, what they call, and what they print."""

    def __init__(self, answer: Any, relations: set[str]) -> None:
        self.called: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.printed: list[str] = []
        config = {"materialized": "differential", "unique_key": ["region", "id"], "state_schema": "kept"}
        node = {"name": "odd name", "resource_type": "model", "package_name": "shop", "config": config}

        def run_query(sql: str) -> list[tuple[Any, ...]]:
            if sql.startswith("select if("):
                return [(0,) * sql.count(" as wrong_")]
            return [("found",)] if "show schemas" in sql or any(f"'{name}'" in sql for name in relations) else []

        self.macros = Macros(
            graph=SimpleNamespace(nodes={"node": node}, sources={}),
            run_query=run_query,
            ref=lambda package, name: Relation(f"`dev`.`{name}`"),
            print=self.printed.append,
        )
        self.macros._columns_of = lambda relation: [  # type: ignore[method-assign]
            {"name": name, "data_type": kind} for name, kind in (QUARANTINED if "quarantine" in str(relation) else LOG)
        ]
        adapter = self.macros._context["adapter"]
        adapter.runs_python = lambda: True

        def call(function: str, relations: dict[str, str], options: dict[str, Any]) -> Any:
            self.called.append((function, relations, options))
            return answer

        adapter.call_library = call


@pytest.mark.parametrize("has_quarantine", [False, True])
def test_a_page(has_quarantine: bool) -> None:
    names = {"odd name", "odd name__batches"} | ({"odd name__quarantine"} if has_quarantine else set())
    shop = Operations({"text": "<!doctype html>"}, names)
    shop.macros.report("odd name", format="html", output="x.html")
    ((function, relations, options),) = shop.called
    assert function == "deltawave.reporting.command.page"
    assert relations["log"] == "`dev`.`odd name`"
    assert "from `kept`.`odd name__batches` as batches" in relations["batches"]
    assert ("quarantine" in relations) == has_quarantine
    assert options == {"name": "dev.odd name", "key": ["region", "id"], "is_baseline": False, "output": "x.html"}
    assert shop.printed == ["<!doctype html>"]


def test_a_history() -> None:
    shop = Operations("as text", {"odd name", "odd name__batches"})
    shop.macros.print_history("odd name", {"ID": 5, "region": None})
    ((function, relations, options),) = shop.called
    assert function == "deltawave.reporting.command.history_text"
    assert "where `ID` = cast('5' as int)\n    and `region` is null\n" in relations["history"]
    key = [["ID", "5"], ["region", None]]
    assert options == {"name": "odd name", "key": key, "column": None, "is_baseline": False}
    assert shop.printed == ["as text"]
