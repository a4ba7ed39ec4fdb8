"""Every strategy through every event: generated histories, compared with an oracle in plain Python."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from declarations import declarations
from lineup import ELSEWHERE, MODELS
from postgres import PostgresServer
from pyspark.sql import SparkSession
from suite import MACROS, Suite


@pytest.mark.usefixtures("deltawave_package", "interpreted")
class TestContract:
    @pytest.fixture(scope="class")
    def macros(self) -> dict[str, str]:
        return MACROS

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {}

    def test_every_strategy_through_every_event(
        self, project: Any, spark: SparkSession, postgres: PostgresServer, seed: int
    ) -> None:
        suite = Suite(seed, spark, Path(project.project_root), project.test_schema, postgres, list(MODELS))
        suite.create_remote()
        suite.deal()
        while any(life.days for life in suite.lives.values()):
            begun = time.monotonic()
            left = sum(bool(life.days) for life in suite.lives.values())
            suite.round()
            print(f"{left} models: {time.monotonic() - begun:.1f} s")
        print(suite.table())
        print(suite.times())
        assert not suite.failures, "\n\n".join(suite.failures)
        assert not suite.unmet()
        assert {life.model.strategy for life in suite.lives.values()} == set(declarations()) - ELSEWHERE
