"""Tests that run in a process of their own, with a Spark of their own, beside the others."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Taken before other tests change it.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("DBT_", "PYTEST_"))}
# Something has passed, and nothing was skipped.
_PASSED = re.compile(r"^\d+ passed(, \d+ warnings?)? in ", re.MULTILINE)
_SECONDS = 3000


def run_beside(*arguments: str, jvm_options: str | None = None) -> None:
    """Run pytest with these arguments; raises ``AssertionError`` with its output if not all tests pass."""
    options = {} if jvm_options is None else {"SPARK_SUBMIT_OPTS": jvm_options}
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", "--color=no", "--show-capture=no", *arguments],
        cwd=ROOT,
        env=ENVIRONMENT | options,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        # With Spark and servers.
        os.killpg(process.pid, signal.SIGKILL)
        said, _ = process.communicate()
    assert process.returncode == 0, said[-20_000:]
    assert _PASSED.search(said), said[-20_000:]
