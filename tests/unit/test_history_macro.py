"""`deltawave.history` as SQL: names are quoted, values are literals of the columns' types."""

from typing import Any

import pytest
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros, Relation, control_columns

COLUMNS = [("id", "bigint"), ("Region`s", "string"), ("name", "string"), ("tags", "map<string,int>")]
BEFORE = "struct<name:string,tags:map<string,int>>"
LOG = Relation("shop.log")


def history(*arguments: Any, columns: list[tuple[str, str]] = COLUMNS, before: str = BEFORE) -> str:
    tables = {"shop.log": [*columns, *control_columns(before).items()]}
    return str(Macros(tables=tables).history(LOG, *arguments))


def test_the_versions_of_a_row() -> None:
    assert history({"id": 5, "region`s": "n'o"}).splitlines() == [
        "select",
        "    `id`,",
        "    `Region``s`,",
        "    `name`,",
        "    `tags`,",
        "    `_change_type`,",
        "    `_changed_columns`,",
        "    `_before`,",
        "    `_batch_id`,",
        "    `_batch_at`",
        "from shop.log",
        "where `id` = cast('5' as bigint)",
        "    and `region``s` = 'n\\'o'",
        "order by `_batch_id`, if(`_change_type` = 'delete', 0, 1)",
    ]


@pytest.mark.parametrize(
    ("data_type", "value", "condition"),
    [
        ("int", 5, "`k` = cast('5' as int)"),
        ("int", "5", "`k` = cast('5' as int)"),
        ("string", "5' or '1' = '1", "`k` = '5\\' or \\'1\\' = \\'1'"),
        ("string", "${x}\\", "`k` = '\\u0024{x}\\\\'"),
        ("string", "", "`k` = ''"),
        ("string", None, "`k` is null"),
        ("boolean", True, "`k` = cast('True' as boolean)"),
        ("date", "2026-01-31", "`k` = cast('2026-01-31' as date)"),
        ("decimal(9,2)", 1.5, "`k` = cast('1.5' as decimal(9,2))"),
        ("binary", "00ff", "`k` = unhex('00ff')"),
        ("array<int>", "[1, 2]", "cast(`k` as string) = '[1, 2]'"),
        ("struct<a:int>", "{1}", "cast(`k` as string) = '{1}'"),
    ],
)
def test_a_value_of_the_key(data_type: str, value: Any, condition: str) -> None:
    sql = history({"k": value}, columns=[("k", data_type)])
    assert f"\nwhere {condition}\norder by" in sql


def test_the_versions_of_a_value() -> None:
    sql = history({"id": 5}, "Name")
    assert sql.startswith("select\n    `id`,\n    `Name`,\n    `_change_type`,\n    `_before`.`name` as `_before`,\n")
    assert "lower(name) in ('name')" in sql
    assert "and not (`Name` <=> `_before`.`name`)" in sql
    # Maps are compared by their entries.
    assert "not (sort_array(map_entries(`tags`)) <=> sort_array(map_entries(`_before`.`tags`)))" in history(
        {"id": 5}, "tags"
    )


def test_a_log_without_before_images() -> None:
    assert "cast(null as string) as `_before`" in history({"id": 5}, "name", before="struct<>")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({"nr": 5},), "history: shop.log has no column 'nr'. It has: id, Region`s, name, tags."),
        (({"_batch_id": 5},), "history: shop.log has no column '_batch_id'."),
        (({},), "history: 'key' can't be {}; it takes the key's columns with their values"),
    ],
)
def test_arguments_that_do_not_fit(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(CompilationError) as error:
        history(*arguments)
    assert message in str(error.value)


def test_parsing_asks_the_catalog_nothing() -> None:
    assert Macros(execute=False).history(LOG, {"id": 5}) == ""
