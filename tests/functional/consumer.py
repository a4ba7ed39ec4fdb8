"""integration_tests/ in an environment of its own, built in processes of its own."""

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

ROOT = Path(__file__).resolve().parents[2]
# What a checkout holds for dbt, beside its dbt_project.yml.
FOLDERS = ("macros", "models", "python_models", "seeds", "snapshots", "integration_tests")

# As it is before other tests change it.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("DBT_", "PYTHON"))}

JUNE = "--vars '{price_list: june}'"

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


def build_by_wheel(folder: Path, wheel: Path, jvm_options: str) -> dict[str, Any]:
    """With the wheel installed, on the adapter that it brings; see ``_build``."""
    python = _environment(folder)
    install = ["install", "--no-deps", "--no-index", str(wheel)]
    _call([sys.executable, "-m", "pip", "--python", str(python), *install])
    return _build(python, folder, "deltawave", jvm_options)


def build_on_stock(folder: Path, jvm_options: str) -> dict[str, Any]:
    """Without the wheel, on dbt-spark alone; see ``_build``."""
    return _build(_environment(folder), folder, "stock", jvm_options)


def _environment(folder: Path) -> Path:
    """The Python of a new environment with every package of this one, but for the project itself.

    Packages of a folder that a .pth names are found, the editable install's own .pth there is not read.
    """
    environment = folder / "environment"
    venv.create(environment, symlinks=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(environment), "platbase": str(environment)}))
    (site / "packages.pth").write_text(sysconfig.get_path("purelib"))
    return environment / "bin" / "python"


def _build(python: Path, folder: Path, target: str, jvm_options: str) -> dict[str, Any]:
    """Install the package into a checkout's consumer, build everything, run some of it again: what SCRIPT prints, and
    the names that are in the project's folder afterwards."""
    project = _checkout(folder)
    again = f"run --select current_prices change_logs {JUNE}"
    commands = [f"{command} --target {target}" for command in ("deps", "build", again)]
    said = _call(
        [str(python), "-c", SCRIPT, *commands], cwd=project, env=ENVIRONMENT | {"SPARK_SUBMIT_OPTS": jvm_options}
    )
    return json.loads(said.splitlines()[-1]) | {"left": [path.name for path in project.iterdir()]}


def _checkout(folder: Path) -> Path:
    """The consumer in a checkout of its own."""
    checkout = folder / "checkout"
    checkout.mkdir()
    shutil.copy(ROOT / "dbt_project.yml", checkout)
    for name in FOLDERS:
        shutil.copytree(
            ROOT / name, checkout / name, ignore=shutil.ignore_patterns("target", "logs", "dbt_packages", "spark_data")
        )
    return checkout / "integration_tests"


def _call(command: list[str], **options: Any) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, **options)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    return done.stdout
