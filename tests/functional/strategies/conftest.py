"""What models set in the session is taken back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from plans import BROADCAST, CO_PARTITION, ORDERING, PREFERENCE
from pyspark.sql import SparkSession


@pytest.fixture
def settings_as_before(spark: SparkSession) -> Iterator[None]:
    """Settings of joins are those of before again."""
    before = {name: spark.conf.get(name) for name in (ORDERING, CO_PARTITION, BROADCAST, PREFERENCE)}
    yield
    for name, value in before.items():
        spark.conf.set(name, value)
