"""The archive of classes that a run leaves for the next one."""

import time
from pathlib import Path

from jvm import QUICK_JVM

WAIT_SECONDS = 240
PRINT_MAPPED_FILES = """
from pathlib import Path
from pyspark import SparkContext

maps = Path(f"/proc/{SparkContext._gateway.proc.pid}/maps")
print(maps.read_text() if maps.exists() else "")
"""


def test_a_run_leaves_an_archive_for_the_next_one(own_process, tmp_path, monkeypatch):
    own_process.jvm_options = QUICK_JVM
    monkeypatch.setenv("DELTAWAVE_CLASS_ARCHIVE", "true")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    cache = tmp_path / "cache" / "deltawave"
    own_process.profile()
    own_process.write("models/one.sql", "select 1 as id")
    begun = own_process.dbt("run")
    assert (begun.returncode, begun.stderr) == (0, ""), begun.stdout
    deadline = time.monotonic() + WAIT_SECONDS
    while not (made := list(cache.glob("*.jsa"))):
        assert time.monotonic() < deadline, list(cache.iterdir())
        assert not list(cache.glob("*.failed")), next(cache.glob("*.failed")).read_text()
        time.sleep(0.2)
    again = own_process.dbt("run", then=PRINT_MAPPED_FILES)
    assert (again.returncode, again.stderr) == (0, ""), again.stdout
    if Path("/proc/self/maps").exists():
        assert str(made[0]) in again.stdout
