"""Every strategy through every event: drawn histories, compared with an oracle in plain Python."""

from typing import Any

import pytest
from draws import all_events
from postgres import PostgresServer
from suite import Run, Suite

from models import VARIANTS


@pytest.mark.usefixtures("interpreted")
class TestContract:
    @pytest.fixture(scope="class")
    def dbt_profile_target(self, dbt_profile_target: dict[str, Any], postgres: PostgresServer) -> dict[str, Any]:
        return dbt_profile_target | {"remotes": {"legacy": postgres.remote}}

    @pytest.fixture(scope="class")
    def suite(self, run_together: Run, seed: int, postgres: PostgresServer) -> Suite:
        return run_together(all_events, seed, postgres)

    @pytest.mark.parametrize("variant", VARIANTS)
    def test_every_event(self, suite: Suite, variant: str) -> None:
        suite.draws[variant].check()
