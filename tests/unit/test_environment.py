"""`deltawave doctor`: its findings on machines of every kind, and the remedies."""

from pathlib import Path

import pytest

from deltawave import environment
from deltawave.cli import main, report
from deltawave.environment import Finding

JAVA_OUTPUTS = {
    8: 'java version "1.8.0_392"\nJava(TM) SE Runtime Environment (build 1.8.0_392-b08)\n',
    11: 'openjdk version "11.0.21" 2023-10-17 LTS\nOpenJDK Runtime Environment Corretto-11.0.21\n',
    17: (
        "Picked up JAVA_TOOL_OPTIONS: -Xmx2g -Dx.version=9\n"
        'openjdk version "17.0.15" 2025-04-15\nOpenJDK Runtime Environment (build 17.0.15+6)\n'
    ),
    21: 'openjdk version "21" 2023-09-19\nOpenJDK Runtime Environment (build 21+35-2513)\n',
    25: 'openjdk version "25-ea" 2025-09-16\nOpenJDK Runtime Environment (build 25-ea+30)\n',
}


@pytest.mark.parametrize("major", JAVA_OUTPUTS)
def test_java_is_judged_by_the_version_that_it_prints_in_any_form(major: int) -> None:
    finding = environment.check_java("/opt/jdk/bin/java", JAVA_OUTPUTS[major], "/opt/jdk")
    assert finding.ok == (major in (17, 21))
    assert finding.seen.startswith(f"Java {major} from JAVA_HOME=/opt/jdk")
    assert finding.ok or "Unset JAVA_HOME" in finding.remedy


@pytest.mark.parametrize(
    ("output", "home", "seen", "remedy"),
    [
        (None, None, "no Java on the PATH, and JAVA_HOME is not set", "apt-get install openjdk-17-jre-headless"),
        (None, None, "no Java on the PATH, and JAVA_HOME is not set", "dnf install java-21-openjdk-headless"),
        (None, None, "no Java on the PATH, and JAVA_HOME is not set", "brew install openjdk@17"),
        (None, "/gone", "(JAVA_HOME=/gone)", "Unset JAVA_HOME"),
        ("jre: broken\n", None, "jre: broken", "Set JAVA_HOME"),
    ],
)
def test_without_a_java_that_runs(output: str | None, home: str | None, seen: str, remedy: str) -> None:
    finding = environment.check_java("java", output, home)
    assert seen in finding.seen
    assert remedy in finding.remedy


def test_java_home_goes_before_the_path() -> None:
    assert environment.java_command({"JAVA_HOME": "/opt/jdk"}) == "/opt/jdk/bin/java"
    assert environment.java_command({"JAVA_HOME": ""}) == "java"


def test_java_prints_its_version_to_stderr_and_one_that_fails_counts_as_none(tmp_path: Path) -> None:
    java = tmp_path / "java"
    for script, printed in (("echo 'openjdk version \"17.0.1\"' >&2", 'openjdk version "17.0.1"\n'), ("exit 1", None)):
        java.write_text(f"#!/bin/sh\n{script}\n")
        java.chmod(0o755)
        assert environment.java_version_output(str(java)) == printed
    assert environment.java_version_output(str(tmp_path / "absent")) is None


@pytest.mark.parametrize(
    ("version", "fits"), [((3, 9, 18), False), ((3, 10, 0), True), ((3, 13, 9), True), ((3, 14, 0), False)]
)
def test_python_is_judged_by_what_is_declared(version: tuple[int, int, int], fits: bool) -> None:
    finding = environment.check_python(version, ">=3.10,<3.14")
    assert finding.ok == fits
    assert (">=3.10,<3.14" in finding.seen) != fits


def test_packages_are_judged_by_the_declared_requirements() -> None:
    installed = {"pandas": "3.1.1", "dbt-spark": "1.11.0"}.get
    requirements = ["dbt-spark<1.12,>=1.11", "pandas<3,>=2.2", "pyspark[connect]<4.3,>=4.0"]
    good, too_new, absent = environment.check_packages(
        [*requirements, 'colorama; sys_platform == "nowhere"'], installed
    )
    assert good == Finding("dbt-spark 1.11.0")
    assert too_new.seen == "pandas 3.1.1 does not go with the rest"
    assert too_new.remedy == "pip install 'pandas<3,>=2.2'"
    assert absent.seen == "pyspark is not installed"
    assert absent.remedy == "pip install 'pyspark[connect]<4.3,>=4.0'"


@pytest.mark.parametrize(
    ("jar", "fits"), [("spark-core_2.13-4.1.4.jar", True), ("spark-core_2.12-3.5.1.jar", False), (None, False)]
)
def test_spark_home_has_to_hold_the_installed_spark(tmp_path: Path, jar: str | None, fits: bool) -> None:
    (tmp_path / "jars").mkdir()
    if jar:
        (tmp_path / "jars" / jar).touch()
    assert environment.check_spark_home(None, "4.1.4") is None
    finding = environment.check_spark_home(str(tmp_path), "4.1.4")
    assert (finding is None) == fits
    assert finding is None or (str(tmp_path) in finding.seen and "unset SPARK_HOME" in finding.remedy)


def test_report_puts_the_way_out_below_the_problem() -> None:
    findings = [Finding("Python 3.11.7"), Finding("no Java", "Install it:\n    here")]
    problem = "problem  no Java\n         Install it:\n             here"
    assert report(findings, quiet=False) == f"ok       Python 3.11.7\n{problem}"
    assert report(findings, quiet=True) == problem
    assert report([Finding("a.jar", "Look.", certain=False)], quiet=True) == "warning  a.jar\n         Look."


@pytest.mark.parametrize(
    ("findings", "code"),
    [
        ([Finding("Java 17")], 0),
        ([Finding("Java 17"), Finding("Java 8", "Install 17")], 1),
        ([Finding("Java 17"), Finding("a.jar", "Look.", certain=False)], 0),
    ],
)
def test_doctor_fails_where_something_is_wrong(
    findings: list[Finding], code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("deltawave.environment.examine", lambda environ: findings)
    assert main(["doctor"]) == code
    assert capsys.readouterr().out.count("\n") == len(findings) + sum(not finding.ok for finding in findings)


def test_doctor_asks_for_everything_on_this_machine() -> None:
    seen = " ".join(finding.seen for finding in environment.examine({"JAVA_HOME": "/gone"}))
    for subject in ("Python", "/gone/bin/java", "pyspark", "dbt-spark", "pandas"):
        assert subject in seen


def test_pyspark_client_goes_for_pyspark_and_needs_no_java(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = {"pyspark": None, "pyspark-client": "4.1.4"}
    installed = environment.installed_version
    monkeypatch.setattr(environment, "installed_version", lambda name: versions.get(name, installed(name)))
    seen = [finding.seen for finding in environment.examine({"JAVA_HOME": "/gone"}) if finding.certain]
    assert "pyspark-client 4.1.4" in seen
    assert not any("Java" in each or "not installed" in each for each in seen)
    (finding,) = environment.check_packages(["pyspark[connect]>=3.5,<4.4"], {"pyspark-client": "5.0.0"}.get)
    assert finding == Finding(
        "pyspark-client 5.0.0 does not go with the rest", "pip install 'pyspark-client<4.4,>=3.5'"
    )


def test_version_names_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out.startswith("deltawave 1.")
