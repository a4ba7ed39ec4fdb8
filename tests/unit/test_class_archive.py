"""Which archive of classes belongs to a driver, and that nothing is wrong without one."""

import fcntl
import sys
from pathlib import Path

import pytest

from deltawave import class_archive
from deltawave.class_archive import JAVA_OPTIONS, ClassArchive, cache_folder, find, make
from deltawave.environment import check_profiles, java_command

OPTIONS = "-XX:+UseSerialGC"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    java = tmp_path / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.touch(mode=0o755)
    return {"JAVA_HOME": str(tmp_path / "java"), "XDG_CACHE_HOME": str(tmp_path / "cache")}


def found(environ: dict[str, str], **options: str) -> ClassArchive:
    settings = {name.replace("_", "."): value for name, value in options.items()}
    archive = find(java_command(environ), settings, environ)
    assert archive is not None
    return archive


def test_projects_share_an_archive_where_java_and_options_are_the_same(environ: dict[str, str]) -> None:
    plain = found(environ)
    same = find(java_command(environ), {JAVA_OPTIONS: '-Dhome="/a b"', "spark.my.password": "hunter2"}, environ)
    assert same == plain
    others = [
        found(environ, spark_driver_memory="3g"),
        found(environ, spark_jars_packages="a:b:1"),
        found(environ | {"SPARK_SUBMIT_OPTS": OPTIONS}),
        find(java_command(environ), {JAVA_OPTIONS: OPTIONS}, environ),
    ]
    assert len({plain.file, *(each.file for each in others if each)}) == 5


@pytest.mark.parametrize(
    ("settings", "variables"),
    [
        ({}, {class_archive.SWITCH: "false"}),
        ({}, {"JAVA_HOME": "/missing"}),
        ({}, {"SPARK_HOME": "/missing"}),
        ({JAVA_OPTIONS: "-XX:SharedArchiveFile=/own.jsa"}, {}),
        ({}, {"SPARK_SUBMIT_OPTS": "-Da=b -Xshare:off"}),
    ],
)
def test_no_archive(settings: dict[str, str], variables: dict[str, str], environ: dict[str, str]) -> None:
    environ |= variables
    assert find(java_command(environ), settings, environ) is None


def test_it_lies_in_the_users_cache(environ: dict[str, str]) -> None:
    assert found(environ).file.parent == Path(environ["XDG_CACHE_HOME"], "deltawave")
    assert cache_folder({}) == cache_folder({"XDG_CACHE_HOME": "relative"}) == Path.home() / ".cache" / "deltawave"


def test_a_failure_is_kept_and_not_repeated(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    archive = found(environ)
    assert archive.options() == ""
    monkeypatch.setattr(sys, "executable", "/bin/false")
    make(archive)
    assert "exit code 1" in archive.failure.read_text()
    monkeypatch.setattr("subprocess.Popen", None)
    archive.make_later()
    make(archive)
    left = {path.suffix for path in archive.file.parent.iterdir()}
    assert left == {".failed", ".lock"}


def test_one_that_was_truncated_is_left_alone(environ: dict[str, str]) -> None:
    archive = found(environ)
    archive.file.parent.mkdir(parents=True)
    archive.file.write_bytes(b"classes")
    assert archive.options() == ""
    archive.size.write_text("7")
    assert str(archive.file) in archive.options()
    archive.file.write_bytes(b"class")
    assert archive.options() == ""


def test_two_runs_do_not_make_it_twice(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    archive = found(environ)
    archive.file.parent.mkdir(parents=True)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with archive.file.with_suffix(".lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        make(archive)
    assert not archive.failure.exists()


def test_doctor_shows_it(environ: dict[str, str], tmp_path: Path) -> None:
    def seen() -> str:
        (finding,) = check_profiles(environ, tmp_path, tmp_path)
        assert finding.ok or not finding.certain
        return finding.seen

    archive = found(environ)
    assert seen() == f"archive of classes {archive.file} is made after the next run"
    archive.file.parent.mkdir(parents=True)
    archive.failure.touch()
    assert "could not be made" in seen()
    archive.file.write_bytes(bytes(2_000_000))
    archive.size.write_text("2000000")
    assert seen() == f"archive of classes {archive.file}, 2 MB"
    environ[class_archive.SWITCH] = "false"
    assert "switches it off" in seen()
