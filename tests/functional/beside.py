"""Tests that run in a process of their own, with a Spark of their own, beside the others."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Taken before other tests change it.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("DBT_", "PYTEST_"))}


def run_beside(*arguments: str, jvm_options: str = "") -> str:
    """Run pytest with these arguments; return its output, which ends with the outcome."""
    command = [sys.executable, "-m", "pytest", "-q", *arguments]
    environment = ENVIRONMENT | {"SPARK_SUBMIT_OPTS": jvm_options}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=3000, check=False)
    return done.stdout + done.stderr


def assert_passed(said: str) -> None:
    """Did all tests pass, and at least one?"""
    assert re.search(r"^\d+ passed(, \d+ warnings?)? in ", said, re.MULTILINE), said[-20_000:]
