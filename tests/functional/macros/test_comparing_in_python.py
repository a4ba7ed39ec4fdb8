"""A comparison in Python finds what the one in SQL finds: all that the door gives is enough for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from pairs import DIFFERENT, EQUAL, Pairs, as_row
from pyspark.sql import SparkSession
from python_strategy import DOTTED_PATH
from unit.macro_harness import Macros

from dbt.adapters.deltawave.library_functions import LibraryFunction

SETTINGS = {"unique_key": ["ID", "part"], "before_image": "auto", "strategy": "outer_join", "duplicate_keys": "fail"}
KEY = "id, case when id % 3 = 0 then null else 'p' end as part"


@pytest.fixture(scope="module")
def macros(spark: SparkSession) -> Iterator[Macros]:
    macros = Macros(run_query=lambda sql: [tuple(row) for row in spark.sql(sql).collect()])

    views = set()

    def view_by_python(function: str, relations: dict[str, str], options: dict[str, Any], view: str) -> None:
        frame, *_ = LibraryFunction(function).rows(relations, options, spark)
        frame.createOrReplaceTempView(view)
        views.add(view)

    macros._context["adapter"].view_by_python = view_by_python
    yield macros
    for view in views:
        spark.catalog.dropTempView(view)


@pytest.fixture(autouse=True)
def interpreted(setting: Callable[[str, str], Any]) -> Iterator[None]:
    """To compile these queries takes longer than to run them."""
    with setting("spark.sql.codegen.wholeStage", "false"), setting("spark.sql.codegen.factoryMode", "NO_CODEGEN"):
        yield


@pytest.fixture
def both(spark: SparkSession, macros: Macros) -> Callable[..., list[dict[str, Any]]]:
    """The changes between two selects as both ways find them, each value as text."""

    def compared(old: str, new: str, was_known: bool = False, **settings: Any) -> list[dict[str, Any]]:
        settings = SETTINGS | {"hint": None, "compare_columns": None, "ignore_columns": None} | settings
        settings = {"tolerance": None, "updated_at": None} | settings
        sides = [macros._columns_of_query(select) for select in (old, new)]
        columns = macros._two_sided_columns(settings, *sides)
        for column in columns:
            is_added = column["in_new"] and not column["in_old"]
            column |= {"is_key": column["name"] in ("id", "part"), "is_added": is_added, "was_known": was_known}
        job = {
            "name": "accounts",
            "settings": settings,
            "strategy": {"comparison": DOTTED_PATH, "options": ["hint"]},
            "target": SimpleNamespace(schema="dev", identifier="accounts"),
            "statements": [],
        }
        # Sides that are kept have a column more, by which they are placed.
        placed = [f"(select *, xxhash64(id) as key_hash from ({select}))" for select in (old, new)]
        batch = {
            "batch_id": 2,
            "attempt": "0a1b",
            "columns": columns,
            "reading": {"old": placed[0]},
            "result": {"new": placed[1], "measured": {}},
        }
        in_python = rows(macros._changes_by_python(job, batch))
        assert in_python == rows(macros._changes_between(placed[0], placed[1], columns, settings, key_hash="key_hash"))
        return in_python

    def rows(select: str) -> list[dict[str, Any]]:
        frame = spark.sql(select)
        as_text = frame.selectExpr(*(f"cast(`{name}` as string) as `{name}`" for name in frame.columns))
        return sorted((row.asDict() for row in as_text.collect()), key=lambda row: (row["id"], row["part"] or ""))

    return compared


def of_one_type(macros: Macros, pairs: Pairs) -> Pairs:
    """Those that a column of two dumps could hold. Spark has literals of times, and no casts to them yet."""
    types = {column["name"]: column["data_type"] for column in macros._columns_of_query(as_row(pairs))}
    alike = [types[f"l{n}"] == types[f"r{n}"] != "time(6)" for n in range(len(pairs))]
    return [pair for pair, is_alike in zip(pairs, alike, strict=True) if is_alike]


def test_values_of_every_type(macros: Macros, both: Callable[..., list[dict[str, Any]]]) -> None:
    pairs = of_one_type(macros, EQUAL + DIFFERENT)
    old = f"select {KEY}, " + ", ".join(f"{pair[0]} as v{n}" for n, pair in enumerate(pairs)) + " from range(1)"
    new = f"select {KEY}, " + ", ".join(f"{pair[1]} as v{n}" for n, pair in enumerate(pairs)) + " from range(1)"
    [update] = both(old, new)
    different = [f"v{n}" for n, pair in enumerate(pairs) if pair in DIFFERENT]
    assert update["changed_columns"] == f"[{', '.join(different)}]"
    assert len(pairs) > 50


OLD = f"select {KEY}, id * 1.5D as price, cast(id as string) as note from range(1, 9)"
NEW = f"select {KEY}, id * 1.5D + if(id = 4, 0.01D, id div 6) as price, 'n' as note from range(2, 11)"


@pytest.mark.parametrize(
    ("settings", "kinds"),
    [
        ({}, {"insert": 2, "delete": 1, "update": 7}),
        ({"ignore_columns": ["note"]}, {"insert": 2, "delete": 1, "update": 4}),
        ({"ignore_columns": ["NOTE"], "tolerance": {"Price": 0.1}}, {"insert": 2, "delete": 1, "update": 3}),
        ({"before_image": "none", "hint": "merge"}, {"insert": 2, "delete": 1, "update": 7}),
        ({"compare_columns": ["part"]}, {"insert": 2, "delete": 1}),
    ],
)
def test_options(both: Callable[..., list[dict[str, Any]]], settings: dict[str, Any], kinds: dict[str, int]) -> None:
    found = both(OLD, NEW, **settings)
    counts = {kind: sum(row["change_type"] == kind for row in found) for kind in kinds}
    assert counts == kinds
    assert len(found) == sum(kinds.values())
    assert ("before__note" in found[0]) == (settings.get("before_image") != "none")


@pytest.mark.parametrize(("was_known", "backfilled"), [(False, ["5"]), (True, ["2", "3", "4", "5", "7"])])
def test_a_column_that_joins_and_one_that_leaves(
    both: Callable[..., list[dict[str, Any]]], was_known: bool, backfilled: list[str]
) -> None:
    old = f"select {KEY}, 1 as same, id as gone from range(1, 8)"
    new = f"select {KEY}, if(id = 6, 2, 1) as same, if(id in (5, 6), map('k', id), null) as added from range(2, 9)"
    found = both(old, new, was_known)
    assert [row["id"] for row in found if row["changed_columns"] == "[]"] == backfilled
    assert [row["id"] for row in found if row["changed_columns"] == "[same]"] == ["6"]
    assert [row["id"] for row in found if row["change_type"] != "update"] == ["1", "8"]


def test_columns_that_grew_wider_are_compared_in_the_logs_type(both: Callable[..., list[dict[str, Any]]]) -> None:
    assert both(f"select {KEY}, 1 as n from range(1, 3)", f"select {KEY}, 1L as n from range(1, 3)") == []
