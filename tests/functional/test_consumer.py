"""README.md's way to install it, as it is written; integration_tests/ built in that environment, and by dbt-spark."""

import json
import shutil
import subprocess
import sysconfig
import venv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from jvm import QUICK_JVM
from walkthrough import CHECKOUT, Step, carry_out, differences, environ

ROOT = Path(__file__).resolve().parents[2]
# What a checkout holds for dbt and for pip.
FOLDERS = ("macros", "models", "python_models", "seeds", "snapshots", "integration_tests", "src")
FILES = ("dbt_project.yml", "pyproject.toml", "README.md", "LICENSE")

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
SECTION = README.split("## Install it in your project\n", 1)[1].split("\n## ", 1)[0]
COMMANDS = ["deps", "build"]


@dataclass(frozen=True)
class Installation:
    """What the section of README.md has made in a folder, with its environment, and the consumer's project."""

    page: list[Step]
    folder: Path
    project: Path
    outputs: dict[str, Any]

    def run(self, target: str, *commands: str) -> dict[str, Any]:
        """What SCRIPT prints of the consumer's commands on a target."""
        python = self.folder / ".venv" / "bin" / "python"
        return _run(python, self.project, self.outputs[target]["schema"], commands, target, QUICK_JVM)


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """An empty folder in which exactly the files and commands of README.md were carried out."""
    folder = tmp_path_factory.mktemp("installed")
    project = _checkout(tmp_path_factory.mktemp("consumer"))
    page = carry_out(SECTION.replace(CHECKOUT, str(project.parent)), folder, environ(QUICK_JVM))
    files = {step.path: step.text for step in page}
    (project / "profiles.yml").write_text(files["profiles.yml"])
    yield Installation(page, folder, project, yaml.safe_load(files["profiles.yml"])["shop"]["outputs"])
    # It takes a gigabyte, and pytest keeps its folders.
    shutil.rmtree(folder)


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
    python: Path, project: Path, schema: str, commands: Sequence[str], target: str, jvm_options: str
) -> dict[str, Any]:
    """What SCRIPT prints."""
    output = _call(
        [str(python), "-c", SCRIPT, schema, *(f"{command} --target {target}" for command in commands)],
        cwd=project,
        env=environ(jvm_options),
    )
    return dict(json.loads(output.splitlines()[-1]))


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


GOOD = ("success", "pass")

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


def assert_tidy(project: Path) -> None:
    assert not {"derby.log", "metastore_db", "spark-warehouse"} & {path.name for path in project.iterdir()}


def test_the_readme_installs_it_into_an_empty_folder_that_builds_a_project(installation: Installation) -> None:
    printed = "".join(step.output for step in installation.page)
    assert "problem" not in printed
    assert list(differences(installation.page)) == []
    # `doctor` looks at the jars of the profile.
    assert "ok       shop.delta: io.delta:delta-spark" in printed
    assert "ok       shop.iceberg: org.apache.iceberg:iceberg-spark-runtime" in printed
    assert_tidy(installation.folder)
    seen = installation.run("local", *COMMANDS)
    built = seen["commands"][-1]
    assert_built(built)
    assert built["changes_a_day"][0] == "success"
    assert seen["plugin"].startswith(str(installation.folder))
    assert_tidy(installation.project)


@pytest.mark.parametrize("target", ["delta", "iceberg"])
def test_the_readmes_other_targets_run_there(target: str, installation: Installation) -> None:
    seen = installation.run(
        target, "deps", "build --select +prices_changes", f"run --select current_prices prices_changes {JUNE}"
    )
    assert seen["provider"] == target
    assert seen["plugin"].startswith(str(installation.folder))
    *_, first, _ = seen["commands"]
    assert_good(first)
    assert_seen(seen)


def test_stock_dbt_spark_builds_it_without_the_wheel(tmp_path: Path, quick_jvm: str) -> None:
    project = _checkout(tmp_path)
    commands = ["deps", "build", f"run --select current_prices change_logs {JUNE}"]
    seen = _run(_environment(tmp_path), project, "shop", commands, "stock", quick_jvm)
    _, first, again = seen["commands"]
    assert_built(first)
    assert again["accounts_changes"][1] == "no changes"
    assert_seen(seen)
    assert_tidy(project)
    assert seen["plugin"] is None
    assert "changes_a_day" not in first
