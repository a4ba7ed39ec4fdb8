"""A wave index in a Hive metastore, kept by processes of which one is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = Path(__file__).with_name("on_hive.py")


def run(folder: Path, *arguments: int) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT / 'tests'}", "PYSPARK_PYTHON": sys.executable}
    command = [sys.executable, str(PROGRAM), str(folder), *map(str, arguments)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_a_process_is_killed_while_it_prepares(tmp_path: Path) -> None:
    # Three days at once: two tables, each created, its part reserved and filled, and the view. Then a table for what
    # RATA* prepares.
    killed = run(tmp_path, 3, 8)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    done = run(tmp_path, 5)
    assert "days 3 4 5" in done.stdout, done.stderr
