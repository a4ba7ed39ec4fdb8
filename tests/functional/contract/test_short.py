"""Every strategy through one short history with its main events; test_contract.py has all events."""

from __future__ import annotations

import pytest
from draws import short
from suite import MACROS, Run, Suite

from models import VARIANTS

# A change of the code alone decides whether these pass; test_contract.py draws anew each time.
SEED = 1


class TestShortHistories:
    @pytest.fixture(scope="class")
    def macros(self) -> dict[str, str]:
        return MACROS

    @pytest.fixture(scope="class")
    def suite(self, run_together: Run) -> Suite:
        return run_together(short, SEED)

    @pytest.mark.parametrize("variant", VARIANTS)
    def test_main_events(self, suite: Suite, variant: str) -> None:
        draw = suite.draws[variant]
        print(draw.table())
        assert not draw.failures, "\n\n".join(draw.failures)
        assert not draw.uncovered()
