"""integration_tests/ in an environment of its own, built in processes of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sysconfig
import venv
from pathlib import Path
from typing import Any

import yaml
from jvm import QUICK_JVM

ROOT = Path(__file__).resolve().parents[2]
# What a checkout holds for dbt and for pip.
FOLDERS = ("macros", "models", "python_models", "seeds", "snapshots", "integration_tests", "src")
FILES = ("dbt_project.yml", "pyproject.toml", "README.md", "LICENSE")

# Taken before other tests change it.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("DBT_", "PYTHON"))}

# With another list of prices.
JUNE = "--vars '{price_list: june}'"

# Runs dbt commands on one Spark; the last line printed is the outcome of each node in each command.
SCRIPT = """
import importlib.util, json, shlex, sys
from dbt.cli.main import dbtRunner

schema, *commands = sys.argv[1:]
seen = []
for command in commands:
    done = dbtRunner().invoke(shlex.split(command))
    if done.exception:
        raise done.exception
    results = getattr(done.result, "results", [])
    seen.append({result.node.name: [str(result.status), result.message] for result in results})

from pyspark.sql import SparkSession
spark = SparkSession.active()
rows = spark.sql(
    f"select _batch_id, _change_type, count(*) from {schema}.prices_changes group by all order by all"
).collect()
described = spark.sql(f"describe extended {schema}.prices_changes__log").collect()
(provider,) = [row.data_type for row in described if row.col_name == "Provider"]
plugin = importlib.util.find_spec("dbt.adapters.deltawave")
print(json.dumps({"commands": seen, "prices": rows, "provider": provider, "plugin": plugin and plugin.origin}))
"""

README = (ROOT / "README.md").read_text()
PLACE = "path/to/deltawave"


def build_as_told(folder: Path) -> dict[str, Any]:
    """Build in an empty environment with exactly the commands of README.md, on Parquet; then the prices' change log on
    the other targets. Return the commands' output, the nodes that they built, and what SCRIPT prints per target."""
    project = _checkout(folder)
    told = _told(str(folder / "checkout"))
    for name in ("packages.yml", "profiles.yml"):
        (project / name).write_text(told[name])
    environment = folder / "environment"
    venv.create(environment, symlinks=True, with_pip=True)
    variables = ENVIRONMENT | {
        "PATH": os.pathsep.join((str(environment / "bin"), os.environ["PATH"])),
        "SPARK_SUBMIT_OPTS": QUICK_JVM,
        "PIP_NO_COMPILE": "1",
    }
    # pip may need to know of a proxy's certificate, as it does when this project is set up.
    words = f". '{ROOT}/scripts/network.sh'\n{told['sh']}"
    printed = _call(["sh", "-euc", words], cwd=project, env=variables)
    built = json.loads((project / "target" / "run_results.json").read_text())["results"]
    outputs = yaml.safe_load(told["profiles.yml"])["shop"]["outputs"]
    commands = ["build --select +prices_changes", f"run --select current_prices prices_changes {JUNE}"]
    targets = {
        target: _run(environment / "bin" / "python", project, outputs[target]["schema"], commands, target, QUICK_JVM)
        for target in ("delta", "iceberg")
    }
    # It takes a gigabyte, and pytest keeps its folders.
    shutil.rmtree(environment)
    return {
        "environment": str(environment),
        "printed": printed,
        "built": {node["unique_id"].split(".")[2]: [node["status"], node["message"]] for node in built},
        "targets": targets,
    } | _left(project)


def _told(checkout: str) -> dict[str, str]:
    """The files that README.md has a user write, by their names, and the commands, as `sh`; for a checkout there."""
    section = README.split("## Install it in your project\n", 1)[1].split("\n## ", 1)[0]
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", section.replace(PLACE, checkout), re.MULTILINE | re.DOTALL)
    return {re.match(r"# ([\w.]+)", text)[1] if kind == "yaml" else kind: text for kind, text in blocks}


def build_on_stock(folder: Path, jvm_options: str) -> dict[str, Any]:
    """Build everything without the wheel, on dbt-spark alone, then some of it again. Return what SCRIPT prints, and the
    names in the project's folder afterwards."""
    project = _checkout(folder)
    again = f"run --select current_prices change_logs {JUNE}"
    return _run(_environment(folder), project, "shop", ["deps", "build", again], "stock", jvm_options) | _left(project)


def _environment(folder: Path) -> Path:
    """The Python of a new environment with every package of this one, except the project itself.

    A .pth names this environment's folder of packages; the editable install's own .pth in there is not read.
    """
    environment = folder / "environment"
    venv.create(environment, symlinks=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(environment), "platbase": str(environment)}))
    (site / "packages.pth").write_text(sysconfig.get_path("purelib"))
    return environment / "bin" / "python"


def _run(
    python: Path, project: Path, schema: str, commands: list[str], target: str, jvm_options: str
) -> dict[str, Any]:
    """What SCRIPT prints."""
    said = _call(
        [str(python), "-c", SCRIPT, schema, *(f"{command} --target {target}" for command in commands)],
        cwd=project,
        env=ENVIRONMENT | {"SPARK_SUBMIT_OPTS": jvm_options},
    )
    return dict(json.loads(said.splitlines()[-1]))


def _left(project: Path) -> dict[str, list[str]]:
    return {"left": [path.name for path in project.iterdir()]}


def _checkout(folder: Path) -> Path:
    """The consumer in a checkout of its own."""
    checkout = folder / "checkout"
    checkout.mkdir()
    for name in FILES:
        shutil.copy(ROOT / name, checkout)
    ignored = shutil.ignore_patterns("target", "logs", "dbt_packages", "spark_data", "__pycache__")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, checkout / name, ignore=ignored)
    return checkout / "integration_tests"


def _call(command: list[str], **options: Any) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False, **options)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    return done.stdout
