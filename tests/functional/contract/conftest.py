"""A project that holds every strategy."""

from __future__ import annotations

from typing import Any

import pytest
from postgres import PostgresServer


@pytest.fixture(scope="class")
def dbt_profile_target(dbt_profile_target: dict[str, Any], postgres: PostgresServer) -> dict[str, Any]:
    """The target, with a database to read."""
    return dbt_profile_target | {"remotes": {"legacy": postgres.remote}}
