"""What versions of pyspark name differently."""

from typing import Any
from unittest.mock import MagicMock

import pyspark
import pytest
from pyspark.sql import SparkSession

from deltawave.spark_versions import cancel_jobs, sessions_of_jvm


def test_before_spark_4_sessions_have_one_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(SparkSession, "_get_j_spark_session_class")
    jvm = MagicMock()
    assert sessions_of_jvm(jvm) is jvm.org.apache.spark.sql.SparkSession


@pytest.mark.parametrize(("version", "called"), [("3.5.9", "cancelJobGroup"), ("4.0.1", "cancelJobGroupAndFutureJobs")])
def test_before_spark_4_a_group_has_the_jobs_of_now(version: str, called: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyspark, "__version__", version)
    context: Any = MagicMock()
    cancel_jobs(context, "mine")
    assert [str(call) for call in context._jsc.sc().method_calls] == [f"call.{called}('mine')"]
