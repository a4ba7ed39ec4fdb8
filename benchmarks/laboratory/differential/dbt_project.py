"""The same comparisons as runs of dbt: landing, comparing, log, next state, commit."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from dbt.cli.main import dbtRunner
from dbt.contracts.graph.manifest import Manifest

from laboratory.commands import ROOT
from laboratory.differential.snapshots import KEY, Snapshots
from laboratory.session import SETTINGS

# By the name of the method that compares likewise.
MODELS: dict[str, dict[str, Any]] = {
    "outer_join": {"strategy": "outer_join"},
    "hash_compressed": {"strategy": "hash_compressed"},
}
_QUIET = ("--no-write-json", "--log-level", "none", "--log-level-file", "none")


def write_project(folder: Path, models: Mapping[str, str], target: Mapping[str, Any]) -> None:
    """Write a dbt project with these models, which has the macros of this checkout; ``target``: more of its target."""
    package = folder / "dbt_packages" / "deltawave"
    package.mkdir(parents=True)
    (package / "macros").symlink_to(ROOT / "macros", target_is_directory=True)
    config = yaml.safe_load((ROOT / "dbt_project.yml").read_text())
    kept = {key: config[key] for key in ("name", "version", "config-version")}
    output = {"type": "deltawave", "schema": "bench", **target}
    files: dict[Path, Any] = {
        package / "dbt_project.yml": kept | {"macro-paths": ["macros"]},
        folder / "packages.yml": {"packages": [{"local": str(ROOT)}]},
        folder / "dbt_project.yml": {
            "name": "bench",
            "profile": "bench",
            "flags": {"send_anonymous_usage_stats": False},
        },
        folder / "packages.yml": {"packages": [{"local": str(ROOT)}]},
        folder / "profiles.yml": {"bench": {"target": "bench", "outputs": {"bench": output}}},
    }
    for file, content in files.items():
        file.write_text(yaml.safe_dump(content))
    (folder / "models").mkdir()
    for name, text in models.items():
        (folder / "models" / f"{name}.sql").write_text(text + "\n")


def add_thrift_target(folder: Path, port: int) -> tuple[str, str]:
    """Add a Thrift server on this machine to the profile of a project, and return the options that take it.

    It takes dbt-spark with PyHive.
    """
    file = folder / "profiles.yml"
    profiles = yaml.safe_load(file.read_text())
    server = {"type": "spark", "method": "thrift", "host": "127.0.0.1", "port": port, "user": "dbt", "schema": "bench"}
    profiles["bench"]["outputs"]["thrift"] = server | {"threads": 1}
    file.write_text(yaml.safe_dump(profiles))
    return "--target", "thrift"


def _folders(folder: Path) -> list[str]:
    return ["--project-dir", str(folder), "--profiles-dir", str(folder)]


def parsed(folder: Path) -> Manifest:
    """The project of a folder, parsed once for many runs."""
    done = dbtRunner().invoke(["parse", *_folders(folder), *_QUIET])
    if not isinstance(done.result, Manifest):
        raise RuntimeError(str(done.exception))
    return done.result


def run_model(folder: Path, name: str, *more: str, manifest: Manifest | None = None, command: str = "run") -> float:
    """Run a model of the project in a folder, and return the seconds that it took, without dbt's own start.

    ``more``: options of dbt; ``manifest``: the project, unless it is to be parsed; ``command``: dbt's, ``seed`` for a
    seed. Raises ``RuntimeError``.
    """
    done = dbtRunner(manifest).invoke([command, "--select", name, *more, *_folders(folder), *_QUIET])
    results: Any = getattr(done.result, "results", [])
    if not done.success:
        raise RuntimeError("; ".join(str(each.message) for each in results) or str(done.exception))
    return float(results[0].execution_time)


def run_operation(folder: Path, name: str, arguments: Mapping[str, Any], manifest: Manifest) -> None:
    """Run an operation of the project in a folder. Raises ``RuntimeError``."""
    command = ["run-operation", name, "--args", json.dumps(arguments)]
    done = dbtRunner(manifest).invoke([*command, *_folders(folder), *_QUIET])
    if not done.success:
        raise RuntimeError(str(done.exception or f"{name} failed"))


def profile_settings(name: str) -> dict[str, Any]:
    """The settings of the demo's profile of that name: ``delta``, ``iceberg``."""
    profiles = yaml.safe_load((ROOT / "profiles" / "profiles.yml").read_text())
    settings: dict[str, Any] = profiles["deltawave_demo"]["outputs"][name]["server_side_parameters"]
    return settings


class Project:
    """A dbt project with a model per method. Its source is the old and the new snapshot in turns.

    ``models``: options of each, and ``file_format``; ``filters``: what follows the select of a model; ``settings``:
    more of Spark's.
    """

    def __init__(
        self,
        snapshots: Snapshots,
        models: Mapping[str, Mapping[str, Any]] = MODELS,
        filters: Mapping[str, str] | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self.snapshots = snapshots
        self.folder = snapshots.folder / "project"
        texts = {}
        for name, options in models.items():
            meta = dict(options)
            given: dict[str, Any] = {
                "materialized": "differential",
                "unique_key": KEY,
                "file_format": meta.pop("file_format", "parquet"),
                "meta": meta,
            }
            arguments = ", ".join(f"{option}={value!r}" for option, value in given.items())
            select = f"select * from parquet.`{snapshots.folder / 'source'}` {(filters or {}).get(name, '')}"
            texts[name] = f"{{{{ config({arguments}) }}}}\n{select}"
        data = str(snapshots.folder / "spark")
        parameters = {**SETTINGS, **(settings or {})}
        write_project(self.folder, texts, {"threads": 1, "data_dir": data, "server_side_parameters": parameters})

    def deliver(self, side: str) -> None:
        """Make a snapshot the source."""
        source = self.snapshots.folder / "source"
        shutil.rmtree(source, ignore_errors=True)
        source.mkdir()
        for file in (self.snapshots.folder / side).glob("*.parquet"):
            (source / file.name).hardlink_to(file)

    def run(self, name: str, *more: str) -> float:
        """Run the model, and return the seconds that its batch took. ``more``: options of dbt."""
        return run_model(self.folder, name, *more)
