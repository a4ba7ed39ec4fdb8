"""What a user's `pip install dbt-deltawave` brings."""

import zipfile
from importlib import metadata
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]


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


def test_the_wheel_leaves_the_namespace_to_dbt_core(wheel: Path) -> None:
    shared = {"dbt/__init__.py", "dbt/adapters/__init__.py", "dbt/include/__init__.py"}
    assert not shared & set(zipfile.ZipFile(wheel).namelist())


def test_wheel_and_dbt_package_have_one_version() -> None:
    project = yaml.safe_load((ROOT / "dbt_project.yml").read_text())
    assert project["version"] == metadata.version("dbt-deltawave")
