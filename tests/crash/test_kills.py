"""A batch killed at any step, or raced by another run, ends in the same log; readers never notice."""

from __future__ import annotations

from concurrent.futures import Future

import pytest
from kills import PLANS


@pytest.mark.parametrize("history", PLANS)
def test_a_history_is_that_of_undisturbed_runs(killed: dict[str, Future[None]], history: str) -> None:
    killed[history].result()
