"""A log that begins with the current rows of a dbt snapshot: which rows these are, and what is refused."""

from collections.abc import Callable
from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest
from bad_input import messages, refused
from dbt_common.exceptions import CompilationError
from unit.macro_harness import Macros, make_job

META = {
    "dbt_scd_id": "string",
    "dbt_updated_at": "timestamp",
    "dbt_valid_from": "timestamp",
    "dbt_valid_to": "timestamp",
}


def adopt(
    adopted: Any = {"orders": "history"},  # noqa: B006
    *,
    snapshots: dict[str, dict[str, Any]] | None = None,
    stored: dict[str, str] | None = None,
    is_built: bool = True,
    lost: int = 0,
    record: dict[str, Any] | None = None,
    strategy: str = "outer_join",
    empty: bool = False,
    **options: Any,
) -> tuple[dict[str, Any], list[str]]:
    """The job of a first run, and its statements: ``stored`` are the snapshot's columns, ``lost`` is a count."""
    nodes: dict[str, Any] = {
        "orders": SimpleNamespace(
            name="orders", package_name="shop", resource_type="model", config={"materialized": "differential"}
        )
    }
    for name, config in ({"history": {}} if snapshots is None else snapshots).items():
        nodes[name] = SimpleNamespace(
            name="history",
            package_name=name,
            alias="orders_history",
            schema="past",
            resource_type="snapshot",
            # dbt writes null where no name is given.
            config={"unique_key": "ID", "snapshot_meta_column_names": {"dbt_valid_to": None}, **config},
        )

    def run_query(sql: str) -> list[tuple[Any, ...]]:
        if sql.startswith("show"):
            return [("past", "orders_history", False)] if is_built else []
        return [(lost,)]

    columns = stored or {"id": "int", "Name": "string", **META}
    macros = Macros(
        tables={"`past`.`orders_history`": list(columns.items())},
        run_query=run_query,
        graph=SimpleNamespace(nodes=nodes),
        var=lambda name, default: adopted,
        flags=SimpleNamespace(EMPTY=empty),
    )
    job = make_job(
        "orders",
        settings={"unique_key": ["id"], "reason": "configured", "expected_rows": 9, **options},
        strategy=dict(macros._strategies()[strategy], name=strategy),
        select_columns=[
            {"name": "id", "data_type": "int", "is_key": True},
            {"name": "name", "data_type": "string", "is_key": False},
        ],
        snapshot_type="date",
        sql="select * from shop.source",
        has_adopted=False,
    )
    macros._adopt_snapshot(job, {"record": record})
    return job, [sql for sql in macros.queries if not sql.startswith("show")]


def test_the_first_batch_has_the_rows_that_are_valid_now() -> None:
    job, ran = adopt()
    assert job["sql"] == (
        "select\n    `id` as `id`,\n    `Name` as `name`\nfrom `past`.`orders_history`\nwhere (`dbt_valid_to` is null)"
    )
    assert ran == []
    assert job["settings"]["reason"] == "configured; rows of the snapshot history"
    # A number of the source's rows says nothing about the snapshot's.
    assert job["settings"]["expected_rows"] is None


def test_the_snapshot_has_its_own_names_and_end() -> None:
    config = {
        "snapshot_meta_column_names": {"dbt_valid_to": "Until", "dbt_is_deleted": "gone"},
        "dbt_valid_to_current": "to_date('9999-12-31')",
    }
    stored = {"id": "int", "name": "string", "until": "timestamp", "GONE": "string"}
    where = adopt(snapshots={"shop": config}, stored=stored)[0]["sql"].split("\nwhere ")[1]
    assert where == (
        "(`Until` is null or `Until` = to_date('9999-12-31')) and not (lower(cast(`gone` as string)) <=> 'true')"
    )


def test_values_are_cast_to_the_types_of_the_select() -> None:
    job, (checked,) = adopt(stored={"id": "string", "name": "string", **META})
    assert "    cast(`id` as int) as `id`,\n    `name` as `name`\n" in job["sql"]
    assert "count_if(`id` is not null and try_cast(`id` as int) is null) as lost_1\n" in checked


def test_they_are_the_dump_of_the_given_date() -> None:
    # YAML reads a date.
    value = {"snapshot": "history", "snapshot_date": date(2026, 1, 7)}
    sql = adopt({"orders": value}, snapshot_date="day")[0]["sql"]
    assert "    `Name` as `name`,\n    cast('2026-01-07' as date) as `day`\nfrom" in sql
    with pytest.raises(CompilationError, match="deltawave_adopt can't be"):
        adopt({"orders": {"snapshot": "history"}})


@pytest.mark.parametrize("others", [{"adopted": {}}, {"empty": True}])
def test_other_runs_read_the_source(others: dict[str, Any]) -> None:
    job, ran = adopt(**others)
    assert (job["sql"], ran, job["settings"]["expected_rows"]) == ("select * from shop.source", [], 9)


@pytest.mark.parametrize(
    ("was", "becomes", "expected"),
    [
        ("string", "decimal(9,2)", True),
        ("bigint", "int", True),
        ("date", "timestamp", True),
        ("boolean", "string", True),
        ("array<int>", "array<int>", True),
        ("array<int>", "string", False),
        ("date", "int", False),
        ("boolean", "timestamp", False),
    ],
)
def test_types_that_spark_casts_are_known(was: str, becomes: str, expected: bool) -> None:
    assert Macros()._can_be_cast(was, becomes) == expected


KEYS = {"shop": {"unique_key": ["id", "`day`"]}}
REFUSED: dict[str, Callable[[], Any]] = {
    "a snapshot for no model": lambda: adopt("history"),
    "a misspelt model": lambda: adopt({"ordres": "history"}),
    "a misspelt snapshot": lambda: adopt(snapshots={}),
    "a snapshot that two packages have": lambda: adopt(snapshots={"shop": {}, "other": {}}),
    "a snapshot that was never built": lambda: adopt(is_built=False),
    "a snapshot with another key": lambda: adopt(snapshots=KEYS),
    "a log that has batches": lambda: adopt(record={"batch_id": 1}),
    "a log of dated dumps": lambda: adopt(snapshot_date="day"),
    "a date for a log without dates": lambda: adopt({"orders": {"snapshot": "history", "snapshot_date": "2026-01-07"}}),
    "a log of slices": lambda: adopt(strategy="timestamp"),
    "a snapshot without a column": lambda: adopt(stored={"id": "int", **META}),
    "a column of another kind": lambda: adopt(stored={"id": "int", "name": "array<int>", **META}),
    "a value of another kind": lambda: adopt(stored={"id": "string", "name": "string", **META}, lost=2),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_refused_is_explained(kind: str) -> None:
    with refused("A log that begins with a snapshot", kind):
        REFUSED[kind]()


def test_the_page_lists_what_is_tested() -> None:
    assert list(messages("A log that begins with a snapshot")) == list(REFUSED)


def test_a_snapshot_is_known_by_its_package() -> None:
    assert "orders_history" in adopt({"orders": "other.history"}, snapshots={"shop": {}, "other": {}})[0]["sql"]
