"""integration_tests/ built as its user builds it: by the installed wheel, and by stock dbt-spark without the wheel."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
# What a checkout holds for dbt, beside its dbt_project.yml.
FOLDERS = ("macros", "models", "python_models", "seeds", "snapshots", "integration_tests")

JUNE = "--vars '{price_list: june}'"

GOOD = ("success", "pass")

# Runs dbt commands on one Spark; the last line printed is the outcome of each node in each command.
SCRIPT = """
import importlib.util, json, shlex, sys
from dbt.cli.main import dbtRunner

seen = []
for command in sys.argv[1:]:
    done = dbtRunner().invoke(shlex.split(command))
    if done.exception:
        raise done.exception
    results = getattr(done.result, "results", [])
    seen.append({result.node.name: [str(result.status), result.message] for result in results})

from pyspark.sql import SparkSession
rows = SparkSession.active().sql(
    "select _batch_id, _change_type, count(*) from shop.prices_changes group by all order by all"
).collect()
plugin = importlib.util.find_spec("dbt.adapters.deltawave")
print(json.dumps({"commands": seen, "prices": rows, "plugin": plugin and plugin.origin}))
"""


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """The Python of a new environment with every package of this one, but for the project itself.

    Packages of a folder that a .pth names are found, the editable install's own .pth there is not read.
    """
    folder = tmp_path / "environment"
    venv.create(folder, symlinks=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
    (site / "packages.pth").write_text(sysconfig.get_path("purelib"))
    return folder / "bin" / "python"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The consumer in a checkout of its own."""
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    shutil.copy(ROOT / "dbt_project.yml", checkout)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, checkout / name, ignore=shutil.ignore_patterns("target", "logs", "dbt_packages"))
    return checkout / "integration_tests"


def call(command: list[str], **options: Any) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build(python: Path, project: Path, target: str, again: str, quick_jvm: str) -> dict[str, Any]:
    """Install the package, build everything, run one command more; what SCRIPT prints, where targets agree checked."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DBT_", "PYTHON"))}
    commands = [f"{command} --target {target}" for command in ("deps", "build", again)]
    said = call([str(python), "-c", SCRIPT, *commands], cwd=project, env=kept | {"SPARK_SUBMIT_OPTS": quick_jvm})
    seen: dict[str, Any] = json.loads(said.splitlines()[-1])

    _, first, second = seen["commands"]
    wrong = {name: result for done in (first, second) for name, result in done.items() if result[0] not in GOOD}
    assert not wrong
    assert first["accounts_changes"][1] == "3 batches: 7 inserts, 1 delete, 4 updates"
    assert first["prices_changes"][1] == "1 batch: 3 inserts, 0 deletes, 0 updates"
    assert second["accounts_changes"][1] == "no changes"
    assert second["prices_changes"][1] == "1 batch: 1 insert, 0 deletes, 1 update"
    assert seen["prices"] == [[1, "insert", 3], [2, "insert", 1], [2, "update", 1]]
    assert not {"derby.log", "metastore_db", "spark-warehouse"} & {path.name for path in project.iterdir()}
    return seen


def test_the_installed_wheel_builds_it(wheel: Path, environment: Path, project: Path, quick_jvm: str) -> None:
    call([sys.executable, "-m", "pip", "--python", str(environment), "install", "--no-deps", "--no-index", str(wheel)])
    seen = build(environment, project, "deltawave", f"run --select current_prices change_logs {JUNE}", quick_jvm)
    assert seen["plugin"].startswith(str(environment.parents[1]))
    assert seen["commands"][1]["changes_a_day"][0] == "success"


def test_stock_dbt_spark_builds_it_without_the_wheel(environment: Path, project: Path, quick_jvm: str) -> None:
    seen = build(environment, project, "stock", f"run --select current_prices change_logs {JUNE}", quick_jvm)
    assert seen["plugin"] is None
    assert "changes_a_day" not in seen["commands"][1]
