"""A batch killed at any step, or raced by another run, ends in the same log; readers never notice."""

from __future__ import annotations

from pathlib import Path

import pytest
from kills import HISTORIES, kill_and_race


@pytest.mark.parametrize("history", HISTORIES)
def test_a_history_is_that_of_undisturbed_runs(history: str, tmp_path: Path, quick_jvm: str, seed: int) -> None:
    kill_and_race(history, tmp_path / history, quick_jvm, seed)
