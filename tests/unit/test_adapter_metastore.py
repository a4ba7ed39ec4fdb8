"""The embedded metastore serves one process."""

import subprocess
import sys

import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.deltawave import metastore

HOLDS = """
import fcntl, sys
file = open(sys.argv[1], "r+b")
fcntl.lockf(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def held(tmp_path, monkeypatch):
    """A metastore that another process has open; ends with the process's standard input."""
    monkeypatch.setattr(metastore, "PATIENCE_SECONDS", 0)
    lock = tmp_path / "metastore_db" / metastore.LOCK_FILE
    lock.parent.mkdir()
    lock.touch()
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout.readline() == b"held\n"
        yield holder
        holder.stdin.close()


def test_open_elsewhere(held, tmp_path):
    with pytest.raises(DbtRuntimeError) as caught:
        metastore.claim(str(tmp_path))
    assert str(tmp_path / "metastore_db") in str(caught.value)
    assert "another data_dir" in str(caught.value)


def test_free_again(held, tmp_path):
    held.stdin.close()
    held.wait(timeout=10)
    metastore.claim(str(tmp_path))


def test_a_new_one_gets_its_folder(tmp_path):
    metastore.claim(str(tmp_path / "data" / "spark"))
    assert (tmp_path / "data" / "spark").is_dir()
    assert (tmp_path / "data" / "spark" / ".gitignore").read_text() == "*\n"


def test_a_folder_that_is_there_stays_as_it_is(tmp_path):
    metastore.claim(str(tmp_path))
    assert list(tmp_path.iterdir()) == []
