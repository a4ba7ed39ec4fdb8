"""A shop as the ecosystem writes it, with other packages, that also installs this one: tests/functional/shop.

Its marts are the sources of change logs; nothing that it has, and no setting, is made for the package.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from dbt.cli.main import dbtRunner
from pyspark.sql import SparkSession

pytestmark = pytest.mark.core

ROOT = Path(__file__).resolve().parents[2]

# The second delivery: a customer is called otherwise, one is new, and one order is dearer.
LATER = {
    "raw_customers.csv": [("c1,Ann Abel", "c1,Ann Cole"), ("c3,Cid O'Neill", "c3,Cid O'Neill\nc4,Dan Zoë")],
    "raw_orders.csv": [("4,c3,2026-01-05T10:45:00,s2,1400,56,1456", "4,c3,2026-01-05T10:45:00,s2,2000,80,2080")],
    "raw_items.csv": [("i5,4,J2", "i5,4,J2\ni6,4,B1")],
}


class Shop:
    """The shop's project, whose commands run in this process, and all warnings that they gave."""

    def __init__(self, root: Path, schema: str) -> None:
        self.root = root
        self.schema = schema
        self.warnings: list[str] = []

    def dbt(self, command: str) -> dict[str, tuple[str, str]]:
        """The outcome of a command by node: its status and its message."""
        folders = ["--project-dir", str(self.root), "--profiles-dir", str(self.root)]
        outcome = dbtRunner(callbacks=[self._note]).invoke([*command.split(), *folders])
        assert outcome.success, outcome.exception or [each for each in outcome.result if each.status != "success"]
        return {each.node.name: (str(each.status), each.message) for each in getattr(outcome.result, "results", [])}

    def _note(self, event: Any) -> None:
        if event.info.level in ("warn", "error"):
            self.warnings.append(event.info.msg)

    def deliver(self, changes: dict[str, list[tuple[str, str]]]) -> None:
        for name, replaced in changes.items():
            file = self.root / "seeds" / name
            for old, new in replaced:
                assert old in file.read_text()
                file.write_text(file.read_text().replace(old, new))


@pytest.fixture
def shop(tmp_path: Path, dbt_profile_target: dict[str, Any], spark: SparkSession) -> Iterator[Shop]:
    project = Shop(tmp_path / "shop", "market")
    shutil.copytree(ROOT / "tests/functional/shop", project.root)
    output = dbt_profile_target | {"schema": project.schema}
    profile = {"market": {"target": "local", "outputs": {"local": output}}}
    (project.root / "profiles.yml").write_text(yaml.safe_dump(profile))
    packages = [{"local": "packages/money"}, {"local": "packages/calendar"}, {"local": str(ROOT)}]
    (project.root / "packages.yml").write_text(yaml.safe_dump({"packages": packages}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DBT_WRITE_JSON", "true")
        yield project
    for schema in (project.schema, f"{project.schema}_raw"):
        spark.sql(f"drop schema if exists {schema} cascade")


def test_a_shop_of_usual_names_gets_logs_and_no_warning(shop: Shop, spark: SparkSession) -> None:
    shop.dbt("deps")
    shop.dbt("seed")
    first = shop.dbt("build")
    assert first["customers_changes"] == ("success", "1 batch: 3 inserts, 0 deletes, 0 updates")
    assert first["orders_changes"] == ("success", "1 batch: 4 inserts, 0 deletes, 0 updates")

    shop.deliver(LATER)
    second = shop.dbt("build")
    assert second["customers_changes"] == ("success", "1 batch: 1 insert, 0 deletes, 2 updates")
    assert second["orders_changes"] == ("success", "1 batch: 0 inserts, 0 deletes, 1 update")
    assert {status for status, _ in second.values()} == {"success", "pass", "no-op"}
    changes = spark.sql(
        f"select customer_id, _change_type, _changed_columns, _before.customer_name as named"
        f" from {shop.schema}.customers_changes where _batch_id = 2 order by customer_id"
    )
    assert [tuple(row) for row in changes.collect()] == [
        ("c1", "update", ["customer_name"], "Ann Abel"),
        ("c3", "update", ["lifetime_spend"], "Cid O'Neill"),
        ("c4", "insert", None, None),
    ]
    now = spark.sql(f"select customer_id, customer_name from {shop.schema}.customers_now order by customer_id")
    assert [tuple(row) for row in now.collect()] == [
        ("c1", "Ann Cole"),
        ("c2", 'Bob "Bo" Baker'),
        ("c3", "Cid O'Neill"),
        ("c4", "Dan Zoë"),
    ]
    versions = spark.sql(
        f"select order_total, dbt_valid_to is null from {shop.schema}.orders_history where order_id = 4"
    )
    assert sorted((float(total), current) for total, current in versions.collect()) == [(14.56, False), (20.8, True)]

    shop.dbt("docs generate")
    manifest = json.loads((shop.root / "target/manifest.json").read_text())
    assert {node["package_name"] for node in manifest["nodes"].values()} == {"market"}
    catalog = json.loads((shop.root / "target/catalog.json").read_text())
    assert "_change_type" in catalog["nodes"]["model.market.customers_changes"]["columns"]
    assert shop.warnings == []
