"""What a project that installs the package gets: macros and nothing else, whatever the project calls its own things."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from dbt.artifacts.resources.types import NodeType
from dbt.cli.main import dbtRunner
from dbt.contracts.graph.manifest import Manifest
from unit.macro_harness import Macros

ROOT = Path(__file__).resolve().parents[2]
# The configuration of a folder, and a model in it.
FOLDER = {
    "+materialized": "differential",
    "+meta": {"owner": "bi", "strategy": "union", "ignore_columns": ["seen_at"], "state_schema": "kept"},
}
MODEL = """
{{ config(unique_key='id', meta={'strategy': 'outer_join', 'allow_empty': true, 'state_schema': none}) }}
select 1 as id, 2 as seen_at
"""
OWN_MACROS = {"macro.deltawave.diff", "macro.deltawave.create_external_sources"}


class Project:
    """A dbt project whose commands are called in this process, and the warnings that they gave."""

    def __init__(self, root: Path, *options: str) -> None:
        self.root = root
        self.options = ["--project-dir", str(root), *options]
        self.warnings: list[str] = []

    def dbt(self, *command: str) -> Any:
        quiet = ["--quiet", "--show-all-deprecations"]
        outcome = dbtRunner(callbacks=[self._note]).invoke([*quiet, *command, *self.options])
        assert outcome.success, outcome.exception
        return outcome.result

    def _note(self, event: Any) -> None:
        if event.info.level in ("warn", "error"):
            self.warnings.append(event.info.msg)

    def write(self, file: str, content: str | dict[str, Any]) -> None:
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else yaml.safe_dump(content))


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    """The manifest of the demo, under its own profile, with all of its sources and on a format that has snapshots."""
    folder = tmp_path_factory.mktemp("demo")
    written = ["--target-path", str(folder), "--log-path", str(folder)]
    project = Project(ROOT, "--profiles-dir", str(ROOT / "profiles"), "--target", "delta", *written)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DELTAWAVE_RUNWAYS", str(folder))
        patch.setenv("DELTAWAVE_AIRPORTS_DATABASE", "true")
        manifest: Manifest = project.dbt("parse", "--no-partial-parse")
    assert project.warnings == [], "dbt warns of the demo, or deprecates what it has"
    return manifest


def local(_: Path) -> dict[str, str]:
    return {"local": str(ROOT)}


def git(folder: Path) -> dict[str, str | bool]:
    """A repository of its own with the files of this checkout as they are now."""
    listed = _git(ROOT, "ls-files", "--cached", "--others", "--exclude-standard").splitlines()
    for name in filter(lambda name: (ROOT / name).is_file() and not name.startswith("docs/"), listed):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    _git(folder, "init", "--quiet", "--initial-branch", "main")
    _git(folder, "add", "--all")
    author = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    _git(folder, *author, "commit", "--quiet", "--message", "As it is")
    return {"git": folder.as_uri(), "revision": "main", "warn-unpinned": False}


def _git(folder: Path, *command: str) -> str:
    return subprocess.run(["git", *command], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture(
    params=[("deltawave", local, "model"), ("spark", git, "seed")], ids=lambda param: f"{param[0]}-{param[1].__name__}"
)
def consumer(request: pytest.FixtureRequest, demo: Manifest, tmp_path: Path) -> Project:
    """A project on either adapter that calls its own things by the names of the demo's."""
    adapter, package, kind = request.param
    (tmp_path / "source").mkdir()
    project = Project(tmp_path / "shop", "--profiles-dir", str(tmp_path / "shop"))
    target = {"type": adapter, "method": "session", "schema": "shop", "host": "local"}
    # The profile may be called like the package, too.
    project.write("profiles.yml", {"deltawave": {"target": "local", "outputs": {"local": target}}})
    project.write(
        "dbt_project.yml",
        {
            "name": "shop",
            "version": "1.0.0",
            "profile": "deltawave",
            "models": {"shop": {"logs": FOLDER}},
            # The default from dbt 1.12.
            "flags": {"validate_macro_args": True},
        },
    )
    project.write("models/logs/log_of_folder.sql", MODEL)
    project.write("packages.yml", {"packages": [package(tmp_path / "source")]})
    for name in relations(demo):
        text, path = ("id\n1\n", f"seeds/{name}.csv") if kind == "seed" else ("select 1 as id", f"models/{name}.sql")
        project.write(path, text)
    for name, content in properties(demo, kind).items():
        project.write(f"models/{name}.yml", content)
    project.write("models/seconds.sql", "select day as date_day from (select cast('2026-01-01' as date) as day)")
    project.write("tests/own.sql", "select 1 as id where false")
    for test in (node for node in demo.nodes.values() if node.resource_type == NodeType.Test):
        if test.original_file_path.startswith("tests/"):
            project.write(f"tests/{test.name}.sql", "select 1 as id where false")
    project.dbt("deps")
    return project


def relations(demo: Manifest) -> list[str]:
    kinds = (NodeType.Model, NodeType.Seed, NodeType.Snapshot)
    names = sorted(node.name for node in demo.nodes.values() if node.resource_type in kinds)
    assert len(names) > 30
    return names


