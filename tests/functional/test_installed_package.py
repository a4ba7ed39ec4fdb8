"""What a project that installs the package gets: the macros, and the demo only on request."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from dbt.cli.main import dbtRunner

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("models", "python_models", "seeds")
# The demo's models and seeds, besides its source and exposure, and a model of a database that profiles may name.
DEMO = {file.stem for folder in FOLDERS for file in (ROOT / folder).rglob("*.*") if file.suffix != ".yml"}
DEMO -= {"airports_by_remote_checksum"}
DEMO_ON = ("--vars", "{deltawave_demo: true}")


@pytest.fixture(scope="module", params=["deltawave", "spark"])
def consumer(request, tmp_path_factory):
    """A project with one model of its own that has installed the package, on either adapter."""
    project = tmp_path_factory.mktemp("shop")
    target = {"type": request.param, "method": "session", "schema": "shop", "host": "local"}
    outputs = {name: {**target} for name in ("local", "delta")}
    write(project / "profiles.yml", {"shop": {"target": "local", "outputs": outputs}})
    write(project / "dbt_project.yml", {"name": "shop", "version": "1.0.0", "profile": "shop"})
    write(project / "packages.yml", {"packages": [{"local": str(ROOT)}]})
    (project / "models").mkdir()
    (project / "models/orders.sql").write_text(
        "{{ config(materialized='differential', unique_key='id') }} select 1 as id"
    )
    invoke(project, "deps")
    with pytest.MonkeyPatch.context() as patch:
        # It would enable another source of the demo.
        patch.delenv("DELTAWAVE_RUNWAYS", raising=False)
        yield project


def write(file: Path, content: dict[str, Any]) -> None:
    file.write_text(yaml.safe_dump(content))


def invoke(project: Path, *command: str) -> Any:
    folders = ["--project-dir", str(project), "--profiles-dir", str(project)]
    outcome = dbtRunner().invoke(["--quiet", *command, *folders])
    assert outcome.success, outcome.exception
    return outcome.result


def listed(project: Path, *options: str) -> set[str]:
    """What `dbt ls` shows: everything that is enabled."""
    return set(invoke(project, "ls", *options))


def test_installed_package_brings_macros_and_nothing_to_build(consumer):
    assert listed(consumer) == {"shop.orders"}
    macros = invoke(consumer, "parse").macros
    assert {"macro.deltawave.diff", "macro.deltawave.create_external_sources"} <= macros.keys()


def test_demo_can_be_asked_for(consumer):
    names = listed(consumer, *DEMO_ON)
    tests = listed(consumer, *DEMO_ON, "--resource-type", "test", "--resource-type", "unit_test")
    others = {"exposure:deltawave.airports_change_monitor", "source:deltawave.legacy.airports"}
    assert others < names
    built = {name.rpartition(".")[2] for name in names - tests - others}
    assert built == DEMO | {"orders"}
    assert "deltawave.airports_changes_are_those_expected" in tests
    assert "unit_test:deltawave.airports_daily_summary_counts_batches" in tests


def test_snapshot_of_the_demo_is_there_where_tables_can_be_merged(consumer):
    names = {name.rpartition(".")[2] for name in listed(consumer, *DEMO_ON, "--target", "delta")}
    assert DEMO | {"airports_history"} <= names
