"""The histories that a class of tests asks for, all run together."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from draws import Draw
from postgres import PostgresServer
from pyspark.sql import SparkSession
from suite import MACROS, Run, Suite


@pytest.fixture(scope="class")
def macros() -> dict[str, str]:
    return MACROS


@pytest.fixture(scope="class")
def run_together(request: pytest.FixtureRequest, project: Any, deltawave_package: Path, spark: SparkSession) -> Run:
    """Draws the variants whose tests were chosen, and runs their models: what a variant draws depends on no other."""

    def run(draw: Callable[[int, str], Draw], seed: int, server: PostgresServer | None = None) -> Suite:
        items = [item for item in request.session.items if getattr(item, "cls", None) is request.cls]
        draws = [draw(seed, variant) for variant in dict.fromkeys(item.callspec.params["variant"] for item in items)]
        suite = Suite(draws, spark, Path(project.project_root), project.test_schema, server)
        suite.run()
        return suite

    return run