def properties(demo: Manifest, kind: str) -> dict[str, dict[str, Any]]:
    """What a project has besides relations, by the demo's names, or by those of its relations."""
    names = relations(demo)
    sources: dict[str, list[dict[str, Any]]] = {}
    for source in demo.sources.values():
        sources.setdefault(source.source_name, []).append({"name": source.name})
    mail = {"email": "a@example.com"}
    columns = [{"name": "id", "data_tests": ["unique"]}]
    return {
        "sources": {"sources": [{"name": name, "tables": tables} for name, tables in sources.items()]},
        "exposures": {
            "exposures": [
                {"name": each.name, "type": "dashboard", "owner": mail, "depends_on": [f"ref('{names[0]}')"]}
                for each in demo.exposures.values()
            ]
        },
        "groups": {"groups": [{"name": name, "owner": mail} for name in names]},
        "tests": {f"{kind}s": [{"name": name, "columns": columns} for name in names]},
        "measured": {
            "models": [
                {
                    "name": "seconds",
                    "time_spine": {"standard_granularity_column": "date_day"},
                    "columns": [{"name": "date_day", "granularity": "day"}],
                }
            ],
            "unit_tests": [
                {"name": each.name, "model": "seconds", "given": [], "expect": {"rows": [{"date_day": "2026-01-01"}]}}
                for each in demo.unit_tests.values()
            ],
            "semantic_models": [
                {
                    "name": name,
                    "model": "ref('seconds')",
                    "defaults": {"agg_time_dimension": f"{name}_day"},
                    "entities": [{"name": f"{name}_id", "type": "primary", "expr": "date_day"}],
                    "dimensions": [
                        {
                            "name": f"{name}_day",
                            "type": "time",
                            "expr": "date_day",
                            "type_params": {"time_granularity": "day"},
                        }
                    ],
                    "measures": [{"name": f"{name}_number", "agg": "count", "expr": "date_day"}],
                }
                for name in names[:2]
            ],
            "metrics": [
                {"name": name, "label": name, "type": "simple", "type_params": {"measure": f"{name}_number"}}
                for name in names[:2]
            ],
        },
    }


def packages(manifest: Manifest) -> set[str]:
    """The packages that have anything but macros."""
    kinds = (
        manifest.nodes,
        manifest.sources,
        manifest.exposures,
        manifest.metrics,
        manifest.semantic_models,
        manifest.unit_tests,
        manifest.groups,
        manifest.saved_queries,
    )
    disabled = [node for nodes in manifest.disabled.values() for node in nodes]
    return {each.package_name for things in kinds for each in things.values()} | {
        each.package_name for each in disabled
    }


def test_it_brings_macros_and_nothing_else(consumer: Project, demo: Manifest) -> None:
    (consumer.root / "models/words.md").write_text(
        "".join(f"{{% docs {name} %}} A text. {{% enddocs %}}\n" for name in relations(demo))
    )
    listed = consumer.dbt("ls", "--resource-type", "all")
    assert not [name for name in listed if "deltawave" in name]
    manifest = consumer.dbt("parse")
    assert packages(manifest) == {"shop"}
    assert_meta_is_merged(manifest)
    assert manifest.macros.keys() >= OWN_MACROS
    assert not [block for block in manifest.docs.values() if block.package_name == "deltawave"]
    # The next command parses only the files that are renamed.
    rename(consumer.root, "_2", *relations(demo))
    manifest = consumer.dbt("parse")
    assert packages(manifest) == {"shop"}
    assert f"{relations(demo)[0]}_2" in {node.name for node in manifest.nodes.values()}
    rename(consumer.root, "", *relations(demo))
    assert packages(consumer.dbt("parse")) == {"shop"}
    assert consumer.warnings == []


def assert_meta_is_merged(manifest: Manifest) -> None:
    config = manifest.nodes["model.shop.log_of_folder"].config.to_dict(omit_none=True)
    assert config["meta"]["owner"] == "bi"
    settings = Macros()._differential_settings("log_of_folder", config)
    options = ("strategy", "allow_empty", "ignore_columns", "state_schema")
    assert [settings[option] for option in options] == ["outer_join", True, ["seen_at"], None]


def rename(root: Path, end: str, *names: str) -> None:
    """Call relations by their names with an end, in all files."""
    for name in names:
        for file in (*root.glob(f"models/{name}*.sql"), *root.glob(f"seeds/{name}*.csv")):
            if file.stem in (name, f"{name}_2"):
                file.rename(file.with_stem(f"{name}{end}"))
    for file in (root / "models/exposures.yml", root / "models/tests.yml"):
        content = yaml.safe_load(file.read_text())
        for each in content.get("models", content.get("seeds", [])):
            each["name"] = each["name"].removesuffix("_2") + end
        for each in content.get("exposures", []):
            each["depends_on"] = [f"ref('{names[0]}{end}')"]
        file.write_text(yaml.safe_dump(content))


def test_the_demo_has_all_kinds_of_nodes(demo: Manifest) -> None:
    kinds = {node.resource_type for node in demo.nodes.values()}
    assert kinds == {NodeType.Model, NodeType.Seed, NodeType.Snapshot, NodeType.Test}
    assert packages(demo) == {"deltawave"}
    assert demo.sources
    assert demo.exposures
    assert demo.unit_tests


def test_the_demo_is_that_of_its_own_profile(tmp_path: Path) -> None:
    """Also in the checkout, another profile has the macros alone."""
    target = {"type": "deltawave", "schema": "other"}
    (tmp_path / "profiles.yml").write_text(yaml.safe_dump({"own": {"target": "a", "outputs": {"a": target}}}))
    written = ["--target-path", str(tmp_path), "--log-path", str(tmp_path)]
    manifest = Project(ROOT, "--profiles-dir", str(tmp_path), "--profile", "own", *written).dbt("parse")
    assert not manifest.nodes
    assert manifest.macros.keys() >= OWN_MACROS
