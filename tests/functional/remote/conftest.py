"""A project whose profile names databases to read through JDBC."""

from pathlib import Path
from typing import Any

import pytest
from postgres import PostgresServer


@pytest.fixture(scope="class", autouse=True)
def sparing() -> None:
    """dbt writes all that it does for users: what databases are asked is looked for there."""


@pytest.fixture(scope="class")
def remotes(postgres: PostgresServer, spark_data_dir: Path) -> dict[str, dict[str, str]]:
    """The profile's remotes: a PostgreSQL server and a Derby database in Spark's own JVM."""
    derby = {"url": f"jdbc:derby:{spark_data_dir / 'legacy_derby'};create=true"}
    return {"legacy": postgres.remote, "derby": derby}


@pytest.fixture(scope="class")
def dbt_profile_target(dbt_profile_target: dict[str, Any], remotes: dict[str, dict[str, str]] | None) -> dict[str, Any]:
    """The target, with its remotes; stock dbt-spark knows of none."""
    return dbt_profile_target | ({"remotes": remotes} if remotes else {})
