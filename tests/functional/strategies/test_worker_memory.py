"""A Python worker stays within the memory that it was granted, and a fixed overhead, whatever its rows are like."""

import json
import subprocess
import sys
from pathlib import Path

MB = 2**20
GRANTED = 64 * MB
# Of the libraries: the files that they map, their buffers meanwhile, and memory that they keep for later.
OVERHEAD = 96 * MB


def test_workers_stay_within_the_granted_memory(tmp_path: Path) -> None:
    check(Path(__file__).with_name("worker_memory.py"), tmp_path)


def check(program: Path, tmp_path: Path) -> None:
    run = subprocess.run([sys.executable, program, tmp_path, str(GRANTED)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    grown = json.loads(run.stdout)
    assert grown
    # Snapshots of 80 MB and more; reading all of them at once would take several times that.
    assert {name: size // MB for name, size in grown.items() if size > GRANTED + OVERHEAD} == {}
