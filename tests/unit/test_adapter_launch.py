"""What a user reads if the JVM does not start, with stand-ins for Java."""

import gc
import os
import subprocess
import sys
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.deltawave import launch as launching
from dbt.adapters.deltawave.credentials import DeltawaveCredentials
from dbt.adapters.deltawave.launch import Transcript, end, launch, leave_out_of_last_search, start_session

TOO_OLD = "Error: LinkageError\njava.lang.UnsupportedClassVersionError: class file version 61.0"
NO_JAR = "java.lang.RuntimeException: [unresolved dependency: io.delta#x;1: not found]"


@pytest.fixture
def java(tmp_path, monkeypatch):
    """Let JAVA_HOME be a Java that says something and ends."""

    def install(says):
        program = tmp_path / "bin" / "java"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{says}\n\tat a.b(c:1)\nEND\nexit 1\n")
        program.chmod(0o755)
        monkeypatch.setenv("JAVA_HOME", str(tmp_path))

    return install


@pytest.mark.parametrize(
    ("says", "hint"),
    [
        (TOO_OLD, "This Java is too old for Spark. Install Java 17 or 21"),
        (NO_JAR, "A package of spark.jars.packages could not be fetched"),
        ("Error: Could not create the Java Virtual Machine.", "server_side_parameters"),
    ],
)
def test_hint(java, says, hint):
    java(says)
    with pytest.raises(DbtRuntimeError) as caught:
        launch({})
    assert hint in str(caught.value)
    assert says.splitlines()[-1] in str(caught.value)
    assert "at a.b" not in str(caught.value)


def test_no_java(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(DbtRuntimeError, match=r"No Java was found\. Install Java 17 or 21"):
        launch({})


def test_secrets_of_the_profile_are_hidden(java):
    java("Exception: cannot log in with hunter2")
    with pytest.raises(DbtRuntimeError) as caught:
        launch({"spark.my.password": "hunter2"})
    assert "cannot log in with *****" in str(caught.value)


def test_what_it_says_on_stdout_counts_as_well(java, tmp_path, capfd):
    java("")
    (tmp_path / "bin" / "java").write_text("#!/bin/sh\necho Unrecognized option: --add-opens\nexit 1\n")
    with pytest.raises(DbtRuntimeError, match="This Java is too old for Spark"):
        launch({})
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        ("Failed to start database", "Most likely another process"),
        ("Class org.apache.hadoop.fs.s3a.S3AFileSystem not found", "org.apache.hadoop:hadoop-aws"),
        ("getFileStatus on s3a://lake/tables: Access Denied", "Spark runs, but its catalog cannot be opened"),
    ],
)
def test_a_warehouse_that_is_not_reached_is_no_metastore_in_use(monkeypatch, tmp_path, cause, said):
    session = MagicMock()
    session.builder.config().getOrCreate().catalog.databaseExists.side_effect = RuntimeError(
        f"Unable to instantiate SessionHiveMetaStoreClient\nCause: {cause}"
    )
    monkeypatch.setattr(launching, "SparkSession", session)
    monkeypatch.setattr(launching, "launch", MagicMock())
    with pytest.raises(DbtRuntimeError) as found:
        start_session({}, DeltawaveCredentials(schema="own", data_dir=str(tmp_path / "data")))
    assert said in str(found.value)
    assert cause in str(found.value)
    assert ("another process" in str(found.value)) == said.startswith("Most")


def test_the_jvm_ends_with_python_and_what_it_wrote_is_passed_on(capfd):
    transcript = Transcript()
    transcript.pass_on()
    jvm = subprocess.Popen(["sh", "-c", "read line"], stdin=subprocess.PIPE)
    os.write(transcript.fileno(), b"a line\nand half of one")
    end(jvm, transcript)
    assert jvm.wait(timeout=60) == 1
    assert capfd.readouterr() == ("", "a line\nand half of one")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("error", [BrokenPipeError, ValueError])
def test_an_end_with_nobody_to_notify(monkeypatch, error):
    """Under spark-submit there is no JVM of one's own, and what reads dbt's stderr may be gone, or closed it."""

    def write(text):
        raise error

    monkeypatch.setattr(sys, "stderr", SimpleNamespace(write=write))
    transcript = Transcript()
    transcript.pass_on()
    # More than a pipe holds.
    os.write(transcript.fileno(), b"a line\n" * 20_000)
    end(None, transcript)


@pytest.mark.parametrize(
    ("program", "loaded", "leaves_out"),
    [("/bin/dbt", "another", True), ("/bin/dbt", "duckdb", False), ("report.py", "another", False)],
)
def test_only_dbt_itself_leaves_objects_out_when_it_ends(monkeypatch, program, loaded, leaves_out):
    """A file of another program may be written only when Python finds it among its garbage, as DuckDB's objects are."""
    monkeypatch.setattr(sys, "argv", [program])
    monkeypatch.delitem(sys.modules, "duckdb", raising=False)
    monkeypatch.setitem(sys.modules, loaded, None)
    left_out = []
    monkeypatch.setattr(gc, "freeze", lambda: left_out.append(True))
    leave_out_of_last_search()
    assert bool(left_out) == leaves_out
