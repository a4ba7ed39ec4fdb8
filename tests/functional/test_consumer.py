"""integration_tests/ built as its user builds it: by the installed wheel, and by stock dbt-spark without the wheel."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from typing import Any

GOOD = ("success", "pass")

Builds = tuple[Path, dict[str, Future[dict[str, Any]]]]


def assert_right(seen: dict[str, Any]) -> None:
    """What is the same on either adapter."""
    _, first, second = seen["commands"]
    wrong = {name: result for done in (first, second) for name, result in done.items() if result[0] not in GOOD}
    assert not wrong
    assert first["accounts_changes"][1] == "3 batches: 7 inserts, 1 delete, 4 updates"
    assert first["prices_changes"][1] == "1 batch: 3 inserts, 0 deletes, 0 updates"
    assert second["accounts_changes"][1] == "no changes"
    assert second["prices_changes"][1] == "1 batch: 1 insert, 0 deletes, 1 update"
    assert seen["prices"] == [[1, "insert", 3], [2, "insert", 1], [2, "update", 1]]
    assert not {"derby.log", "metastore_db", "spark-warehouse"} & set(seen["left"])


def test_the_installed_wheel_builds_it(consumers: Builds) -> None:
    folder, builds = consumers
    seen = builds["wheel"].result()
    assert_right(seen)
    assert seen["plugin"].startswith(str(folder / "wheel"))
    assert seen["commands"][1]["changes_a_day"][0] == "success"


def test_stock_dbt_spark_builds_it_without_the_wheel(consumers: Builds) -> None:
    _, builds = consumers
    seen = builds["stock"].result()
    assert_right(seen)
    assert seen["plugin"] is None
    assert "changes_a_day" not in seen["commands"][1]
