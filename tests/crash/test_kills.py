"""A batch killed at any step, or raced by another run, ends in the same log; readers never notice."""

from pathlib import Path

import pytest
from jvm import QUICK_JVM
from kills import HISTORIES, kill_and_race
from object_store import ObjectStore


@pytest.mark.s3
def test_each_step_is_killed_once(tmp_path: Path, seed: int, object_store: ObjectStore | None) -> None:
    """Without an archive of classes: to make one takes longer than its few processes would save."""
    kill_and_race("short", tmp_path / "short", QUICK_JVM, seed, object_store)


@pytest.mark.parametrize("history", HISTORIES)
def test_a_history_is_that_of_undisturbed_runs(history: str, tmp_path: Path, quick_jvm: str, seed: int) -> None:
    kill_and_race(history, tmp_path / history, quick_jvm, seed)
