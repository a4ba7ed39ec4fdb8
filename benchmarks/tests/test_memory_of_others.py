"""As tests/functional/strategies/test_worker_memory.py, of the algorithms that the library does not have."""

import os
from pathlib import Path

import pytest
from functional.strategies.test_worker_memory import check

ROOT = Path(__file__).resolve().parents[2]


def test_workers_stay_within_the_granted_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = [str(ROOT / "benchmarks"), str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(folders))
    check(Path(__file__).with_name("memory_of_others.py"), tmp_path)
