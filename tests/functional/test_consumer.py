"""integration_tests/ built as a user would: as README.md says, and with stock dbt-spark without the wheel."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import pytest

GOOD = ("success", "pass")

Builds = dict[str, Future[dict[str, Any]]]
Outcome = dict[str, list[str]]


def assert_built(nodes: Outcome) -> None:
    """Everything, by either adapter."""
    assert_good(nodes)
    assert nodes["accounts_changes"][1] == "3 batches: 7 inserts, 1 delete, 4 updates"
    assert nodes["prices_changes"][1] == "1 batch: 3 inserts, 0 deletes, 0 updates"


def assert_seen(seen: dict[str, Any]) -> None:
    """The other list of prices, on any format."""
    *_, again = seen["commands"]
    assert_good(again)
    assert again["prices_changes"][1] == "1 batch: 1 insert, 0 deletes, 1 update"
    assert seen["prices"] == [[1, "insert", 3], [2, "insert", 1], [2, "update", 1]]


def assert_good(nodes: Outcome) -> None:
    assert not {name: result for name, result in nodes.items() if result[0] not in GOOD}


def assert_tidy(left: list[str]) -> None:
    assert not {"derby.log", "metastore_db", "spark-warehouse"} & set(left)


@pytest.fixture(scope="module")
def told(consumers: Builds) -> dict[str, Any]:
    return consumers["told"].result()


def test_the_readme_installs_it_into_an_empty_environment_and_builds_it(told: dict[str, Any]) -> None:
    assert "problem" not in told["printed"]
    assert_built(told["built"])
    assert told["built"]["changes_a_day"][0] == "success"
    assert_tidy(told["left"])


@pytest.mark.parametrize("target", ["delta", "iceberg"])
def test_the_readmes_other_targets_run_there(target: str, told: dict[str, Any]) -> None:
    seen = told["targets"][target]
    assert seen["provider"] == target
    assert seen["plugin"].startswith(told["environment"])
    first, _ = seen["commands"]
    assert_good(first)
    assert_seen(seen)


def test_doctor_looks_at_the_jars_of_the_readme(told: dict[str, Any]) -> None:
    assert "ok       shop.delta: io.delta:delta-spark" in told["printed"]
    assert "ok       shop.iceberg: org.apache.iceberg:iceberg-spark-runtime" in told["printed"]


def test_stock_dbt_spark_builds_it_without_the_wheel(consumers: Builds) -> None:
    seen = consumers["stock"].result()
    _, first, again = seen["commands"]
    assert_built(first)
    assert again["accounts_changes"][1] == "no changes"
    assert_seen(seen)
    assert_tidy(seen["left"])
    assert seen["plugin"] is None
    assert "changes_a_day" not in first
