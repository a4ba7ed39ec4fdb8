"""Which profile `deltawave doctor` reads, and what it finds there."""

from pathlib import Path

import pytest

from deltawave.environment import Finding, check_profiles
from deltawave.jars import JARS, remedy

DELTA, ICEBERG = JARS["4.1"].values()
OTHER = "io.delta:delta-spark_4.2_2.13:4.4.0"
UNNAMED = "io.delta:delta-spark_2.13:4.0.0"


def profile(jars: str, output: str = "type: deltawave", name: str = "shop") -> str:
    return f'{name}: {{outputs: {{dev: {{{output}, server_side_parameters: {{spark.jars.packages: "{jars}"}}}}}}}}\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "dbt_project.yml").write_text("profile: shop\n")
    return folder


def found(project: Path, **environ: str) -> list[Finding]:
    # No archive of classes without a Java.
    return check_profiles({"JAVA_HOME": "/missing", **environ}, project, project.parent / "home")


def wrong(project: Path, **environ: str) -> bool:
    (finding,) = found(project, **environ)
    return not finding.ok


def test_jars_are_named_with_the_output_that_loads_them(project: Path) -> None:
    (project / "profiles.yml").write_text(profile(f"{DELTA},{OTHER}"))
    good, bad = found(project)
    assert good == Finding(f"shop.dev: {DELTA}")
    assert bad.seen.startswith(f"shop.dev: {OTHER} is made for Spark 4.2; pyspark 4.1")
    assert (bad.remedy, bad.certain) == (remedy("4.1.4"), True)


@pytest.mark.parametrize("jars", [UNNAMED, "{{ var('jars') if target.name else 'a,b' }}"])
def test_an_unclear_name_is_a_warning(project: Path, jars: str) -> None:
    """As is Jinja that is not read."""
    (project / "profiles.yml").write_text(profile(jars))
    (finding,) = found(project)
    assert jars in finding.seen
    assert not finding.ok
    assert not finding.certain


def test_the_profile_is_looked_for_where_dbt_looks(project: Path) -> None:
    assert found(project) == []
    places = [project.parent / "home" / ".dbt", project / "profiles", project, project.parent / "named"]
    # Each takes precedence over those above it.
    for place, jar in zip(places, (OTHER, DELTA, OTHER, DELTA), strict=True):
        place.mkdir(parents=True, exist_ok=True)
        (place / "profiles.yml").write_text(profile(jar))
        environ = {"DBT_PROFILES_DIR": str(place)} if place.name == "named" else {}
        assert wrong(project, **environ) == (jar == OTHER)


def test_only_the_profile_of_the_project_counts(project: Path) -> None:
    (project / "profiles.yml").write_text(profile(OTHER, name="another") + profile(DELTA))
    assert not wrong(project)
    (project / "dbt_project.yml").unlink()
    assert [finding.ok for finding in found(project)] == [False, True]


def test_a_folder_within_the_project_belongs_to_it(project: Path) -> None:
    (project / "models").mkdir()
    (project / "models" / "profiles.yml").write_text(profile(OTHER, name="another") + profile(DELTA))
    assert not wrong(project / "models")


@pytest.mark.parametrize("adapter", ["spark", "deltawave"])
def test_stock_sessions_load_jars_too(project: Path, adapter: str) -> None:
    (project / "profiles.yml").write_text(profile(OTHER, f"type: {adapter}, method: session"))
    assert wrong(project)


def test_env_var_is_read(project: Path) -> None:
    (project / "profiles.yml").write_text(profile("{{ env_var('JARS', '" + OTHER + "') }}"))
    assert wrong(project)
    assert not wrong(project, JARS=DELTA)
    assert [finding.ok for finding in found(project, JARS=f"{DELTA}, {ICEBERG}")] == [True, True]


SESSION = "shop: {{outputs: {{dev: {{type: deltawave, server_side_parameters: {}}}}}}}"


@pytest.mark.parametrize(
    "text",
    [
        *("", "shop", "shop: [1]", "shop: {outputs: [1]}", "shop: {outputs: {dev: 1}}", "1: {outputs: null}"),
        *(profile(OTHER, each) for each in ("type: spark, method: thrift", "type: postgres", "type: [deltawave]")),
        *map(SESSION.format, ("", "[1]", "{1: 2}", "{spark.jars.packages: null}", "{spark.jars.packages: [a]}")),
    ],
)
def test_odd_profiles_and_other_outputs_are_passed_over(project: Path, text: str) -> None:
    (project / "profiles.yml").write_text(text)
    assert found(project) == []


@pytest.mark.parametrize("text", [b"shop:\n  password: 'hunter2\n", b"\xff\xfe\xfa", b"{{ a }}: 1"])
def test_unreadable_profiles_are_a_warning_without_their_text(project: Path, text: bytes) -> None:
    (project / "profiles.yml").write_bytes(text)
    (finding,) = found(project)
    assert str(project / "profiles.yml") in finding.seen
    assert "hunter2" not in finding.seen + finding.remedy
    assert not finding.ok
    assert not finding.certain
