"""The same comparisons as runs of dbt: landing or in place, comparing, log, next state, commit."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from typing import Any

import yaml
from dbt.cli.main import dbtRunner

from laboratory.commands import ROOT
from laboratory.differential.snapshots import KEY, Snapshots
from laboratory.session import SETTINGS

# By the name of the method that compares likewise.
MODELS: dict[str, dict[str, Any]] = {
    "outer_join": {"strategy": "outer_join"},
    "window": {"strategy": "window", "in_place": True},
    "sort_merge_compressed_in_place": {"strategy": "sort_merge_compressed", "in_place": True},
    "hash_compressed": {"strategy": "hash_compressed"},
    "hash_compressed_in_place": {"strategy": "hash_compressed", "in_place": True},
}
_QUIET = ("--no-write-json", "--log-level", "none", "--log-level-file", "none")


class Project:
    """A dbt project with a model per method. Its source is the old and the new snapshot in turns.

    Under ``window`` each snapshot has a folder of its own, which stays: that strategy reads the last dump in place.
    """

    def __init__(self, snapshots: Snapshots, models: Mapping[str, Mapping[str, Any]] = MODELS) -> None:
        self.snapshots = snapshots
        self.side = "old"
        self.folder = snapshots.folder / "project"
        package = self.folder / "dbt_packages" / "deltawave"
        package.mkdir(parents=True)
        config = yaml.safe_load((ROOT / "dbt_project.yml").read_text())
        kept = {key: config[key] for key in ("name", "version", "config-version")}
        (package / "dbt_project.yml").write_text(yaml.safe_dump(kept | {"macro-paths": ["macros"]}))
        (package / "macros").symlink_to(ROOT / "macros", target_is_directory=True)
        target: dict[str, Any] = {
            "type": "deltawave",
            "schema": "bench",
            "threads": 1,
            "data_dir": str(snapshots.folder / "spark"),
            "server_side_parameters": SETTINGS,
        }
        profile = {"bench": {"target": "bench", "outputs": {"bench": target}}}
        self._write("profiles.yml", yaml.safe_dump(profile))
        self._write("dbt_project.yml", yaml.safe_dump({"name": "bench", "profile": "bench"}))
        self._write("packages.yml", f"packages: [{{local: {ROOT}}}]\n")
        for name, options in models.items():
            given: dict[str, Any] = {"materialized": "differential", "unique_key": KEY, **options}
            arguments = ", ".join(f"{option}={value!r}" for option, value in given.items())
            source = snapshots.folder / ("{{ var('side') }}" if name == "window" else "source")
            self._write(f"models/{name}.sql", f"{{{{ config({arguments}) }}}}\nselect * from parquet.`{source}`\n")

    def deliver(self, side: str) -> None:
        """Make a snapshot the source."""
        self.side = side
        source = self.snapshots.folder / "source"
        shutil.rmtree(source, ignore_errors=True)
        source.mkdir()
        for file in (self.snapshots.folder / side).glob("*.parquet"):
            (source / file.name).hardlink_to(file)

    def run(self, name: str) -> float:
        """Run the model, and return the seconds that its batch took."""
        folders = ["--project-dir", str(self.folder), "--profiles-dir", str(self.folder)]
        done = dbtRunner().invoke(["run", "--select", name, "--vars", f"side: {self.side}", *folders, *_QUIET])
        results: Any = getattr(done.result, "results", [])
        if not done.success:
            raise RuntimeError("; ".join(str(each.message) for each in results) or str(done.exception))
        return float(results[0].execution_time)

    def _write(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
