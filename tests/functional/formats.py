"""Tests of the materializations on Delta and Iceberg, whose catalogs need a Spark of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FORMATS = ("delta", "iceberg")
FOLDER = "tests/functional"
TESTS = (
    "differential/test_types.py::TestTypes",
    "differential/test_types.py::TestNames",
    "differential/test_types.py::TestRefusedNames",
    "differential/test_slice_keys.py",
    "differential/test_state.py::TestDriftedColumns",
    "wave/test_wave_index.py::TestWaveIndex::test_files_go_with_their_days",
)

# Taken before other tests change it.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("DBT_", "PYTEST_"))}


def run_on_format(name: str, jvm_options: str) -> str:
    """Run TESTS on that format; return the output of pytest, which ends with the outcome."""
    command = [sys.executable, "-m", "pytest", "-q", "--table-format", name, *(f"{FOLDER}/{test}" for test in TESTS)]
    environment = ENVIRONMENT | {"SPARK_SUBMIT_OPTS": jvm_options}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=900, check=False)
    return done.stdout + done.stderr
