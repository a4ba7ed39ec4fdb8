"""What a user's `pip install dbt-deltawave` brings."""

import os
import re
import subprocess
import sys
import zipfile
from email import message_from_bytes
from importlib import metadata
from pathlib import Path

import duckdb
import pytest
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]

LOCKED = dict(re.findall(r"^([\w.-]+)(?:\[.*\])?==([\w.]+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE))


@pytest.fixture(scope="module")
def required(wheel: Path) -> dict[str, Requirement]:
    """The requirements of the wheel."""
    packed = zipfile.ZipFile(wheel)
    (name,) = [name for name in packed.namelist() if name.endswith(".dist-info/METADATA")]
    lines = message_from_bytes(packed.read(name)).get_all("Requires-Dist") or []
    return {requirement.name: requirement for requirement in map(Requirement, lines)}


def test_the_wheel_allows_what_is_tested(required: dict[str, Requirement]) -> None:
    assert {"dbt-core", "dbt-spark", "pyspark"} <= set(required)
    for name, requirement in required.items():
        assert LOCKED[name] in requirement.specifier


@pytest.mark.parametrize(("name", "column"), [("dbt-core", 1), ("pyspark", 2)])
def test_the_wheel_allows_the_versions_that_were_seen_to_work(
    name: str, column: int, required: dict[str, Requirement]
) -> None:
    page = (ROOT / "docs" / "support.md").read_text()
    cells = [line.strip("| ").split(" | ") for line in page.splitlines() if re.match(r"\| \w+ \| 1\.", line)]
    seen = {cell[column] for cell in cells if cell[-1].startswith("right on ")}
    # Spark 3 ends with 3.5.
    others = {f"{major}.{minor}" for major in range(1, 6) for minor in range(6 if major == 3 else 20)}
    assert {each for each in others if f"{each}.99" in required[name].specifier} == seen


def test_the_wheel_holds_the_library_and_the_adapter_and_nothing_else(wheel: Path) -> None:
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    source = ROOT / "src"
    written = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert packed == written
    assert "deltawave/cli.py" in packed
    assert "dbt/adapters/deltawave/__init__.py" in packed
    assert "dbt/include/deltawave/dbt_project.yml" in packed


def test_the_wheel_needs_no_tool_of_the_benchmarks(wheel: Path) -> None:
    others = {"datacompy", "gresearch", "laboratory", "matplotlib", "tpchgen"}
    packed = zipfile.ZipFile(wheel)
    for name in packed.namelist():
        if name.endswith(".py"):
            imported = set(re.findall(r"^\s*(?:from|import) (\w+)", packed.read(name).decode(), re.MULTILINE))
            assert not imported & others, name


def test_the_wheel_leaves_the_namespace_to_dbt_core(wheel: Path) -> None:
    shared = {"dbt/__init__.py", "dbt/adapters/__init__.py", "dbt/include/__init__.py"}
    assert not shared & set(zipfile.ZipFile(wheel).namelist())


def test_the_wheel_compares_files_with_duckdb_alone(wheel: Path, tmp_path: Path) -> None:
    """As `pip install --no-deps dbt-deltawave duckdb` installs them: no Spark, no dbt, no pandas."""
    own = Path(duckdb.__file__).parent
    for folder in [own, *own.parent.glob("duckdb-*"), *own.parent.glob("_duckdb.*")]:
        (tmp_path / folder.name).symlink_to(folder)
    for name, amount in (("old.csv", 1), ("new.json", 2)):
        text = f"id,amount\n1,{amount}\n" if name.endswith("csv") else f'[{{"id": 1, "amount": {amount}}}]'
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-S", "-m", "deltawave", "compare", "old.csv", "new.json", "--summary"]
    path = os.pathsep.join([str(wheel), str(tmp_path)])
    done = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("The tables differ by id, a key that was found: 1 row changed (amount in 1)")


def test_wheel_and_dbt_package_have_one_version() -> None:
    for file in ("dbt_project.yml", "src/dbt/include/deltawave/dbt_project.yml"):
        project = yaml.safe_load((ROOT / file).read_text())
        assert project["version"] == metadata.version("dbt-deltawave"), file
